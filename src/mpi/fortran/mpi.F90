! The module mpi, in the parts that MPICH's library has it in: their procedures are symbols of the
! ABI. Interfaces are made by the build from the table of the interface.

module mpi_constants
    implicit none
    include 'mpif_declarations.inc'
    include 'mpi_handle_types.inc'
    type :: MPI_Status
        sequence
        integer :: count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR
    end type
contains
    include 'mpi_handle_operators.inc'
end module

module mpi_sizeofs
    implicit none
    interface MPI_Sizeof
        module procedure MPI_Sizeof_i, MPI_Sizeof_r, MPI_Sizeof_l, MPI_Sizeof_ch, MPI_Sizeof_cx
        module procedure MPI_Sizeof_iv, MPI_Sizeof_rv, MPI_Sizeof_lv, MPI_Sizeof_chv, MPI_Sizeof_cxv
        module procedure MPI_Sizeof_d, MPI_Sizeof_dv, MPI_Sizeof_i1, MPI_Sizeof_i1v
        module procedure MPI_Sizeof_i2, MPI_Sizeof_i2v, MPI_Sizeof_i8, MPI_Sizeof_i8v
        module procedure MPI_Sizeof_z, MPI_Sizeof_zv
    end interface
contains
#define SIZE_OF(NAME, TYPE, DIMENSIONS) \
    subroutine NAME(x, size, ierror); TYPE, intent(in) :: x DIMENSIONS; \
    integer, intent(out) :: size, ierror; \
    size = storage_size(x) / 8; ierror = 0; end subroutine
    SIZE_OF(MPI_Sizeof_i, integer, )
    SIZE_OF(MPI_Sizeof_r, real, )
    SIZE_OF(MPI_Sizeof_l, logical, )
    SIZE_OF(MPI_Sizeof_ch, character, )
    SIZE_OF(MPI_Sizeof_cx, complex, )
    SIZE_OF(MPI_Sizeof_d, double precision, )
    SIZE_OF(MPI_Sizeof_z, complex(kind=8), )
    SIZE_OF(MPI_Sizeof_i1, integer(kind=1), )
    SIZE_OF(MPI_Sizeof_i2, integer(kind=2), )
    SIZE_OF(MPI_Sizeof_i8, integer(kind=8), )
    SIZE_OF(MPI_Sizeof_iv, integer, (*))
    SIZE_OF(MPI_Sizeof_rv, real, (*))
    SIZE_OF(MPI_Sizeof_lv, logical, (*))
    SIZE_OF(MPI_Sizeof_chv, character, (*))
    SIZE_OF(MPI_Sizeof_cxv, complex, (*))
    SIZE_OF(MPI_Sizeof_dv, double precision, (*))
    SIZE_OF(MPI_Sizeof_zv, complex(kind=8), (*))
    SIZE_OF(MPI_Sizeof_i1v, integer(kind=1), (*))
    SIZE_OF(MPI_Sizeof_i2v, integer(kind=2), (*))
    SIZE_OF(MPI_Sizeof_i8v, integer(kind=8), (*))
end module

module mpi_base
    include 'mpi_interfaces.inc'
    interface
        subroutine MPI_F_sync_reg(buf)
!GCC$ attributes no_arg_check :: buf
            type(*), dimension(*) :: buf
        end subroutine
    end interface
end module

module mpi
    use mpi_constants
    use mpi_sizeofs
    use mpi_base
end module
