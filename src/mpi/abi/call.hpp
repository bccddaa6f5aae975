#pragma once
/// What an entry point does besides its work: it takes the lock where several threads call, and
/// tells whoever watches. Where there is neither, a call pays one test of a pointer for both.

#include "mpi/abi/call_watch.hpp"
#include "mpi/engine/engine_lock.hpp"

namespace railyard::mpi::abi {

struct Around {
    EngineLock* lock = nullptr;  ///< null: one thread calls
    CallWatch* watch = nullptr;  ///< null: nobody watches
};

/// The time from entering a function to leaving it.
class Call {
  public:
    /// `around` outlives it; null: nothing to do.
    Call(const Around* around, Function function) : around_(around), function_(function) {
        if (around_ != nullptr) [[unlikely]]
            enter(*around_, function_);
    }
    ~Call() {
        if (around_ != nullptr) [[unlikely]]
            leave(*around_, function_);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

  private:
    // Elsewhere, out of the way of the code that runs at every message.
    static void enter(const Around& around, Function function);
    static void leave(const Around& around, Function function);

    const Around* around_;
    const Function function_;
};

}  // namespace railyard::mpi::abi
