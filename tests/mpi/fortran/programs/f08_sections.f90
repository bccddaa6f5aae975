! Sections with gaps through every kind of call of mpi_f08. Their elements say where they come from,
! and what lies in the gaps must stay as it was.
module sections
    use ring
    implicit none
    integer, parameter :: gap = -1
    integer :: a(7, 9), b(7, 9)  ! with sections of 3 times 4
contains
    ! The elements of a section that `from` has sent.
    function marks(from) result(all)
        integer, intent(in) :: from
        integer :: all(3, 4), i
        all = reshape([(1000 * from + i, i = 1, 12)], [3, 4])
    end function
    subroutine reset()
        a = gap
        a(2:6:2, 1:8:2) = marks(rank)
        b = gap
    end subroutine
    ! That b's section is this, and that nothing else was touched.
    subroutine expect(section, what)
        integer, intent(in) :: section(3, 4)
        character(len=*), intent(in) :: what
        integer :: whole(7, 9)
        whole = gap
        whole(1:5:2, 9:3:-2) = section
        call check(all(b == whole), what)
        whole = gap
        whole(2:6:2, 1:8:2) = marks(rank)
        call check(all(a == whole), what // ': what was sent')
    end subroutine
    subroutine double(in, inout, length, type)
        use, intrinsic :: iso_c_binding
        type(c_ptr), value :: in, inout
        integer :: length
        type(MPI_Datatype) :: type
        integer, pointer :: x(:), y(:)
        call c_f_pointer(in, x, [length])
        call c_f_pointer(inout, y, [length])
        y = y + 2 * x
    end subroutine
end module

program f08_sections
    use sections
    implicit none

    call begin()
    call check(MPI_SUBARRAYS_SUPPORTED, 'subarrays are supported')
    call point_to_point()
    call parts()
    call persistent()
    call collectives()
    call reductions()
    call nonblocking()
    call persistent_collectives()
    call one_sided()
    call packing()
    call other_elements()
    call MPI_Finalize()
    call finish('f08_sections', rank, size)
contains
    subroutine point_to_point()
        type(MPI_Request) :: requests(2)
        type(MPI_Status) :: status
        type(MPI_Message) :: message
        integer :: count
        call reset()
        call MPI_Sendrecv(a(2:6:2, 1:8:2), 12, MPI_INTEGER, next, 1, b(1:5:2, 9:3:-2), 12, &
                          MPI_INTEGER, before, 1, MPI_COMM_WORLD, status)
        call expect(marks(before), 'sendrecv')
        call MPI_Get_count(status, MPI_INTEGER, count)
        call check(status%MPI_SOURCE == before .and. status%MPI_TAG == 1 .and. count == 12, 'status')

        call reset()
        call MPI_Irecv(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, before, 2, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(a(2:6:2, 1:8:2), 12, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call MPI_F_sync_reg(b)
        call expect(marks(before), 'isend and irecv')

        call reset()
        call MPI_Isend(a(2:6:2, 1:8:2), 12, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(1))
        call MPI_Mprobe(before, 3, MPI_COMM_WORLD, message, status)
        call MPI_Mrecv(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, message, status)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
        call expect(marks(before), 'mrecv')

        ! Large counts.
        call reset()
        call MPI_Irecv(b(1:5:2, 9:3:-2), 12_MPI_COUNT_KIND, MPI_INTEGER, before, 4, MPI_COMM_WORLD, &
                       requests(1))
        call MPI_Ssend(a(2:6:2, 1:8:2), 12_MPI_COUNT_KIND, MPI_INTEGER, next, 4, MPI_COMM_WORLD)
        call MPI_Wait(requests(1), status)
        call MPI_F_sync_reg(b)
        call expect(marks(before), 'large counts')

        call reset()
        b(1:5:2, 9:3:-2) = marks(rank)
        call MPI_Sendrecv_replace(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, next, 5, before, 5, &
                                  MPI_COMM_WORLD, status)
        call expect(marks(before), 'sendrecv_replace')
    end subroutine

    subroutine parts()
        type(MPI_Request) :: request
        integer :: expected(3, 4)
        ! Fewer elements than the section has.
        call reset()
        call MPI_Irecv(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, before, 6, MPI_COMM_WORLD, request)
        call MPI_Send(a(2:6:2, 1:8:2), 8, MPI_INTEGER, next, 6, MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_F_sync_reg(b)
        expected = gap
        expected(:, 1:2) = 0
        expected(:, 1:3) = reshape([marks(before)], [3, 3])
        expected(3, 3) = gap
        call expect(expected, 'eight of twelve')
        ! Bytes, of which some are half an element.
        call reset()
        b(1:5:2, 9:3:-2) = 0
        call MPI_Irecv(b(1:5:2, 9:3:-2), 18, MPI_BYTE, before, 7, MPI_COMM_WORLD, request)
        call MPI_Send(a(2:6:2, 1:8:2), 18, MPI_BYTE, next, 7, MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_F_sync_reg(b)
        expected = 0
        expected(:, 1) = [1, 2, 3] + 1000 * before
        expected(1:2, 2) = [1000 * before + 4, modulo(1000 * before + 5, 65536)]
        call expect(expected, 'bytes')
        ! Two elements at a time.
        call reset()
        call MPI_Irecv(b(1:5:2, 9:3:-2), 6, MPI_2INTEGER, before, 8, MPI_COMM_WORLD, request)
        call MPI_Send(a(2:6:2, 1:8:2), 6, MPI_2INTEGER, next, 8, MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_F_sync_reg(b)
        call expect(marks(before), 'pairs')
    end subroutine

    subroutine persistent()
        type(MPI_Request) :: requests(2)
        integer :: i
        call reset()
        call MPI_Recv_init(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, before, 9, MPI_COMM_WORLD, requests(1))
        call MPI_Send_init(a(2:6:2, 1:8:2), 12, MPI_INTEGER, next, 9, MPI_COMM_WORLD, requests(2))
        do i = 1, 3
            call reset()
            call MPI_Startall(2, requests)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
            call MPI_F_sync_reg(b)
            call expect(marks(before), 'persistent')
        end do
        call MPI_Request_free(requests(1))
        call MPI_Request_free(requests(2))
    end subroutine

    ! Of each rank so many columns of three.
    subroutine collectives()
        integer :: all(7, 4 * size), counts(size), places(size), i
        integer :: wide(2, 3, size), got(2, 3, size)
        call reset()
        if (rank == 0) b(1:5:2, 9:3:-2) = marks(7)
        call MPI_Bcast(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, 0, MPI_COMM_WORLD)
        call expect(marks(7), 'bcast')

        all = gap
        call MPI_Allgather(a(2:6:2, 1:8:2), 12, MPI_INTEGER, all(1:5:2, :), 12, MPI_INTEGER, &
                           MPI_COMM_WORLD)
        do i = 1, size
            call check(.not. any(all(1:5:2, 4*i-3:4*i) /= marks(i - 1)), 'allgather')
        end do
        call check(.not. any(all(2:6:2, :) /= gap) .and. .not. any(all(7, :) /= gap), 'gaps of allgather')

        all = gap
        counts = 6
        places = [(12 * (i - 1) + 3, i = 1, size)]
        call MPI_Gatherv(a(2:6:2, 1:4:2), 6, MPI_INTEGER, all(1:5:2, :), counts, places, MPI_INTEGER, &
                         size - 1, MPI_COMM_WORLD)
        if (rank == size - 1) then
            do i = 1, size
                call check(.not. any(reshape(all(1:5:2, 4*i-2:4*i-1), [6]) /= [1, 2, 3, 4, 5, 6] + &
                                     1000 * (i - 1)), 'gatherv')
                call check(.not. any(all(:, 4*i) /= gap), 'between what was gathered')
            end do
        else
            call check(.not. any(all /= gap), 'nothing is gathered here')
        end if

        call reset()
        if (rank == 1) all(1:5:2, :) = reshape([(marks(i), i = 0, size - 1)], [3, 4 * size])
        call MPI_Scatter(all(1:5:2, :), 12, MPI_INTEGER, b(1:5:2, 9:3:-2), 12, MPI_INTEGER, 1, &
                         MPI_COMM_WORLD)
        call expect(marks(rank), 'scatter')

        wide = reshape([(1000 * rank + i, i = 1, 6 * size)], [2, 3, size])
        got = gap
        call MPI_Alltoall(wide(2, :, :), 3, MPI_INTEGER, got(1, :, :), 3, MPI_INTEGER, MPI_COMM_WORLD)
        do i = 1, size
            call check(.not. any(got(1, :, i) /= 1000 * (i - 1) + 6 * rank + [2, 4, 6]), 'alltoall')
        end do
        call check(.not. any(got(2, :, :) /= gap), 'gaps of alltoall')
    end subroutine

    subroutine reductions()
        type(MPI_Op) :: op
        integer :: total(3, 4), i
        total = 0
        do i = 0, size - 1
            total = total + marks(i)
        end do
        call reset()
        call MPI_Allreduce(a(2:6:2, 1:8:2), b(1:5:2, 9:3:-2), 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect(total, 'allreduce')
        call reset()
        b(1:5:2, 9:3:-2) = marks(rank)
        call MPI_Allreduce(MPI_IN_PLACE, b(1:5:2, 9:3:-2), 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect(total, 'allreduce in place')
        call MPI_Op_create(double, .true., op)
        call reset()
        b(1:5:2, 9:3:-2) = 5
        call MPI_Reduce_local(a(2:6:2, 1:8:2), b(1:5:2, 9:3:-2), 12, MPI_INTEGER, op)
        call expect(2 * marks(rank) + 5, 'reduce_local by a function')
        call MPI_Op_free(op)
        call reset()
        call MPI_Scan(a(2:6:2, 1:8:2), b(1:5:2, 9:3:-2), 12, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
        call expect(marks(rank), 'scan')
    end subroutine

    subroutine nonblocking()
        type(MPI_Request) :: request
        integer :: total(3, 4), i
        logical :: flag
        total = 0
        do i = 0, size - 1
            total = total + marks(i)
        end do
        call reset()
        call MPI_Iallreduce(a(2:6:2, 1:8:2), b(1:5:2, 9:3:-2), 12, MPI_INTEGER, MPI_SUM, &
                            MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_F_sync_reg(b)
        call expect(total, 'iallreduce')
        call check(request == MPI_REQUEST_NULL, 'its request is gone')
        call reset()
        if (rank == 2) b(1:5:2, 9:3:-2) = marks(50)
        call MPI_Ibcast(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, 2, MPI_COMM_WORLD, request)
        flag = .false.
        do while (.not. flag)
            call MPI_Test(request, flag, MPI_STATUS_IGNORE)
        end do
        call MPI_F_sync_reg(b)
        call expect(marks(50), 'ibcast')
    end subroutine

    subroutine persistent_collectives()
        type(MPI_Request) :: request
        integer :: i, j, total(3, 4)
        call MPI_Allreduce_init(a(2:6:2, 1:8:2), b(1:5:2, 9:3:-2), 12, MPI_INTEGER, MPI_SUM, &
                                MPI_COMM_WORLD, MPI_INFO_NULL, request)
        do i = 1, 3
            call reset()
            a(2:6:2, 1:8:2) = marks(rank) + i
            call MPI_Start(request)
            call MPI_Wait(request, MPI_STATUS_IGNORE)
            call MPI_F_sync_reg(b)
            a(2:6:2, 1:8:2) = marks(rank)
            total = size * i
            do j = 0, size - 1
                total = total + marks(j)
            end do
            call expect(total, 'allreduce_init')
        end do
        call MPI_Request_free(request)
        call check(request == MPI_REQUEST_NULL, 'freed')
    end subroutine

    subroutine one_sided()
        type(MPI_Win) :: win
        type(MPI_Request) :: request
        integer :: window(12), i
        window = 0
        call MPI_Win_create(window, 48_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
        call reset()
        call MPI_Win_fence(0, win)
        call MPI_Put(a(2:6:2, 1:8:2), 12, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 12, MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call check(.not. any(window /= [marks(before)]), 'put')
        call MPI_Get(b(1:5:2, 9:3:-2), 12, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 12, MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call expect(marks(rank), 'get')
        call MPI_Accumulate(a(2:6:2, 1:8:2), 12, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 12, &
                            MPI_INTEGER, MPI_SUM, win)
        call MPI_Win_fence(0, win)
        call check(.not. any(window /= 2 * [marks(before)]), 'accumulate')
        call MPI_Barrier(MPI_COMM_WORLD)
        call reset()
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win)
        call MPI_Rget_accumulate(a(2:6:2, 1:8:2), 12, MPI_INTEGER, b(1:5:2, 9:3:-2), 12, MPI_INTEGER, &
                                 next, 0_MPI_ADDRESS_KIND, 12, MPI_INTEGER, MPI_SUM, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Win_unlock(next, win)
        call expect(2 * marks(rank), 'rget_accumulate')
        call MPI_Win_free(win)
        call check(.not. any(window /= [(3 * (1000 * before + i), i = 1, 12)]), 'and at the target')
    end subroutine

    subroutine packing()
        character :: bytes(0:199)
        integer :: position
        call reset()
        position = 0
        call MPI_Pack(a(2:6:2, 1:8:2), 12, MPI_INTEGER, bytes(1::2), 100, position, MPI_COMM_WORLD)
        call check(position == 48, 'packed')
        position = 0
        call MPI_Unpack(bytes(1::2), 100, position, b(1:5:2, 9:3:-2), 12, MPI_INTEGER, MPI_COMM_WORLD)
        call expect(marks(rank), 'pack and unpack')
    end subroutine

    ! Components, complex numbers, strings, and what has no gaps.
    subroutine other_elements()
        type :: particle
            integer :: number
            double precision :: place(3)
        end type
        type(particle) :: particles(10)
        complex :: numbers(20)
        character(len=5) :: words(9)
        type(MPI_Request) :: request
        integer :: i, plain(5), dynamic
        integer, allocatable :: allocated(:)
        integer, pointer :: pointed(:)
        integer, target :: pointed_at(30)
        particles%number = [(1000 * rank + i, i = 1, 10)]
        particles%place(3) = particles%number
        ! The compiler copies components, so the call must be over when they are back.
        call MPI_Sendrecv(particles%place(3), 10, MPI_DOUBLE_PRECISION, next, 10, particles%place(2), &
                          10, MPI_DOUBLE_PRECISION, before, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call check(.not. any(particles%place(2) /= [(1000 * before + i, i = 1, 10)]), 'components')

        numbers = [(cmplx(i, rank), i = 1, 20)]
        call MPI_Irecv(numbers(1:20:4), 10, MPI_REAL, before, 11, MPI_COMM_WORLD, request)
        call MPI_Send(numbers(2:20:4), 10, MPI_REAL, next, 11, MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_F_sync_reg(numbers)
        call check(numbers(17) == cmplx(18, before) .and. numbers(3) == cmplx(3, rank), 'parts')
        call MPI_Sendrecv(numbers(2:20:4), 5, MPI_COMPLEX, next, 12, numbers(3:20:4), 5, MPI_COMPLEX, &
                          before, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call check(numbers(19) == cmplx(18, before) .and. numbers(4) == cmplx(4, rank), 'complex')

        words = 'empty'
        if (rank == 0) words(1:9:4) = ['hello', 'there', 'world']
        call MPI_Bcast(words(1:9:4), 15, MPI_CHARACTER, 0, MPI_COMM_WORLD)
        call check(words(5) == 'there' .and. words(4) == 'empty', 'strings')

        plain = rank
        call MPI_Bcast(plain, 5, MPI_INTEGER, 3, MPI_COMM_WORLD)
        call check(.not. any(plain /= 3), 'an array')
        dynamic = rank
        call MPI_Bcast(dynamic, 1, MPI_INTEGER, 2, MPI_COMM_WORLD)
        call check(dynamic == 2, 'a scalar')
        allocate(allocated(6), source=rank)
        call MPI_Bcast(allocated, 6, MPI_INTEGER, 1, MPI_COMM_WORLD)
        call check(.not. any(allocated /= 1), 'an allocated array')
        pointed_at = rank
        pointed => pointed_at(3:30:9)
        call MPI_Bcast(pointed, 4, MPI_INTEGER, 1, MPI_COMM_WORLD)
        call check(.not. any(pointed_at(3:30:9) /= 1) .and. pointed_at(4) == rank, 'a pointer')
        call assumed(plain, 5)
        call check(.not. any(plain /= 1), 'an array without its size')
    end subroutine

    subroutine assumed(array, n)
        integer, intent(in) :: n
        integer, intent(inout) :: array(*)
        array(1:n) = rank
        call MPI_Bcast(array, n, MPI_INTEGER, 1, MPI_COMM_WORLD)
    end subroutine
end program
