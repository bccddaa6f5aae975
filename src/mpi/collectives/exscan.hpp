#pragma once
/// MPI_Exscan: to every rank the data of all below itself, combined in the order of ranks.

#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// The result of rank 0 is left as it was. `mine` may be in_place().
void exscan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation);

}  // namespace railyard::mpi
