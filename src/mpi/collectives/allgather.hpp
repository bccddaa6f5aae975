#pragma once
/// MPI_Allgather: every rank's block, to all.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// The count of `all` is that of one block. `mine` may be in_place().
void allgather(Team& team, const ConstBuffer& mine, const Buffer& all);

// These also serve allgatherv. One's own block is in place.

/// Blocks go round, each rank to the next.
void allgather_ring(Team& team, const Blocks& all);
/// log2(ranks) rounds for any number of ranks; the blocks are packed.
void allgather_bruck(Team& team, const Blocks& all);
/// All to rank 0, which sends all to all.
void allgather_flat(Team& team, const Blocks& all);

}  // namespace railyard::mpi
