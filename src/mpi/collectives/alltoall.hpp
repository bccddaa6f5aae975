#pragma once
/// MPI_Alltoall: from every rank a block to every other.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// Counts are those of one block. `out` may be in_place().
void alltoall(Team& team, const ConstBuffer& out, const Buffer& in);

// These also serve alltoallv and alltoallw. Empty blocks are not sent.

/// With one partner after the other.
void alltoall_pairwise(Team& team, const ConstBlocks& out, const Blocks& in);
/// With many at once.
void alltoall_linear(Team& team, const ConstBlocks& out, const Blocks& in);
/// What the two above do when `out` is in place.
void alltoall_in_place(Team& team, const Blocks& data);

}  // namespace railyard::mpi
