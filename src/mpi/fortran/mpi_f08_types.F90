! What mpi_f08 stands on, in the parts that MPICH's library has it in: types, constants, variables
! that programs and library compare by address, and the functions that MPI calls.

module mpi_c_interface_types
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    type, bind(C) :: c_Status
        integer(c_int) :: count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR
    end type
end module

module mpi_f08_types
    use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t
    use mpi_c_interface_types, only: c_Status
    implicit none
    include 'f08_handle_types.inc'
    type, bind(C), public :: MPI_Status
        integer :: count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR
    end type
    integer, parameter :: MPI_SOURCE = 3, MPI_TAG = 4, MPI_ERROR = 5, MPI_STATUS_SIZE = 5
    private :: c_int, c_intptr_t, c_Status

    interface assignment(=)
        module procedure MPI_Status_f08_assign_c, MPI_Status_c_assign_f08
    end interface
    private :: MPI_Status_f08_assign_c, MPI_Status_c_assign_f08

    interface MPI_Sizeof
        module procedure MPI_Sizeof_character, MPI_Sizeof_logical
        module procedure MPI_Sizeof_xint8, MPI_Sizeof_xint16, MPI_Sizeof_xint32, MPI_Sizeof_xint64
        module procedure MPI_Sizeof_xreal32, MPI_Sizeof_xreal64, MPI_Sizeof_xreal128
        module procedure MPI_Sizeof_xcomplex32, MPI_Sizeof_xcomplex64, MPI_Sizeof_xcomplex128
    end interface

    ! Files are pointers in C, and C's own functions convert them.
    interface
        integer(c_int) function MPI_File_c2f(file) bind(C, name='MPI_File_c2f')
            import :: c_int, c_intptr_t
            integer(c_intptr_t), value :: file
        end function
        integer(c_intptr_t) function MPI_File_f2c(file) bind(C, name='MPI_File_f2c')
            import :: c_int, c_intptr_t
            integer(c_int), value :: file
        end function
        integer(c_int) function MPI_Status_c2f08(c_status_, f08_status) bind(C, name='MPI_Status_c2f08')
            import :: c_int, c_Status, MPI_Status
            type(c_Status), intent(in) :: c_status_
            type(MPI_Status), intent(out) :: f08_status
        end function
        integer(c_int) function MPI_Status_f082c(f08_status, c_status_) bind(C, name='MPI_Status_f082c')
            import :: c_int, c_Status, MPI_Status
            type(MPI_Status), intent(in) :: f08_status
            type(c_Status), intent(out) :: c_status_
        end function
    end interface
contains
    include 'f08_handle_operators.inc'

    elemental subroutine MPI_Status_f08_assign_c(f08, c)
        type(MPI_Status), intent(out) :: f08
        type(c_Status), intent(in) :: c
        f08 = MPI_Status(c%count_lo, c%count_hi_and_cancelled, c%MPI_SOURCE, c%MPI_TAG, c%MPI_ERROR)
    end subroutine

    elemental subroutine MPI_Status_c_assign_f08(c, f08)
        type(c_Status), intent(out) :: c
        type(MPI_Status), intent(in) :: f08
        c = c_Status(f08%count_lo, f08%count_hi_and_cancelled, f08%MPI_SOURCE, f08%MPI_TAG, f08%MPI_ERROR)
    end subroutine

    subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
        integer, intent(in) :: f_status(MPI_STATUS_SIZE)
        type(MPI_Status), intent(out) :: f08_status
        integer, optional, intent(out) :: ierror
        f08_status = MPI_Status(f_status(1), f_status(2), f_status(3), f_status(4), f_status(5))
        if (present(ierror)) ierror = 0
    end subroutine

    subroutine MPI_Status_f082f(f08_status, f_status, ierror)
        type(MPI_Status), intent(in) :: f08_status
        integer, intent(out) :: f_status(MPI_STATUS_SIZE)
        integer, optional, intent(out) :: ierror
        f_status = [f08_status%count_lo, f08_status%count_hi_and_cancelled, f08_status%MPI_SOURCE, &
                    f08_status%MPI_TAG, f08_status%MPI_ERROR]
        if (present(ierror)) ierror = 0
    end subroutine

#define SIZE_OF(NAME, TYPE) \
    subroutine NAME(x, size, ierror); TYPE, dimension(..), intent(in) :: x; \
    integer, intent(out) :: size; integer, optional, intent(out) :: ierror; \
    size = storage_size(x) / 8; if (present(ierror)) ierror = 0; end subroutine
    SIZE_OF(MPI_Sizeof_logical, logical)
    SIZE_OF(MPI_Sizeof_xint8, integer(kind=1))
    SIZE_OF(MPI_Sizeof_xint16, integer(kind=2))
    SIZE_OF(MPI_Sizeof_xint32, integer(kind=4))
    SIZE_OF(MPI_Sizeof_xint64, integer(kind=8))
    SIZE_OF(MPI_Sizeof_xreal32, real(kind=4))
    SIZE_OF(MPI_Sizeof_xreal64, real(kind=8))
    SIZE_OF(MPI_Sizeof_xreal128, real(kind=16))
    SIZE_OF(MPI_Sizeof_xcomplex32, complex(kind=4))
    SIZE_OF(MPI_Sizeof_xcomplex64, complex(kind=8))
    SIZE_OF(MPI_Sizeof_xcomplex128, complex(kind=16))

    subroutine MPI_Sizeof_character(x, size, ierror)
        character(len=*), dimension(..), intent(in) :: x
        integer, intent(out) :: size
        integer, optional, intent(out) :: ierror
        size = len(x)
        if (present(ierror)) ierror = 0
    end subroutine
end module

module mpi_f08_compile_constants
    use mpi_f08_types
    implicit none
    include 'f08_constants.inc'
    integer, parameter :: MPI_ADDRESS_KIND = 8, MPI_COUNT_KIND = 8
    integer, parameter :: MPI_OFFSET_KIND = 8, MPI_INTEGER_KIND = 4
    logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.
    logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .true.
end module

module mpi_f08_link_constants
    use, intrinsic :: iso_c_binding, only: c_int
    use mpi_f08_types, only: MPI_Status
    implicit none
    private :: c_int, MPI_Status
    integer(c_int), bind(C, name='MPIR_F08_MPI_BOTTOM'), target :: MPI_BOTTOM
    integer(c_int), bind(C, name='MPIR_F08_MPI_IN_PLACE'), target :: MPI_IN_PLACE
    integer(c_int), bind(C, name='MPIR_F08_MPI_BUFFER_AUTOMATIC'), target :: MPI_BUFFER_AUTOMATIC
    type(MPI_Status), bind(C, name='MPIR_F08_MPI_STATUS_IGNORE_OBJ'), target :: MPI_STATUS_IGNORE
    type(MPI_Status), bind(C, name='MPIR_F08_MPI_STATUSES_IGNORE_OBJ'), target :: MPI_STATUSES_IGNORE(1)
    integer, target :: MPI_ERRCODES_IGNORE(1)
    integer, target :: MPI_UNWEIGHTED(1)
    integer, target :: MPI_WEIGHTS_EMPTY(1)
    character(len=1), target :: MPI_ARGV_NULL(1)
    character(len=1), target :: MPI_ARGVS_NULL(1, 1)
end module
