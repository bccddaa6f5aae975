#pragma once
/// MPI_Gather: every rank's block, to the root.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// `all` counts for the root alone, and its count is that of one block. The root's own `mine` may
/// be in_place().
void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root);

/// Every block straight to the root. Empty ones are not sent.
void gather_flat(Team& team, const ConstBuffer& mine, const Blocks& all, int root);

}  // namespace railyard::mpi
