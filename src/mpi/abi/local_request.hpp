#pragma once
/// A request that needs nothing of the engine once it is started: a partner that is not there, or a
/// send whose data were copied.

#include <functional>

#include "mpi/engine/status.hpp"

namespace railyard::mpi::abi {

/// Persistent always: one that is not, and is complete, is the handle `done_request`.
struct LocalRequest {
    std::function<void()> start;  ///< null: nothing to do
    Status status;
    bool active = false;
};

/// A handle for whatever was complete when it was made, from or to nobody.
inline constexpr int done_request = 0x6c000001;

}  // namespace railyard::mpi::abi
