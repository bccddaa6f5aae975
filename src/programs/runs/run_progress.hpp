#pragma once
/// How far a run in virtual time has come: written by the thread that runs it, and read by others.
/// Relaxed throughout, since each number stands for itself.

#include <atomic>
#include <cstdint>

#include "railyard/base/time.hpp"

namespace railyard::runs {

class RunProgress {
  public:
    static constexpr std::int64_t unknown = -1;

    /// A rank has come back from an MPI call.
    void call_done(Time now) {
        now_.store(now.since_start().picoseconds(), std::memory_order_relaxed);
        // One thread writes: no other can come between the two.
        calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    /// The program says that it has so many steps to go.
    void left(std::int64_t steps) { steps_.store(steps, std::memory_order_relaxed); }

    Duration now() const { return Duration::ps(now_.load(std::memory_order_relaxed)); }
    std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
    std::int64_t steps_left() const { return steps_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::int64_t> now_{0};
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::int64_t> steps_{unknown};
};

}  // namespace railyard::runs
