#pragma once
/// Somebody who is told whenever a rank enters and leaves the library, and what the library had
/// done by the end: how a run is accounted for, and how computation between calls is charged.

#include <cstddef>

#include "base/rank_local.hpp"
#include "mpi/abi/functions.hpp"
#include "mpi/engine/counters.hpp"

namespace railyard::mpi::abi {

/// Of one rank, which calls from one thread. Functions that may be called at any time
/// (MPI_Get_version) are not told, but for MPI_Wtime. A call from inside another (a user's
/// operation may make some) is told as well, so calls nest.
class CallWatch {
  public:
    virtual ~CallWatch() = default;
    /// The call's work begins when this returns. It may wait, and must not throw.
    virtual void entered(Function function) = 0;
    /// An exception may be on its way, so it must neither wait nor throw.
    virtual void left(Function function) = 0;
    /// Within MPI_Finalize: this is what the rank's library has done.
    virtual void finalised(const Counters& counters) = 0;
};

/// Which slots of a rank's words (base/rank_local.hpp) this library has.
inline constexpr std::size_t state_slot = 0;
inline constexpr std::size_t watch_slot = 1;

/// From the calling rank's MPI_Init on, until its MPI_Finalize. The watch outlives that; null:
/// nobody watches.
inline void watch_calls(CallWatch* watch) {
    rank_local::here->slots[watch_slot].state = watch;
}

/// Who watches the calling rank; null: nobody.
inline CallWatch* call_watch() {
    return static_cast<CallWatch*>(rank_local::here->slots[watch_slot].state);
}

}  // namespace railyard::mpi::abi
