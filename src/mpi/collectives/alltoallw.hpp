#pragma once
/// MPI_Alltoallw: from every rank a block, of whatever length and type, to every other.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

/// `out` may be Blocks::in_place().
void alltoallw(Team& team, const ConstBlocks& out, const Blocks& in);

}  // namespace railyard::mpi
