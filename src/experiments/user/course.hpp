#pragma once
/// How far each of several ranks has come, and when: what the rate of all of them together is made
/// of. Ranks never start and end at quite the same time; only while all are at work is their sum
/// what the interconnect gives.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard::experiments {

struct Mark {
    std::int64_t picoseconds = 0;  ///< since all ranks were let go
    std::uint64_t bytes = 0;       ///< moved by then
};

/// A stretch of time, in picoseconds.
struct Stretch {
    double begin = 0;
    double end = 0;
};

/// From its first mark to its last, of which there must be two.
Stretch stretch_of(std::span<const Mark> course);
/// When all were at work; if that was never (real ranks that share a core may take turns), when any
/// was.
Stretch common(std::span<const Stretch> stretches);
/// Bytes moved in each of so many equal parts of the stretch. Between two marks they flow evenly.
std::vector<double> moved_within(std::span<const Mark> course, const Stretch& stretch,
                                 unsigned parts);

class Course {
  public:
    /// All ranks of the job come here, and are let go together.
    explicit Course(job::Rank& rank);
    /// So much has been moved by now, in all. The first mark ends the warming up.
    void mark(Bytes moved);

    /// MB/s of `ranks` together, in each of so many equal parts of the time in which all were at
    /// work. All of them call it, and rank 0, for whom alone the result is; `key` is unique in the
    /// job.
    std::vector<double> rates_of_all(const std::string& key, std::span<const int> ranks,
                                     unsigned parts) const;

  private:
    job::Rank& rank_;
    Time begin_;
    std::vector<Mark> marks_;
};

}  // namespace railyard::experiments
