! The module mpi_f08. Interfaces are made by the build from the table of the interface; choice
! buffers are descriptors, so that sections with gaps need no copy by the compiler.

module mpi_f08_callbacks
    use, intrinsic :: iso_c_binding, only: c_ptr
    use mpi_f08_types
    implicit none
    private :: c_ptr

    abstract interface
        subroutine MPI_User_function(invec, inoutvec, len, datatype)
            import
            type(c_ptr), value :: invec, inoutvec
            integer :: len
            type(MPI_Datatype) :: datatype
        end subroutine
        subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
            import
            type(c_ptr), value :: invec, inoutvec
            integer(kind=8) :: len
            type(MPI_Datatype) :: datatype
        end subroutine
#define COPY_FUNCTION(NAME, TYPE, OBJECT, KEYVAL) \
        subroutine NAME(OBJECT, KEYVAL, extra_state, attribute_val_in, attribute_val_out, flag, ierror); \
            import; type(TYPE) :: OBJECT; integer :: KEYVAL, ierror; \
            integer(kind=8) :: extra_state, attribute_val_in, attribute_val_out; logical :: flag; \
        end subroutine
#define DELETE_FUNCTION(NAME, TYPE, OBJECT, KEYVAL) \
        subroutine NAME(OBJECT, KEYVAL, attribute_val, extra_state, ierror); \
            import; type(TYPE) :: OBJECT; integer :: KEYVAL, ierror; \
            integer(kind=8) :: attribute_val, extra_state; \
        end subroutine
#define ERROR_FUNCTION(NAME, TYPE, OBJECT) \
        subroutine NAME(OBJECT, error_code); import; type(TYPE) :: OBJECT; integer :: error_code; \
        end subroutine
        COPY_FUNCTION(MPI_Comm_copy_attr_function, MPI_Comm, oldcomm, comm_keyval)
        COPY_FUNCTION(MPI_Type_copy_attr_function, MPI_Datatype, oldtype, type_keyval)
        COPY_FUNCTION(MPI_Win_copy_attr_function, MPI_Win, oldwin, win_keyval)
        DELETE_FUNCTION(MPI_Comm_delete_attr_function, MPI_Comm, comm, comm_keyval)
        DELETE_FUNCTION(MPI_Type_delete_attr_function, MPI_Datatype, datatype, type_keyval)
        DELETE_FUNCTION(MPI_Win_delete_attr_function, MPI_Win, win, win_keyval)
        ERROR_FUNCTION(MPI_Comm_errhandler_function, MPI_Comm, comm)
        ERROR_FUNCTION(MPI_Win_errhandler_function, MPI_Win, win)
        ERROR_FUNCTION(MPI_File_errhandler_function, MPI_File, file)
        ERROR_FUNCTION(MPI_Session_errhandler_function, MPI_Session, session)
        subroutine MPI_Grequest_query_function(extra_state, status, ierror)
            import
            integer(kind=8) :: extra_state
            type(MPI_Status) :: status
            integer :: ierror
        end subroutine
        subroutine MPI_Grequest_free_function(extra_state, ierror)
            integer(kind=8) :: extra_state
            integer :: ierror
        end subroutine
        subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
            integer(kind=8) :: extra_state
            logical :: complete
            integer :: ierror
        end subroutine
        subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
            import
            type(MPI_Datatype) :: datatype
            integer(kind=8) :: extent, extra_state
            integer :: ierror
        end subroutine
        subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, position, extra_state, ierror)
            import
            type(c_ptr), value :: userbuf, filebuf
            type(MPI_Datatype) :: datatype
            integer(kind=8) :: count, position, extra_state
            integer :: ierror
        end subroutine
        subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, extra_state, ierror)
            import
            type(c_ptr), value :: userbuf, filebuf
            type(MPI_Datatype) :: datatype
            integer :: count, ierror
            integer(kind=8) :: position, extra_state
        end subroutine
    end interface
contains
#define NULL_COPY(NAME, TYPE, OBJECT, KEYVAL) \
    subroutine NAME(OBJECT, KEYVAL, extra_state, attribute_val_in, attribute_val_out, flag, ierror); \
        type(TYPE) :: OBJECT; integer :: KEYVAL, ierror; \
        integer(kind=8) :: extra_state, attribute_val_in, attribute_val_out; logical :: flag; \
        flag = .false.; ierror = 0; \
    end subroutine
