#pragma once
/// MPI_Allgatherv: every rank's block, of whatever length, to all.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// `mine` may be in_place().
void allgatherv(Team& team, const ConstBuffer& mine, const Blocks& all);

}  // namespace railyard::mpi
