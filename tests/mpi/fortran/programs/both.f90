! Fortran and C in one program: attributes, functions and statuses from one to the other. The other
! half is both.c.
module fortran_half
    use mpi
    implicit none
contains
    ! Called by MPI for C's communicators, and by C itself.
    subroutine copies(comm, keyval, extra, in, out, flag, ierror)
        integer :: comm, keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra, in, out
        logical :: flag
        out = in + extra
        flag = .true.
        ierror = MPI_SUCCESS
    end subroutine
    subroutine multiplies(in, inout, length, type)
        integer :: length, type
        integer :: in(length), inout(length)
        inout = in * inout
    end subroutine
end module

program both
    use mpi
    use checks
    use fortran_half
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        integer(c_int) function c_reads_attribute(comm, keyval) bind(C)
            import
            integer(c_int), value :: comm, keyval
        end function
        integer(c_int) function c_reads_short_attribute(comm, keyval) bind(C)
            import
            integer(c_int), value :: comm, keyval
        end function
        integer(c_intptr_t) function c_sets_attribute(comm, keyval) bind(C)
            import
            integer(c_int), value :: comm, keyval
        end function
        integer(c_int) function c_makes_key(same) bind(C)
            import
            integer(c_int), value :: same
        end function
        integer(c_int) function c_handler() bind(C)
            import
        end function
        integer(c_int) function c_handled() bind(C)
            import
        end function
        integer(c_int) function c_reduces(op) bind(C)
            import
            integer(c_int), value :: op
        end function
        integer(c_int) function c_source(status) bind(C)
            import
            integer(c_int), intent(in) :: status(*)
        end function
        subroutine c_status(status) bind(C)
            import
            integer(c_int) :: status(*)
        end subroutine
        integer(c_int) function c_is_ignored(status) bind(C)
            import
            integer(c_int) :: status(*)
        end function
    end interface
    integer :: rank, size, ierror, keyval, old, copy, op, status(MPI_STATUS_SIZE), count
    integer(MPI_ADDRESS_KIND) :: value, expected
    logical :: flag

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)

    ! Integers of Fortran's: C is told where they are, and copies them by Fortran's function.
    call MPI_Comm_create_keyval(copies, MPI_COMM_NULL_DELETE_FN, keyval, 2_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 40_MPI_ADDRESS_KIND, ierror)
    call check(c_reads_attribute(MPI_COMM_WORLD, keyval) == 40, 'C reads an address')
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
    call check(c_reads_attribute(copy, keyval) == 42, 'C reads a copy')
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, old, 0, ierror)
    call MPI_Attr_put(copy, old, -3, ierror)
    call check(c_reads_short_attribute(copy, old) == -3, 'C reads an integer')
    call MPI_Comm_get_attr(copy, old, value, flag, ierror)
    call check(flag .and. value == -3, 'an integer as an address')

    ! Pointers of C's: Fortran gets the addresses.
    expected = c_sets_attribute(copy, keyval)
    call MPI_Comm_get_attr(copy, keyval, value, flag, ierror)
    call check(flag .and. value == expected, 'an attribute of C''s')
    call MPI_Comm_free(copy, ierror)

    ! A key of C's, whose functions are called for what Fortran has set.
    old = c_makes_key(0)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, old, 1234_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
    call MPI_Comm_get_attr(copy, old, value, flag, ierror)
    call check(flag .and. value == 1235, 'C''s function copies')
    call MPI_Comm_free(copy, ierror)
    old = c_makes_key(1)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, old, 1234_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
    call check(c_reads_attribute(copy, old) == 1234, 'C''s MPI_COMM_DUP_FN copies')

    ! Functions of either for the other.
    call MPI_Comm_set_errhandler(copy, c_handler(), ierror)
    call MPI_Send(rank, -1, MPI_INTEGER, 0, 0, copy, ierror)
    call check(ierror /= MPI_SUCCESS .and. c_handled() == copy, 'C''s handler for Fortran')
    call MPI_Comm_free(copy, ierror)
    call MPI_Op_create(multiplies, .true., op, ierror)
    call check(c_reduces(op) == 2**size, 'Fortran''s operation for C')
    call MPI_Op_free(op, ierror)

    ! Statuses.
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, size), 5, count, 1, MPI_INTEGER, &
                      MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status, ierror)
    call check(c_source(status) == status(MPI_SOURCE), 'a status for C')
    call c_status(status)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call check(status(MPI_TAG) == 77 .and. count == 9, 'a status of C''s')
    call check(c_is_ignored(MPI_STATUS_IGNORE) == 1 .and. c_is_ignored(status) == 0, 'an ignored one')
    call MPI_Finalize(ierror)
    call finish('both', rank, size)
end program
