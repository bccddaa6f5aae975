#pragma once
/// Error handlers that users make: what the calls of today and those of MPI-1 have in common.

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

MPI_Errhandler create_error_handler(State& state, MPI_Comm_errhandler_function* function);
/// A handle of the communicator's handler, for the user to free.
MPI_Errhandler give_error_handler(State& state, const Comm& comm);

}  // namespace railyard::mpi::abi
