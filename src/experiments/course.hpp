#pragma once
/// How far each of several ranks has come, and when: what the rate of all of them together is made
/// of. Ranks never start and end at quite the same time; only while all are at work is their sum
/// what the interconnect gives.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "job/rank.hpp"

namespace railyard::experiments {

struct Mark {
    std::int64_t picoseconds = 0;  ///< since all ranks were let go
    std::uint64_t bytes = 0;       ///< moved by then
};

class Course {
  public:
    /// All ranks of the job come here, and are let go together.
    explicit Course(job::Rank& rank);
    /// So much has been moved by now, in all. The first mark ends the warming up.
    void mark(Bytes moved);
    /// For collect() on rank 0; `key` is unique in the job.
    void publish(std::string_view key) const;
    const std::vector<Mark>& marks() const { return marks_; }

  private:
    job::Rank& rank_;
    Time begin_;
    std::vector<Mark> marks_;
};

/// The courses that these ranks have published.
std::vector<std::vector<Mark>> collect(job::Rank& rank, std::string_view key,
                                       std::span<const int> ranks);

/// MB/s of all of them together, in each of so many equal parts of the time in which all were at
/// work. Between two marks, bytes flow evenly. If there was no such time (real ranks that share a
/// core may take turns), one rate over the whole.
std::vector<double> common_rates(std::span<const std::vector<Mark>> courses, unsigned parts);

}  // namespace railyard::experiments
