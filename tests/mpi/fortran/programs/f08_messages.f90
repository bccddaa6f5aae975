! Messages of all modes, windows and packing.
program messages
    use lines
    implicit none
    integer :: i

    call begin()
    call sends()
    call persistent_sends()
    call exchanges()
    call partitioned()
    call windows()
    call others()
    call MPI_Finalize()
    call finish('f08_messages', rank, size)
contains
    subroutine sends()
        type(MPI_Request) :: request, sent
        type(MPI_Message) :: message
        integer :: memory(1000), kind
        call MPI_Buffer_attach(memory, 4000)
        do kind = 1, 10
            call reset(n)
            call MPI_Irecv(in(3:end:step), n, MPI_INTEGER, before, kind, MPI_COMM_WORLD, request)
            call MPI_Barrier(MPI_COMM_WORLD)
            sent = MPI_REQUEST_NULL
            select case (kind)
            case (1)
                call MPI_Rsend(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD)
            case (2)
                call MPI_Bsend(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD)
            case (3)
                call MPI_Ibsend(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            case (4)
                call MPI_Issend(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            case (5)
                call MPI_Irsend(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            case (6)
                call MPI_Rsend(out(1:last:step), 6_wide, MPI_INTEGER, next, kind, MPI_COMM_WORLD)
            case (7)
                call MPI_Bsend(out(1:last:step), 6_wide, MPI_INTEGER, next, kind, MPI_COMM_WORLD)
            case (8)
                call MPI_Ibsend(out(1:last:step), 6_wide, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            case (9)
                call MPI_Issend(out(1:last:step), 6_wide, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            case (10)
                call MPI_Isend(out(1:last:step), 6_wide, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            end select
            call MPI_Wait(sent, MPI_STATUS_IGNORE)
            call done(request)
            call expect_neighbour('a send')
        end do
        call reset(n)
        call MPI_Isend(out(1:last:step), n, MPI_INTEGER, next, 30, MPI_COMM_WORLD, sent)
        call MPI_Mprobe(before, 30, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
        call MPI_Imrecv(in(3:end:step), n, MPI_INTEGER, message, request)
        call done(request)
        call MPI_Wait(sent, MPI_STATUS_IGNORE)
        call expect_neighbour('imrecv')
    end subroutine

    subroutine persistent_sends()
        type(MPI_Request) :: request, sent
        integer :: kind
        do kind = 1, 3
            call reset(n)
            call MPI_Recv_init(in(3:end:step), 6_wide, MPI_INTEGER, before, kind, MPI_COMM_WORLD, request)
            select case (kind)
            case (1)
                call MPI_Ssend_init(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            case (2)
                call MPI_Rsend_init(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            case (3)
                call MPI_Bsend_init(out(1:last:step), n, MPI_INTEGER, next, kind, MPI_COMM_WORLD, sent)
            end select
            call MPI_Start(request)
            call MPI_Barrier(MPI_COMM_WORLD)
            call MPI_Start(sent)
            call MPI_Wait(sent, MPI_STATUS_IGNORE)
            call done(request)
            call expect_neighbour('a persistent send')
            call MPI_Request_free(sent)
            call MPI_Request_free(request)
        end do
    end subroutine

    subroutine exchanges()
        type(MPI_Request) :: request
        call reset(n)
        call MPI_Isendrecv(out(1:last:step), n, MPI_INTEGER, next, 1, in(3:end:step), n, MPI_INTEGER, &
                           before, 1, MPI_COMM_WORLD, request)
        call done(request)
        call expect_neighbour('isendrecv')
        call reset(n)
        in(3:end:step) = [(mark(rank, i), i = 1, n)]
        call MPI_Isendrecv_replace(in(3:end:step), n, MPI_INTEGER, next, 1, before, 1, MPI_COMM_WORLD, request)
        call done(request)
        call expect_neighbour('isendrecv_replace')
    end subroutine

    subroutine partitioned()
        type(MPI_Request) :: requests(2)
        integer :: line(40), other(40), i
        line = [(1000 * rank + i, i = 1, 40)]
        other = gap
        call MPI_Psend_init(line(2:40:5), 4, 2_MPI_COUNT_KIND, MPI_INTEGER, next, 20, MPI_COMM_WORLD, &
                            MPI_INFO_NULL, requests(1))
        call MPI_Precv_init(other(1:40:5), 4, 2_MPI_COUNT_KIND, MPI_INTEGER, before, 20, MPI_COMM_WORLD, &
                            MPI_INFO_NULL, requests(2))
        call MPI_Startall(2, requests)
        do i = 3, 0, -1
            call MPI_Pready(i, requests(1))
        end do
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call MPI_F_sync_reg(other)
        call check(.not. any(other(1:40:5) /= [(1000 * before + i, i = 2, 40, 5)]), 'partitions')
        call check(count(other == gap) == 32, 'gaps of partitions')
        call MPI_Request_free(requests(1))
        call MPI_Request_free(requests(2))
    end subroutine

    subroutine windows()
        type(MPI_Win) :: win
        type(MPI_Request) :: request
        integer :: memory(n), kind
        call MPI_Win_create(memory, int(4 * n, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
        do kind = 1, 3
            call reset(n)
            memory = 1
            call MPI_Barrier(MPI_COMM_WORLD)
            call MPI_Win_lock_all(0, win)
            select case (kind)
            case (1)
                call MPI_Rput(out(1:last:step), n, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, win, request)
            case (2)
                call MPI_Raccumulate(out(1:last:step), n, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, &
                                     MPI_REPLACE, win, request)
            case (3)
                call MPI_Get_accumulate(out(1:last:step), n, MPI_INTEGER, in(3:end:step), n, MPI_INTEGER, next, &
                                        0_MPI_ADDRESS_KIND, n, MPI_INTEGER, MPI_REPLACE, win)
                request = MPI_REQUEST_NULL
            end select
            call MPI_Wait(request, MPI_STATUS_IGNORE)
            call MPI_Win_flush_all(win)
            call MPI_F_sync_reg(in)
            if (kind == 3) call expect([(1, i = 1, n)], 'what was there')
            call MPI_Barrier(MPI_COMM_WORLD)
            call MPI_Win_sync(win)
            call MPI_F_sync_reg(memory)
            call check(all(memory == [(mark(before, i), i = 1, n)]), 'what is there now')
            call MPI_Barrier(MPI_COMM_WORLD)
            in = gap
            call MPI_Rget(in(3:end:step), n, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, win, request)
            call done(request)
            call expect_neighbour('rget')
            call MPI_Win_unlock_all(win)
        end do
        call MPI_Win_free(win)
    end subroutine

    subroutine others()
        integer(MPI_ADDRESS_KIND) :: position
        integer(wide) :: large
        character :: bytes(4 * n)
        call reset(n)
        position = 0
        call MPI_Pack_external('external32', out(1:last:step), n, MPI_INTEGER, bytes, &
                               int(4 * n, MPI_ADDRESS_KIND), position)
        position = 0
        call MPI_Unpack_external('external32', bytes, int(4 * n, MPI_ADDRESS_KIND), position, in(3:end:step), n, &
                                 MPI_INTEGER)
        call expect([(mark(rank, i), i = 1, n)], 'external32')
        call reset(n)
        large = 0
        call MPI_Pack(out(1:last:step), 6_wide, MPI_INTEGER, bytes, 24_wide, large, MPI_COMM_WORLD)
        large = 0
        call MPI_Unpack(bytes, 24_wide, large, in(3:end:step), 6_wide, MPI_INTEGER, MPI_COMM_WORLD)
        call expect([(mark(rank, i), i = 1, n)], 'packing of large counts')
    end subroutine
end program
