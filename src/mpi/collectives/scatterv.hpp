#pragma once
/// MPI_Scatterv: to every rank its block of the root's data, each as long as the root says.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// `all` counts for the root alone, whose `mine` may be in_place().
void scatterv(Team& team, const ConstBlocks& all, const Buffer& mine, int root);

}  // namespace railyard::mpi
