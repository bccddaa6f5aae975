#pragma once
/// Whom a communicator's topology makes neighbours of the calling rank.

#include "mpi/collectives/neighbourhood.hpp"
#include "mpi/communicators/comm.hpp"

namespace railyard::mpi {

/// In the order in which neighbourhood collectives have their blocks. Throws MpiError (topology) if
/// the communicator has none.
Neighbours neighbours_of(const Comm& comm);

}  // namespace railyard::mpi
