! A tour through mpi_f08 but for its sections: types of handles, functions that MPI calls, strings,
! and all that may be left away.
module callbacks
    use mpi_f08
    use, intrinsic :: iso_c_binding
    implicit none
    integer :: erased = 0, handled = 0, freed = 0
    integer(MPI_ADDRESS_KIND) :: seen = 0
contains
    subroutine copies(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
        type(MPI_Comm) :: oldcomm
        integer :: comm_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        seen = extra_state
        attribute_val_out = -attribute_val_in
        flag = .true.
        ierror = MPI_SUCCESS
    end subroutine
    subroutine erases(comm, comm_keyval, attribute_val, extra_state, ierror)
        type(MPI_Comm) :: comm
        integer :: comm_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        erased = erased + 1
        ierror = MPI_SUCCESS
    end subroutine
    subroutine handles(comm, error_code)
        type(MPI_Comm) :: comm
        integer :: error_code
        handled = handled + 1
    end subroutine
    subroutine handles_window(win, error_code)
        type(MPI_Win) :: win
        integer :: error_code
        handled = handled + 100
    end subroutine
    subroutine queries(extra_state, status, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        type(MPI_Status) :: status
        integer :: ierror
        call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
        call MPI_Status_set_cancelled(status, .true.)
        ierror = MPI_SUCCESS
    end subroutine
    subroutine frees(extra_state, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        freed = freed + 1
        ierror = MPI_SUCCESS
    end subroutine
    subroutine cancels(extra_state, complete, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        ierror = MPI_SUCCESS
    end subroutine
    subroutine smallest(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        double precision, pointer :: x(:), y(:)
        if (datatype /= MPI_DOUBLE_PRECISION) return
        call c_f_pointer(invec, x, [len])
        call c_f_pointer(inoutvec, y, [len])
        y = min(x, y)
    end subroutine
end module

program tour
    use mpi_f08
    use callbacks
    use checks
    implicit none
    integer :: rank, size, next, before

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(comm=MPI_COMM_WORLD, size=size)
    next = mod(rank + 1, size)
    before = mod(rank + size - 1, size)
    call handles_of_objects()
    call attributes()
    call errors()
    call requests()
    call operations()
    call memory()
    call strings()
    call topologies()
    call types()
    call others()
    call MPI_Finalize()
    call finish('f08', rank, size)
contains
    subroutine handles_of_objects()
        type(MPI_Comm) :: copy
        type(MPI_Group) :: group, same
        integer :: result, ierror, old(MPI_STATUS_SIZE)
        type(MPI_Status) :: status
        call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
        call check(ierror == MPI_SUCCESS, 'ierror is optional, and written')
        call check(copy /= MPI_COMM_WORLD .and. copy == copy%MPI_VAL, 'operators')
        call MPI_Comm_compare(copy, MPI_COMM_WORLD, result=result)
        call check(result == MPI_CONGRUENT, 'congruent')
        call MPI_Comm_group(copy, group)
        call MPI_Group_incl(group, 1, [0], same)
        call MPI_Group_size(same, result)
        call check(result == 1, 'a group')
        call MPI_Group_free(same)
        call MPI_Group_free(group)
        call check(group == MPI_GROUP_NULL, 'freed')
        call MPI_Comm_free(copy)
        call check(copy == MPI_COMM_NULL, 'a communicator is freed')
        old = [0, 0, 3, 4, 5]
        call MPI_Status_f2f08(old, status)
        call check(status%MPI_SOURCE == 3 .and. status%MPI_TAG == 4 .and. status%MPI_ERROR == 5, 'f2f08')
        status%MPI_TAG = 44
        call MPI_Status_f082f(status, old)
        call check(old(MPI_TAG) == 44, 'f082f')
    end subroutine

    subroutine attributes()
        type(MPI_Comm) :: copy
        integer :: keyval
        integer(MPI_ADDRESS_KIND) :: value
        logical :: flag
        call MPI_Comm_create_keyval(copies, erases, keyval, 77_MPI_ADDRESS_KIND)
        call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 5000000000_MPI_ADDRESS_KIND)
        call MPI_Comm_dup(MPI_COMM_WORLD, copy)
        call MPI_Comm_get_attr(copy, keyval, value, flag)
        call check(flag .and. value == -5000000000_MPI_ADDRESS_KIND .and. seen == 77, 'attribute')
        call MPI_Comm_free(copy)
        call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
        call check(erased == 2, 'erased')
        call MPI_Comm_free_keyval(keyval)
        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
        call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, 8_MPI_ADDRESS_KIND)
        call MPI_Comm_dup(MPI_COMM_SELF, copy)
        call MPI_Comm_get_attr(copy, keyval, value, flag)
        call check(flag .and. value == 8, 'MPI_COMM_DUP_FN')
        call MPI_Comm_free(copy)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, value, flag)
        call check(.not. flag .or. value >= size, 'MPI_UNIVERSE_SIZE')
    end subroutine

    subroutine errors()
        type(MPI_Errhandler) :: handler
        type(MPI_Comm) :: comm
        type(MPI_Win) :: win
        integer :: ierror, class, data(1)
        call MPI_Comm_dup(MPI_COMM_SELF, comm)
        call MPI_Comm_create_errhandler(handles, handler)
        call MPI_Comm_set_errhandler(comm, handler)
        call MPI_Send(data, 1, MPI_INTEGER, 3, 0, comm, ierror)
        call MPI_Error_class(ierror, class)
        call check(handled == 1 .and. class == MPI_ERR_RANK, 'a handler')
        call MPI_Errhandler_free(handler)
        call MPI_Comm_free(comm)
        call MPI_Win_create(data, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
        call MPI_Win_create_errhandler(handles_window, handler)
        call MPI_Win_set_errhandler(win, handler)
        call MPI_Win_call_errhandler(win, MPI_ERR_OTHER)
        call check(handled == 101, 'a handler of a window')
        call MPI_Errhandler_free(handler)
        call MPI_Win_free(win)
    end subroutine

    subroutine requests()
        type(MPI_Request) :: all(3)
        type(MPI_Status) :: statuses(3), status
        integer :: in(3), index, indices(3), count, i
        logical :: flag
        do i = 1, 2
            call MPI_Irecv(in(i), 1, MPI_INTEGER, before, i, MPI_COMM_WORLD, all(i))
        end do
        all(3) = MPI_REQUEST_NULL
        call MPI_Send(41, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
        call MPI_Waitany(3, all, index, status)
        call MPI_F_sync_reg(in)
        call check(index == 1 .and. in(1) == 41 .and. status%MPI_TAG == 1, 'waitany')
        call MPI_Send(42, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD)
        call MPI_Waitsome(3, all, count, indices, statuses)
        call check(count == 1 .and. indices(1) == 2 .and. statuses(1)%MPI_SOURCE == before, 'waitsome')
        call MPI_Testsome(3, all, count, indices, MPI_STATUSES_IGNORE)
        call check(count == MPI_UNDEFINED, 'testsome')
        call MPI_Testall(3, all, flag, statuses)
        call check(flag, 'testall')
        call MPI_Grequest_start(queries, frees, cancels, 6_MPI_ADDRESS_KIND, all(1))
        call MPI_Grequest_complete(all(1))
        call MPI_Wait(all(1), status)
        call MPI_Get_elements(status, MPI_INTEGER, count)
        call MPI_Test_cancelled(status, flag)
        call check(freed == 1 .and. count == 6 .and. flag, 'a generalized request')
        call MPI_Irecv(in, 3, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, all(2))
        call MPI_Wait(all(2), MPI_STATUS_IGNORE)
        call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, status)
        call check(.not. flag, 'iprobe')
    end subroutine

    subroutine operations()
        type(MPI_Op) :: op
        double precision :: mine(5), all(5)
        logical :: flag
        integer :: i
        mine = [(dble(mod(rank + i, size)), i = 1, 5)]
        call MPI_Op_create(smallest, commute=.false., op=op)
        call MPI_Allreduce(mine, all, 5, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD)
        call check(.not. any(all /= 0), 'an operation')
        call MPI_Op_commutative(op, flag)
        call check(.not. flag, 'not commutative')
        call MPI_Op_free(op)
    end subroutine

    subroutine memory()
        type(c_ptr) :: base
        type(MPI_Win) :: win
        integer, pointer :: array(:)
        integer :: unit
        integer(MPI_ADDRESS_KIND) :: bytes
        call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
        call c_f_pointer(base, array, [10])
        array = 9
        call MPI_Buffer_attach(array, 400)
        call MPI_Buffer_detach(base, unit)
        call MPI_Get_address(array, bytes)
        call check(unit == 400 .and. transfer(base, bytes) == bytes, 'a buffer comes back')
        call MPI_Free_mem(array)
        call MPI_Win_allocate_shared(40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
        call c_f_pointer(base, array, [10])
        array = rank
        call MPI_Win_fence(0, win)
        call MPI_Win_shared_query(win, next, bytes, unit, base)
        call c_f_pointer(base, array, [10])
        call check(bytes == 40 .and. unit == 4 .and. array(10) == next, 'shared memory')
        call MPI_Win_fence(0, win)
        call MPI_Win_free(win)
    end subroutine

    subroutine strings()
        type(MPI_Info) :: info
        character(len=MPI_MAX_OBJECT_NAME) :: name
        character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
        character(len=12) :: value
        type(MPI_Datatype) :: type
        integer :: length
        logical :: flag
        call MPI_Type_contiguous(2, MPI_REAL, type)
        call MPI_Type_set_name(type, 'a pair')
        call MPI_Type_get_name(type, name, length)
        call check(name == 'a pair' .and. length == 6, 'a name')
        call MPI_Type_free(type)
        call MPI_Type_get_name(MPI_DOUBLE_PRECISION, name, length)
        call check(name == 'MPI_DOUBLE_PRECISION', 'a name of MPI''s')
        call MPI_Get_library_version(version, length)
        call check(length > 0 .and. version(length+1:) == '', 'a version')
        call MPI_Info_create(info)
        call MPI_Info_set(info, 'key', 'value')
        value = 'x'
        call MPI_Info_get(info, 'key', 12, value, flag)
        call check(flag .and. value == 'value', 'info')
        call MPI_Info_free(info)
    end subroutine

    subroutine topologies()
        type(MPI_Comm) :: grid, row, graph
        integer :: dims(1), coords(1), source, dest, in, out, sources(1), targets(1), weights(1)
        logical :: periods(1), weighted
        dims = size
        call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, [.true.], .false., grid)
        call MPI_Cart_get(grid, 1, dims, periods, coords)
        call check(periods(1) .and. dims(1) == size .and. coords(1) == rank, 'a grid')
        call MPI_Cart_shift(grid, 0, 1, source, dest)
        call check(source == before .and. dest == next, 'shift')
        call MPI_Cart_sub(grid, [.true.], row)
        call MPI_Comm_free(row)
        call MPI_Comm_free(grid)
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], [3], 1, [next], [4], &
                                            MPI_INFO_NULL, .false., graph)
        call MPI_Dist_graph_neighbors_count(graph, in, out, weighted)
        call check(weighted, 'weighted')
        call MPI_Dist_graph_neighbors(graph, 1, sources, weights, 1, targets, MPI_UNWEIGHTED)
        call check(sources(1) == before .and. weights(1) == 3, 'weights')
        call MPI_Comm_free(graph)
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, [0], MPI_WEIGHTS_EMPTY, 0, [0], &
                                            MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., graph)
        call MPI_Comm_free(graph)
    end subroutine

    subroutine types()
        type(MPI_Datatype) :: type
        integer(MPI_COUNT_KIND) :: bytes, counts(1), places(1)
        integer :: size_of, small
        real(kind=8) :: matrix(3, 3)
        counts = 4
        places = 8
        call MPI_Type_create_hindexed(1_MPI_COUNT_KIND, counts, places, MPI_INTEGER, type)
        call MPI_Type_size(type, bytes)
        call check(bytes == 16, 'large counts')
        call MPI_Type_size(type, small)
        call check(small == 16, 'small counts')
        call MPI_Type_free(type)
        call MPI_Sizeof(matrix, size_of)
        call check(size_of == 8, 'sizeof')
        call MPI_Sizeof('abc', size_of)
    end subroutine

    subroutine others()
        type(MPI_Session) :: session
        type(MPI_Group) :: group
        character(len=100) :: name
        integer :: sets, length, members
        integer(MPI_ADDRESS_KIND) :: first, second
        integer :: array(4)
        call MPI_Get_address(array(1), first)
        call MPI_Get_address(array(3), second)
        call check(MPI_Aint_diff(second, first) == 8, 'addresses')
        call check(MPI_Wtime() > 0 .and. MPI_Wtick() > 0, 'time')
        call PMPI_Barrier(MPI_COMM_WORLD)
        call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
        call MPI_Session_get_num_psets(session, MPI_INFO_NULL, sets)
        length = len(name)
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name)
        call check(sets >= 2 .and. name == 'mpi://WORLD' .and. length == 11, 'a set of processes')
        call MPI_Group_from_session_pset(session, name, group)
        call MPI_Group_size(group, members)
        call check(members == size, 'all of them')
        call MPI_Group_free(group)
        call MPI_Session_finalize(session)
    end subroutine
end program
