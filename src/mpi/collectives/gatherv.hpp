#pragma once
/// MPI_Gatherv: every rank's block, to the root, which knows how long each is.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// `all` counts for the root alone, whose `mine` may be in_place().
void gatherv(Team& team, const ConstBuffer& mine, const Blocks& all, int root);

}  // namespace railyard::mpi
