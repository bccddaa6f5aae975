#pragma once
/// MPI_Allreduce: all ranks' data, combined in the order of ranks, to all. The result has the same
/// bits on all ranks, of floating-point numbers too.

#include "mpi/collectives/party.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// `mine` may be in_place().
void allreduce(Party& party, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation);

}  // namespace railyard::mpi
