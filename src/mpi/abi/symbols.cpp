// Data that the ABI exports under names of its own. Programs compare addresses; what is there is of
// no matter, but for the Fortran statuses, which are written to and thrown away.

#include <mpi.h>

namespace {

int unweighted;
int weights_empty;
MPI_Fint ignored_status[MPI_F_STATUS_SIZE];
MPI_F08_status ignored_f08_status;

}  // namespace

extern "C" {

int* const MPI_UNWEIGHTED = &unweighted;
int* const MPI_WEIGHTS_EMPTY = &weights_empty;
MPI_Fint* MPI_F_STATUS_IGNORE = ignored_status;
MPI_Fint* MPI_F_STATUSES_IGNORE = ignored_status;
MPI_F08_status* MPI_F08_STATUS_IGNORE = &ignored_f08_status;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = &ignored_f08_status;
struct MPIR_T_pvar_handle_s* const MPI_T_PVAR_ALL_HANDLES = nullptr;

}  // extern "C"
