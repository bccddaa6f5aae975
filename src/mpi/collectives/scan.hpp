#pragma once
/// MPI_Scan: to every rank the data of all up to itself, combined in the order of ranks.

#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// `mine` may be in_place().
void scan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation);

}  // namespace railyard::mpi
