#pragma once
/// Words of the rank's own, found from any code that it runs: a process, a thread, or a fiber may
/// be a rank, and code that is handed no argument (a C interface) must still find its state. What
/// starts a rank as a thread points `here` at the rank's own words; what switches fibers swaps it.

#include <array>

#include "railyard/base/time.hpp"

namespace railyard {

/// A program that is none of ours, which a rank runs in a fiber: it has things for itself that
/// threads have one of.
class Guest {
  public:
    virtual ~Guest() = default;
    /// The fiber begins to run, or ceases to.
    virtual void enter() = 0;
    virtual void leave() = 0;
    /// In a handler, where an exception would pass from our code into the program's: it leaves the
    /// program and goes on behind it.
    [[noreturn]] virtual void escape() = 0;
    /// What threads of the program have computed since this was asked: the one that computed most.
    virtual Duration computed_beside() = 0;
};

struct RankLocal {
    /// For the state of software above. Which slot is whose, that software says.
    struct Slot {
        void* state = nullptr;
        /// Frees the state, if the rank ends without having done so: it failed, or its peer did.
        void (*destroy)() = nullptr;
    };

    void* rank = nullptr;    ///< job::Rank, where one is bound
    Guest* guest = nullptr;  ///< null: the rank runs our own code
    std::array<Slot, 2> slots{};

    /// Where the rank ends. Its words must be those that are found `here`.
    void destroy_slots() {
        for (const Slot& slot : slots)
            if (slot.destroy != nullptr) slot.destroy();
    }
};

namespace rank_local {

/// For the process as a whole: a process that is one rank, with all of its threads.
inline RankLocal of_process;

// Initial-exec: one instruction to find it, and libraries that hold it are loaded at the start.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit RankLocal* here = &of_process;

/// In a handler: an exception leaves our code.
[[noreturn]] inline void pass_on() {
    if (here->guest != nullptr) here->guest->escape();
    throw;
}

}  // namespace rank_local

}  // namespace railyard