#define DUPLICATE(NAME, TYPE, OBJECT, KEYVAL) \
    subroutine NAME(OBJECT, KEYVAL, extra_state, attribute_val_in, attribute_val_out, flag, ierror); \
        type(TYPE) :: OBJECT; integer :: KEYVAL, ierror; \
        integer(kind=8) :: extra_state, attribute_val_in, attribute_val_out; logical :: flag; \
        attribute_val_out = attribute_val_in; flag = .true.; ierror = 0; \
    end subroutine
#define NULL_DELETE(NAME, TYPE, OBJECT, KEYVAL) \
    subroutine NAME(OBJECT, KEYVAL, attribute_val, extra_state, ierror); \
        type(TYPE) :: OBJECT; integer :: KEYVAL, ierror; \
        integer(kind=8) :: attribute_val, extra_state; \
        ierror = 0; \
    end subroutine
    NULL_COPY(MPI_Comm_null_copy_fn, MPI_Comm, oldcomm, comm_keyval)
    NULL_COPY(MPI_Type_null_copy_fn, MPI_Datatype, oldtype, type_keyval)
    NULL_COPY(MPI_Win_null_copy_fn, MPI_Win, oldwin, win_keyval)
    DUPLICATE(MPI_Comm_dup_fn, MPI_Comm, oldcomm, comm_keyval)
    DUPLICATE(MPI_Type_dup_fn, MPI_Datatype, oldtype, type_keyval)
    DUPLICATE(MPI_Win_dup_fn, MPI_Win, oldwin, win_keyval)
    NULL_DELETE(MPI_Comm_null_delete_fn, MPI_Comm, comm, comm_keyval)
    NULL_DELETE(MPI_Type_null_delete_fn, MPI_Datatype, datatype, type_keyval)
    NULL_DELETE(MPI_Win_null_delete_fn, MPI_Win, win, win_keyval)

    ! Never called: the library knows them by their addresses.
    subroutine MPI_Conversion_fn_null(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        type(c_ptr), value :: userbuf, filebuf
        type(MPI_Datatype) :: datatype
        integer :: count, ierror
        integer(kind=8) :: position, extra_state
        ierror = 23
    end subroutine
    subroutine MPI_Conversion_fn_null_c(userbuf, datatype, count, filebuf, position, extra_state, ierror)
        type(c_ptr), value :: userbuf, filebuf
        type(MPI_Datatype) :: datatype
        integer :: ierror
        integer(kind=8) :: count, position, extra_state
        ierror = 23
    end subroutine
end module

module pmpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr
    use mpi_f08_types
    use mpi_f08_compile_constants
    use mpi_f08_link_constants
    use mpi_f08_callbacks
    implicit none
    private :: c_ptr
    include 'pmpi_f08_interfaces.inc'
    interface PMPI_F_sync_reg
        subroutine PMPIR_F_sync_reg_f08ts(buf)
            type(*), dimension(..), asynchronous :: buf
        end subroutine
    end interface
end module

module mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr
    use pmpi_f08
    implicit none
    private :: c_ptr
    include 'mpi_f08_interfaces.inc'
#define OF_LARGE_COUNTS(CREATE, REGISTER) \
        subroutine CREATE(user_fn, commute, op, ierror); import; \
            procedure(MPI_User_function_c) :: user_fn; logical, intent(in) :: commute; \
            type(MPI_Op), intent(out) :: op; integer, optional, intent(out) :: ierror; \
        end subroutine; \
        subroutine REGISTER(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state, ierror); \
            import; character(len=*), intent(in) :: datarep; \
            procedure(MPI_Datarep_conversion_function_c) :: read_conversion_fn, write_conversion_fn; \
            procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn; \
            integer(kind=8), intent(in) :: extra_state; integer, optional, intent(out) :: ierror; \
        end subroutine
    ! Names of their own: a compiler could not tell them from the others by their arguments.
    interface
        OF_LARGE_COUNTS(MPI_Op_create_c, MPI_Register_datarep_c)
        OF_LARGE_COUNTS(PMPI_Op_create_c, PMPI_Register_datarep_c)
    end interface
    interface MPI_F_sync_reg
        subroutine MPI_F_sync_reg_f08ts(buf)
            type(*), dimension(..), asynchronous :: buf
        end subroutine
    end interface
end module
