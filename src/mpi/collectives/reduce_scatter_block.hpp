#pragma once
/// MPI_Reduce_scatter_block: all ranks' data, combined in the order of ranks, to every rank an
/// equal part.

#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// The count of `result` is that of one part. `mine` may be in_place(), as in reduce_scatter().
void reduce_scatter_block(Team& team, const ConstBuffer& mine, const Buffer& result,
                          const Operation& operation);

}  // namespace railyard::mpi
