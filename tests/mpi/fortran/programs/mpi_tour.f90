! A tour through the module mpi: MPI-2 and later, with interfaces that the compiler checks.
module callbacks
    use mpi
    implicit none
    integer :: erased = 0, handled = 0, queried = 0, freed = 0
    logical :: was_complete = .true.
contains
    subroutine copies(comm, keyval, extra, in, out, flag, ierror)
        integer :: comm, keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra, in, out
        logical :: flag
        out = in + extra
        flag = in /= 7
        ierror = MPI_SUCCESS
    end subroutine
    subroutine erases(comm, keyval, value, extra, ierror)
        integer :: comm, keyval, ierror
        integer(MPI_ADDRESS_KIND) :: value, extra
        erased = erased + 1
        ierror = MPI_SUCCESS
    end subroutine
    subroutine refuses(comm, keyval, value, extra, ierror)
        integer :: comm, keyval, ierror
        integer(MPI_ADDRESS_KIND) :: value, extra
        ierror = MPI_ERR_OTHER
    end subroutine
    subroutine handles(object, code)
        integer :: object, code
        handled = handled + 1
    end subroutine
    subroutine queries(extra, status, ierror)
        integer(MPI_ADDRESS_KIND) :: extra
        integer :: status(MPI_STATUS_SIZE), ierror, ignored
        queried = queried + int(extra)
        call MPI_Status_set_elements(status, MPI_INTEGER, 3, ignored)
        call MPI_Status_set_cancelled(status, .false., ignored)
        status(MPI_SOURCE) = 11
        status(MPI_TAG) = 12
        ierror = MPI_SUCCESS
    end subroutine
    subroutine frees(extra, ierror)
        integer(MPI_ADDRESS_KIND) :: extra
        integer :: ierror
        freed = freed + 1
        ierror = MPI_SUCCESS
    end subroutine
    subroutine cancels(extra, complete, ierror)
        integer(MPI_ADDRESS_KIND) :: extra
        logical :: complete
        integer :: ierror
        was_complete = complete
        ierror = MPI_SUCCESS
    end subroutine
    subroutine largest(in, inout, length, type)
        integer :: length, type, i
        real :: in(length), inout(length)
        do i = 1, length
            inout(i) = max(in(i), inout(i))
        end do
    end subroutine
end module

program tour
    use mpi
    use checks
    use callbacks
    use, intrinsic :: iso_c_binding
    implicit none
    integer :: rank, size, ierror, provided, next

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
    call check(provided >= MPI_THREAD_FUNNELED, 'provided')
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    next = mod(rank + 1, size)
    call attributes()
    call errors()
    call generalized()
    call strings()
    call operations()
    call memory()
    call sections()
    call types()
    call neighbours()
    call MPI_Finalize(ierror)
    call finish('mpi', rank, size)
