#pragma once
/// From the counters of many processors to one time. Ranks of a host share its clock. Hosts' clocks
/// are first put together by the calendar, then by messages: of those that go one way and those
/// that go the other, the quickest should take equally long. Clocks may drift apart meanwhile.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/recording/record.hpp"
#include "mpi/traces/run_record.hpp"

namespace railyard::mpi::traces {

/// Of one rank.
struct ClockSource {
    int node = 0;
    recording::ClockReading first;
    recording::ClockReading last;
    std::uint64_t begin = 0;  ///< of its first call, in ticks
    bool is_present = false;
};

/// From a rank's ticks to times of the run. As it is made: picoseconds of virtual time.
class RankClock {
  public:
    RankClock() = default;
    /// At `ticks` it is `at`; a tick has that many picoseconds.
    RankClock(std::uint64_t ticks, Duration at, double picoseconds)
        : ticks_(ticks), at_(at), picoseconds_(picoseconds) {}

    Time at(std::uint64_t ticks) const {
        const auto since = static_cast<std::int64_t>(ticks - ticks_);
        if (picoseconds_ == 1) return Time::at(at_ + Duration::ps(since));
        // Whatever a record says, it is a time: 11 days are enough.
        const double ps = std::clamp(static_cast<double>(since) * picoseconds_, -1e18, 1e18);
        return Time::at(at_ + Duration::ps(static_cast<std::int64_t>(ps)));
    }

  private:
    std::uint64_t ticks_ = 0;
    Duration at_;
    double picoseconds_ = 1;
};

/// One for each rank. The first call of all is at 0, as far as the calendars agree.
std::vector<RankClock> clocks_of(const std::vector<ClockSource>& sources);

/// Moves the hosts' times so that messages between them take equally long both ways.
void align_hosts(RunRecord& run);

}  // namespace railyard::mpi::traces
