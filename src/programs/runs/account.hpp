#pragma once
/// Collects, while a program runs in virtual time, what its summary says.

#include <array>
#include <cstddef>
#include <vector>

#include "mpi/abi/call_watch.hpp"
#include "mpi/engine/counters.hpp"
#include "programs/runs/computation.hpp"
#include "programs/runs/summary.hpp"
#include "railyard/base/time.hpp"
#include "railyard/host.hpp"
#include "railyard/part_use.hpp"

namespace railyard::runs {

/// Of all ranks of one run, which are fibers of one thread.
class Account {
  public:
    void add_call(mpi::abi::Function function, Duration time);
    void add_computation(Duration time) { computed_seconds_ += time.seconds(); }
    void add_rank(const mpi::Counters& counters) { counters_.push_back(counters); }
    void add_end(Time end) { end_ = end > end_ ? end : end_; }

    /// Fills in what has been collected. Of `parts`, the busiest of each kind.
    void summarise(Summary& summary, const std::vector<fabric::PartUse>& parts) const;

  private:
    struct Calls {
        std::uint64_t calls = 0;
        double seconds = 0;
    };
    std::array<Calls, mpi::abi::function_count> calls_{};
    std::vector<mpi::Counters> counters_;  ///< of ranks that have finalised MPI
    double computed_seconds_ = 0;
    Time end_;
};

/// Watches the calls of one rank: charges what it computed before each, and counts the time in it.
class RankWatch final : public mpi::abi::CallWatch {
  public:
    /// All outlive it.
    RankWatch(Account& account, Computation& computation, fabric::Host& host, int rank)
        : account_(account),
          computation_(computation),
          host_(host),
          rank_(static_cast<std::size_t>(rank)) {}

    void entered(mpi::abi::Function function) override;
    void left(mpi::abi::Function function) override;
    void finalised(const mpi::Counters& counters) override { account_.add_rank(counters); }

  private:
    Account& account_;
    Computation& computation_;
    fabric::Host& host_;
    const std::size_t rank_;
    unsigned depth_ = 0;  ///< calls that the rank is inside of
    Time entered_at_;     ///< the outermost one
};

}  // namespace railyard::runs
