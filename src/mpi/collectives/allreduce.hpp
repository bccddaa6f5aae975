#pragma once
/// MPI_Allreduce: all ranks' data, combined in the order of ranks, to all. The result has the same
/// bits on all ranks, of floating-point numbers too.

#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// `mine` may be in_place().
void allreduce(Team& team, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation);

}  // namespace railyard::mpi
