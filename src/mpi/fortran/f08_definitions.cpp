// Procedures of mpi_f08 that have choice buffers.

#include "mpi/fortran/arguments.hpp"
#include "mpi/fortran/sections.hpp"

namespace railyard::mpi::fortran {

extern "C" {
#include <f08_definitions.inc>

/// Does nothing; that the compiler cannot know it is its purpose.
void mpi_f_sync_reg_(void*) {}
FORTRAN_NAMES("mpi_f_sync_reg", "MPI_F_SYNC_REG")
FORTRAN_ALSO("mpi_f_sync_reg_", "mpi_f_sync_reg_f08ts_")
FORTRAN_ALSO("mpi_f_sync_reg_", "pmpir_f_sync_reg_f08ts_")
}

}  // namespace railyard::mpi::fortran
