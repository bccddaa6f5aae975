#pragma once
/// MPI_Scatter: to every rank its block of the root's data.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// `all` counts for the root alone, and its count is that of one block. The root's own `mine` may
/// be in_place().
void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root);

/// Every block straight from the root. Empty ones are not sent.
void scatter_flat(Team& team, const ConstBlocks& all, const Buffer& mine, int root);

}  // namespace railyard::mpi
