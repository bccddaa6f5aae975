#pragma once
/// Bruck's algorithm for alltoall: blocks go by way of other ranks, so that few messages are sent,
/// to few partners.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

/// Even blocks. `out` may be in place. Needs a fixed amount of memory, or that of two messages.
void alltoall_bruck(Team& team, const ConstBlocks& out, const Blocks& in);

}  // namespace railyard::mpi
