// What mpif.h and the module mpi call, and what mpi_f08 has of the same: one definition for all.

#include "mpi/fortran/arguments.hpp"

namespace railyard::mpi::fortran {

Text::~Text() {
    if (text_[0] == untouched) return;
    const std::string_view text(text_);
    for (std::size_t i = 0; i < length_; ++i)
        to_[i] = i < text.size() ? text[i] : ' ';
}

extern "C" {
#include <fortran_definitions.inc>
}

}  // namespace railyard::mpi::fortran

// Where the program brings none of its own. Common blocks are aligned as compilers have them.
extern "C" {
alignas(32) MpiPriv1 mpipriv1_;
alignas(32) MpiPriv2 mpipriv2_;
alignas(32) MpiPrivC mpiprivc_;
alignas(32) MPI_Fint mpifcmb5_;
alignas(32) MPI_Fint mpifcmb9_;
alignas(32) MPI_Fint mpifcmba_;
MPI_Fint MPIR_F08_MPI_BOTTOM;
MPI_Fint MPIR_F08_MPI_IN_PLACE;
MPI_Fint MPIR_F08_MPI_BUFFER_AUTOMATIC;
MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ;
MPI_F08_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
}

namespace {

/// C programs that are handed a status by Fortran compare it with these.
[[gnu::constructor]] void tell_c() {
    MPI_F_STATUS_IGNORE = mpipriv1_.status_ignore;
    MPI_F_STATUSES_IGNORE = mpipriv2_.statuses_ignore;
    MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
    MPI_F08_STATUSES_IGNORE = &MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
}

}  // namespace
