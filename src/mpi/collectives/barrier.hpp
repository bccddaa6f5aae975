#pragma once
/// MPI_Barrier: nobody leaves before all have come.

#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

void barrier(Team& team);

}  // namespace railyard::mpi
