#pragma once
/// MPI_Alltoallv: from every rank a block, of whatever length, to every other.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

/// `out` may be Blocks::in_place().
void alltoallv(Team& team, const ConstBlocks& out, const Blocks& in);

}  // namespace railyard::mpi