contains
    subroutine attributes()
        integer(MPI_ADDRESS_KIND) :: value
        integer :: keyval, copy, type, other
        logical :: flag
        call MPI_Comm_create_keyval(copies, erases, keyval, 30_MPI_ADDRESS_KIND, ierror)
        call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, ishft(1_MPI_ADDRESS_KIND, 40), ierror)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag, ierror)
        call check(flag .and. value == ishft(1_MPI_ADDRESS_KIND, 40), 'an attribute of 64 bits')
        call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
        call MPI_Comm_get_attr(copy, keyval, value, flag, ierror)
        call check(flag .and. value == ishft(1_MPI_ADDRESS_KIND, 40) + 30, 'copied')
        call MPI_Comm_delete_attr(copy, keyval, ierror)
        call check(erased == 1, 'erased')
        call MPI_Comm_get_attr(copy, keyval, value, flag, ierror)
        call check(.not. flag, 'gone')
        call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 7_MPI_ADDRESS_KIND, ierror)
        call check(erased == 2, 'erased when set anew')
        call MPI_Comm_free(copy, ierror)
        call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
        call MPI_Comm_get_attr(copy, keyval, value, flag, ierror)
        call check(.not. flag, 'the function said no')
        call MPI_Comm_free(copy, ierror)
        call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval, ierror)
        call MPI_Comm_free_keyval(keyval, ierror)
        call check(keyval == MPI_KEYVAL_INVALID, 'the key is gone')
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
        call check(flag .and. value >= 32767, 'MPI_TAG_UB')

        call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, keyval, &
                                    0_MPI_ADDRESS_KIND, ierror)
        call MPI_Type_contiguous(3, MPI_INTEGER, type, ierror)
        call MPI_Type_set_attr(type, keyval, -4_MPI_ADDRESS_KIND, ierror)
        call MPI_Type_dup(type, other, ierror)
        call MPI_Type_get_attr(other, keyval, value, flag, ierror)
        call check(flag .and. value == -4, 'MPI_TYPE_DUP_FN')
        call MPI_Type_free(type, ierror)
        call MPI_Type_free(other, ierror)
        call MPI_Type_free_keyval(keyval, ierror)

        ! A function that fails.
        call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuses, keyval, 0_MPI_ADDRESS_KIND, ierror)
        call MPI_Comm_dup(MPI_COMM_SELF, copy, ierror)
        call MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN, ierror)
        call MPI_Comm_set_attr(copy, keyval, 1_MPI_ADDRESS_KIND, ierror)
        call MPI_Comm_delete_attr(copy, keyval, ierror)
        call check(ierror /= MPI_SUCCESS, 'a function that refuses')
    end subroutine

    subroutine errors()
        integer :: handler, comm, code, class, length, got
        character(len=MPI_MAX_ERROR_STRING) :: text
        call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
        call MPI_Comm_create_errhandler(handles, handler, ierror)
        call MPI_Comm_set_errhandler(comm, handler, ierror)
        call MPI_Comm_get_errhandler(comm, got, ierror)
        call check(got == handler, 'the same handler')
        call MPI_Bcast(got, 1, MPI_INTEGER, 5, comm, code)
        call check(handled == 1 .and. code /= MPI_SUCCESS, 'called')
        call MPI_Comm_call_errhandler(comm, MPI_ERR_TAG, ierror)
        call check(handled == 2, 'called by the program')
        call MPI_Errhandler_free(handler, ierror)
        call MPI_Comm_free(comm, ierror)
        call MPI_Add_error_class(class, ierror)
        call MPI_Add_error_code(class, code, ierror)
        call MPI_Add_error_string(code, 'out of coffee   ', ierror)
        call MPI_Error_string(code, text, length, ierror)
        call check(text == 'out of coffee' .and. length == 13, 'a string of our own')
    end subroutine

    subroutine generalized()
        integer :: request, status(MPI_STATUS_SIZE), count
        logical :: flag
        call MPI_Grequest_start(queries, frees, cancels, 5_MPI_ADDRESS_KIND, request, ierror)
        call MPI_Test(request, flag, status, ierror)
        call check(.not. flag, 'not complete')
        call MPI_Cancel(request, ierror)
        call check(.not. was_complete, 'cancelled before it was complete')
        call MPI_Grequest_complete(request, ierror)
        call MPI_Wait(request, status, ierror)
        call MPI_Get_count(status, MPI_INTEGER, count, ierror)
        call check(queried == 5 .and. freed == 1 .and. count == 3, 'a generalized request')
        call check(status(MPI_SOURCE) == 11 .and. status(MPI_TAG) == 12, 'its status')
    end subroutine

    subroutine strings()
        integer :: info, length, keys
        character(len=30) :: value
        character(len=5) :: short
        logical :: flag
        call MPI_Info_create(info, ierror)
        call MPI_Info_set(info, '  colour  ', '  light green ', ierror)
        value = '?'
        call MPI_Info_get(info, 'colour', 29, value, flag, ierror)
        call check(flag .and. value == 'light green', 'a value without its blanks')
        call MPI_Info_get(info, 'size', 29, value, flag, ierror)
        call check(.not. flag .and. value == 'light green', 'none, and nothing is written')
        call MPI_Info_get_valuelen(info, 'colour', length, flag, ierror)
        call check(flag .and. length == 11, 'length')
        length = 5
        call MPI_Info_get_string(info, 'colour', length, short, flag, ierror)
        call check(flag .and. short == 'light' .and. length == 11, 'as much as there is room for')
        call MPI_Info_get_nkeys(info, keys, ierror)
        call MPI_Info_get_nthkey(info, 0, value, ierror)
        call check(keys == 1 .and. value == 'colour', 'keys')
        call MPI_Info_free(info, ierror)
    end subroutine

    subroutine operations()
        integer :: op, i, size_of
        real :: mine(8), all(8)
        mine = [(real(mod(rank + i, size)), i = 1, 8)]
        call MPI_Op_create(largest, .true., op, ierror)
        call MPI_Allreduce(mine, all, 8, MPI_REAL, op, MPI_COMM_WORLD, ierror)
        call check(.not. any(all /= size - 1), 'an operation')
        call MPI_Op_free(op, ierror)
        call MPI_Sizeof(mine, size_of, ierror)
        call check(size_of == 4, 'sizeof an array')
        call MPI_Sizeof(1d0, size_of, ierror)
        call check(size_of == 8, 'sizeof a number')
        call check(MPI_Aint_diff(MPI_Aint_add(5_MPI_ADDRESS_KIND, 6_MPI_ADDRESS_KIND), &
                                 4_MPI_ADDRESS_KIND) == 7, 'addresses')
    end subroutine

    subroutine memory()
        integer :: win, group
        integer(MPI_ADDRESS_KIND) :: address, bytes, value
        type(c_ptr) :: pointer
        integer, pointer :: array(:)
        integer :: got
        logical :: flag
        call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierror)
        call check(address /= 0, 'memory')
        pointer = transfer(address, pointer)
        call c_f_pointer(pointer, array, [20])
        array = 3
        call MPI_Free_mem(array, ierror)

        bytes = 80
        call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, address, win, ierror)
        pointer = transfer(address, pointer)
        call c_f_pointer(pointer, array, [20])
        array = 0
        call MPI_Win_fence(0, win, ierror)
        got = rank + 100
        call MPI_Put(got, 1, MPI_INTEGER, next, 4_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierror)
        call MPI_Win_fence(0, win, ierror)
        call check(array(5) == mod(rank + size - 1, size) + 100, 'put')
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win, ierror)
        call MPI_Fetch_and_op(1, got, MPI_INTEGER, next, 4_MPI_ADDRESS_KIND, MPI_SUM, win, ierror)
        call MPI_Win_unlock(next, win, ierror)
        call check(got == rank + 100, 'fetch and op')
        call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierror)
        call check(flag .and. value == address, 'base')
        call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierror)
        call check(flag .and. value == 80, 'size')
        call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierror)
        call check(flag .and. value == 4, 'unit')
        call MPI_Win_get_group(win, group, ierror)
        call MPI_Group_free(group, ierror)
        call MPI_Win_free(win, ierror)
    end subroutine

    subroutine sections()
        integer :: a(10, 10), b(10, 10), i
        integer :: status(MPI_STATUS_SIZE)
        a = reshape([(i + 1000 * rank, i = 1, 100)], [10, 10])
        b = 0
        ! The compiler copies.
        call MPI_Sendrecv(a(1:9:2, 3), 5, MPI_INTEGER, next, 0, b(2, 2:10:2), 5, MPI_INTEGER, &
                          MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierror)
        call check(b(2, 4) == 23 + 1000 * status(MPI_SOURCE) .and. sum(b(1, :)) == 0, 'a section')
    end subroutine

    subroutine types()
        integer :: type, integers, addresses, kinds, combiner, contents(3), old(1)
        integer(MPI_ADDRESS_KIND) :: lower, extent, places(1)
        integer(MPI_COUNT_KIND) :: wide
        call MPI_Type_create_subarray(1, [10], [4], [2], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, &
                                      type, ierror)
        call MPI_Type_get_extent(type, lower, extent, ierror)
        call MPI_Type_size_x(type, wide, ierror)
        call check(lower == 0 .and. extent == 80 .and. wide == 32, 'subarray')
        call MPI_Type_free(type, ierror)
        call MPI_Type_vector(3, 2, 5, MPI_INTEGER, type, ierror)
        call MPI_Type_get_envelope(type, integers, addresses, kinds, combiner, ierror)
        call check(integers == 3 .and. kinds == 1 .and. combiner == MPI_COMBINER_VECTOR, 'envelope')
        call MPI_Type_get_contents(type, 3, 0, 1, contents, places, old, ierror)
        call check(all(contents == [3, 2, 5]) .and. old(1) == MPI_INTEGER, 'contents')
        call MPI_Type_free(type, ierror)
        call MPI_Type_create_f90_real(12, MPI_UNDEFINED, type, ierror)
        call MPI_Type_size(type, integers, ierror)
        call check(integers == 8, 'a kind of Fortran''s')
    end subroutine

    subroutine neighbours()
        integer :: comm, in, out, sources(2), targets(2), ignored(2)
        logical :: weighted
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [mod(rank + size - 1, size)], &
                                            MPI_UNWEIGHTED, 1, [next], MPI_UNWEIGHTED, &
                                            MPI_INFO_NULL, .false., comm, ierror)
        weighted = .true.
        call MPI_Dist_graph_neighbors_count(comm, in, out, weighted, ierror)
        call check(in == 1 .and. out == 1 .and. .not. weighted, 'unweighted')
        call MPI_Dist_graph_neighbors(comm, 1, sources, ignored, 1, targets, ignored, ierror)
        call check(targets(1) == next, 'targets')
        call MPI_Comm_free(comm, ierror)
    end subroutine
end program
