#pragma once
/// Runs a case in processes of its own and says how it ended; makes a failing one smaller.

#include <cstdint>
#include <functional>
#include <string>

#include "driver/case.hpp"

namespace railyard::soak {

struct Outcome {
    bool ok = false;
    /// A word: "ok", "wrong", "hangs", "leaks", "fails"; or "slow": its time was up, but its own
    /// watchdog had seen it move.
    std::string verdict;
    std::string output;  ///< what it said, the end of it
    int round = -1;      ///< where it failed, if it told
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
};

/// Ended by force after so many seconds: what has a watchdog says more before.
Outcome run(const Case& one, int most_seconds);

/// Fewer settings, threads, ranks, rounds, kinds of rounds, as long as it still fails. Runs no more
/// than `most_runs`, and calls `tell` for each step that helped.
Case shrink(Case failing, const Outcome& outcome, int most_runs,
            const std::function<void(const std::string&)>& tell);

}  // namespace railyard::soak
