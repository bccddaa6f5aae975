#pragma once
/// Collects what the summary of a run says.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/calls/call.hpp"
#include "mpi/engine/counters.hpp"
#include "programs/runs/run.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::runs {

/// Of all ranks of one run, which are fibers of one thread.
class Account {
  public:
    void add_call(mpi::calls::Function function, Duration time) {
        Calls& calls = calls_[static_cast<std::size_t>(function)];
        ++calls.calls;
        calls.time.add(time);
    }
    void add_computation(Duration time) { computed_.add(time); }
    void add_rank(const mpi::Counters& counters) { counters_.push_back(counters); }
    void add_end(Time end) { end_ = end > end_ ? end : end_; }
    void add_start(Time start) { start_ = start > start_ ? start : start_; }
    /// Of one rank.
    void add_marked(Duration time) {
        if (!marked_ || time > *marked_) marked_ = time;
    }

    /// Fills in what has been collected. Of `parts`, the busiest of each kind.
    void summarise(Summary& summary, const std::vector<fabric::PartUse>& parts) const;

  private:
    struct Calls {
        std::uint64_t calls = 0;
        TimeSum time;
    };
    std::array<Calls, mpi::calls::function_count> calls_{};
    std::vector<mpi::Counters> counters_;  ///< of ranks that have finalised MPI
    TimeSum computed_;
    Time start_;
    Time end_;
    std::optional<Duration> marked_;
};

}  // namespace railyard::runs
