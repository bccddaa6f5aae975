#pragma once
/// MPI_Barrier: nobody leaves before all have come.

#include "mpi/collectives/party.hpp"

namespace railyard::mpi {

void barrier(Party& party);

}  // namespace railyard::mpi
