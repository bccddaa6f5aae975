! Collectives: blocking, non-blocking and persistent.
program collectives
    use lines
    implicit none
    integer :: i

    call begin()
    call blocks()
    call blocks_of_all()
    call reductions()
    call neighbours()
    call MPI_Finalize()
    call finish('f08_collectives', rank, size)
contains
    ! A rooted collective: all to rank 1, or from it.
    subroutine blocks()
        type(MPI_Request) :: request
        integer :: counts(size), places(size), kind, j, whole
        counts = n
        places = [(n * (j - 1), j = 1, size)]
        whole = 3 + step * (n * size - 1)
        do kind = 1, 6
            call reset(n)
            request = MPI_REQUEST_NULL
            select case (kind)
            case (1)
                call MPI_Gather(out(1:last:step), n, MPI_INTEGER, in(3:whole:step), n, MPI_INTEGER, 1, MPI_COMM_WORLD)
            case (2)
                call MPI_Igather(out(1:last:step), n, MPI_INTEGER, in(3:whole:step), n, MPI_INTEGER, 1, &
                                 MPI_COMM_WORLD, request)
            case (3)
                call MPI_Gather_init(out(1:last:step), n, MPI_INTEGER, in(3:whole:step), n, MPI_INTEGER, 1, &
                                     MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (4)
                call MPI_Igatherv(out(1:last:step), n, MPI_INTEGER, in(3:whole:step), counts, places, &
                                  MPI_INTEGER, 1, MPI_COMM_WORLD, request)
            case (5)
                call MPI_Gatherv_init(out(1:last:step), n, MPI_INTEGER, in(3:whole:step), counts, places, &
                                      MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (6)
                call MPI_Gather(out(1:last:step), 6_wide, MPI_INTEGER, in(3:whole:step), 6_wide, MPI_INTEGER, 1, &
                                MPI_COMM_WORLD)
            end select
            if (kind == 3 .or. kind == 5) call MPI_Start(request)
            call done(request)
            if (kind == 3 .or. kind == 5) call MPI_Request_free(request)
            if (rank == 1) then
                call expect([((mark(j, i), i = 1, n), j = 0, size - 1)], 'gather')
            else
                call check(all(in == gap), 'gather elsewhere')
            end if
        end do
        do kind = 1, 6
            call reset(n * size)
            request = MPI_REQUEST_NULL
            whole = step * n * size
            select case (kind)
            case (1)
                call MPI_Scatterv(out(1:whole:step), counts, places, MPI_INTEGER, in(3:end:step), n, MPI_INTEGER, &
                                  1, MPI_COMM_WORLD)
            case (2)
                call MPI_Iscatter(out(1:whole:step), n, MPI_INTEGER, in(3:end:step), n, MPI_INTEGER, 1, &
                                  MPI_COMM_WORLD, request)
            case (3)
                call MPI_Scatter_init(out(1:whole:step), n, MPI_INTEGER, in(3:end:step), n, MPI_INTEGER, 1, &
                                      MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (4)
                call MPI_Iscatterv(out(1:whole:step), counts, places, MPI_INTEGER, in(3:end:step), n, &
                                   MPI_INTEGER, 1, MPI_COMM_WORLD, request)
            case (5)
                call MPI_Scatterv_init(out(1:whole:step), counts, places, MPI_INTEGER, in(3:end:step), n, &
                                       MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (6)
                if (rank == 1) in(3:end:step) = [(mark(1, n * rank + i), i = 1, n)]
                call MPI_Bcast_init(in(3:end:step), n, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, request)
            end select
            if (kind == 3 .or. kind >= 5) call MPI_Start(request)
            call done(request)
            if (kind == 3 .or. kind >= 5) call MPI_Request_free(request)
            j = rank
            if (kind == 6) j = 1
            call expect([(mark(1, n * j + i), i = 1, n)], 'scatter')
        end do
    end subroutine

    subroutine blocks_of_all()
        type(MPI_Request) :: request
        type(MPI_Datatype) :: types(size)
        integer :: counts(size), places(size), bytes(size), kind, j, whole, there
        integer(wide) :: large(size)
        integer(MPI_ADDRESS_KIND) :: far(size)
        counts = n
        large = n
        places = [(n * (j - 1), j = 1, size)]
        far = places
        bytes = 4 * places
        types = MPI_INTEGER
        whole = step * n * size
        there = 3 + step * (n * size - 1)
        do kind = 1, 6
            call reset(n)
            request = MPI_REQUEST_NULL
            select case (kind)
            case (1)
                call MPI_Allgatherv(out(1:last:step), n, MPI_INTEGER, in(3:there:step), counts, places, &
                                    MPI_INTEGER, MPI_COMM_WORLD)
            case (2)
                call MPI_Iallgather(out(1:last:step), n, MPI_INTEGER, in(3:there:step), n, MPI_INTEGER, &
                                    MPI_COMM_WORLD, request)
            case (3)
                call MPI_Allgather_init(out(1:last:step), n, MPI_INTEGER, in(3:there:step), n, MPI_INTEGER, &
                                        MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (4)
                call MPI_Iallgatherv(out(1:last:step), n, MPI_INTEGER, in(3:there:step), counts, places, &
                                     MPI_INTEGER, MPI_COMM_WORLD, request)
            case (5)
                call MPI_Allgatherv_init(out(1:last:step), n, MPI_INTEGER, in(3:there:step), counts, places, &
                                         MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (6)
                call MPI_Allgatherv(out(1:last:step), 6_wide, MPI_INTEGER, in(3:there:step), large, far, &
                                    MPI_INTEGER, MPI_COMM_WORLD)
            end select
            if (kind == 3 .or. kind == 5) call MPI_Start(request)
            call done(request)
            if (kind == 3 .or. kind == 5) call MPI_Request_free(request)
            call expect([((mark(j, i), i = 1, n), j = 0, size - 1)], 'allgather')
        end do
        do kind = 1, 8
            call reset(n * size)
            request = MPI_REQUEST_NULL
            select case (kind)
            case (1)
                call MPI_Alltoallv(out(1:whole:step), counts, places, MPI_INTEGER, in(3:there:step), counts, &
                                   places, MPI_INTEGER, MPI_COMM_WORLD)
            case (2)
                call MPI_Alltoallw(out(1:whole:step), counts, bytes, types, in(3:there:step), counts, bytes, &
                                   types, MPI_COMM_WORLD)
            case (3)
                call MPI_Ialltoall(out(1:whole:step), n, MPI_INTEGER, in(3:there:step), n, MPI_INTEGER, &
                                   MPI_COMM_WORLD, request)
            case (4)
                call MPI_Ialltoallv(out(1:whole:step), counts, places, MPI_INTEGER, in(3:there:step), counts, &
                                    places, MPI_INTEGER, MPI_COMM_WORLD, request)
            case (5)
                call MPI_Ialltoallw(out(1:whole:step), counts, bytes, types, in(3:there:step), counts, bytes, &
                                    types, MPI_COMM_WORLD, request)
            case (6)
                call MPI_Alltoall_init(out(1:whole:step), n, MPI_INTEGER, in(3:there:step), n, MPI_INTEGER, &
                                       MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (7)
                call MPI_Alltoallv_init(out(1:whole:step), counts, places, MPI_INTEGER, in(3:there:step), &
                                        counts, places, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (8)
                call MPI_Alltoallw_init(out(1:whole:step), counts, bytes, types, in(3:there:step), counts, &
                                        bytes, types, MPI_COMM_WORLD, MPI_INFO_NULL, request)
            end select
            if (kind >= 6) call MPI_Start(request)
            call done(request)
            if (kind >= 6) call MPI_Request_free(request)
            call expect([((mark(j, n * rank + i), i = 1, n), j = 0, size - 1)], 'alltoall')
        end do
    end subroutine

    subroutine reductions()
        type(MPI_Request) :: request
        integer :: kind, counts(size), j, whole, root
        counts = n
        whole = step * n * size
        root = 0
        do kind = 1, 3
            call reset(n)
            request = MPI_REQUEST_NULL
            if (kind == 1) call MPI_Reduce(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, root, MPI_COMM_WORLD)
            if (kind == 2) call MPI_Ireduce(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, root, &
                                            MPI_COMM_WORLD, request)
            if (kind == 3) call MPI_Reduce_init(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, root, &
                                                MPI_COMM_WORLD, MPI_INFO_NULL, request)
            if (kind == 3) call MPI_Start(request)
            call done(request)
            if (kind == 3) call MPI_Request_free(request)
            if (rank == root) call expect([(mark(size - 1, i), i = 1, n)], 'reduce')
        end do
        do kind = 1, 6
            call reset(n * size)
            request = MPI_REQUEST_NULL
            select case (kind)
            case (1)
                call MPI_Reduce_scatter(out(1:whole:step), in(3:end:step), counts, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
            case (2)
                call MPI_Reduce_scatter_block(out(1:whole:step), in(3:end:step), n, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
            case (3)
                call MPI_Ireduce_scatter(out(1:whole:step), in(3:end:step), counts, MPI_INTEGER, MPI_MIN, &
                                         MPI_COMM_WORLD, request)
            case (4)
                call MPI_Ireduce_scatter_block(out(1:whole:step), in(3:end:step), n, MPI_INTEGER, MPI_MIN, &
                                               MPI_COMM_WORLD, request)
            case (5)
                call MPI_Reduce_scatter_init(out(1:whole:step), in(3:end:step), counts, MPI_INTEGER, MPI_MIN, &
                                             MPI_COMM_WORLD, MPI_INFO_NULL, request)
            case (6)
                call MPI_Reduce_scatter_block_init(out(1:whole:step), in(3:end:step), n, MPI_INTEGER, MPI_MIN, &
                                                   MPI_COMM_WORLD, MPI_INFO_NULL, request)
            end select
            if (kind >= 5) call MPI_Start(request)
            call done(request)
            if (kind >= 5) call MPI_Request_free(request)
            call expect([(mark(0, n * rank + i), i = 1, n)], 'reduce_scatter')
        end do
        do kind = 1, 5
            call reset(n)
            request = MPI_REQUEST_NULL
            j = 0
            select case (kind)
            case (1)
                call MPI_Exscan(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
                j = 1
            case (2)
                call MPI_Iexscan(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
                j = 1
            case (3)
                call MPI_Iscan(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
            case (4)
                call MPI_Scan_init(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, &
                                   MPI_INFO_NULL, request)
            case (5)
                call MPI_Exscan_init(out(1:last:step), in(3:end:step), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, &
                                     MPI_INFO_NULL, request)
                j = 1
            end select
            if (kind >= 4) call MPI_Start(request)
            call done(request)
            if (kind >= 4) call MPI_Request_free(request)
            if (rank >= j) call expect([(mark(rank - j, i), i = 1, n)], 'scan')
        end do
    end subroutine

    ! On a ring, where a rank has two neighbours.
    subroutine neighbours()
        type(MPI_Comm) :: ring
        type(MPI_Request) :: request
        integer :: kind, counts(2), places(2), expected(2 * n), there, whole
        integer(MPI_ADDRESS_KIND) :: bytes(2)
        type(MPI_Datatype) :: types(2)
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., ring)
        counts = n
        places = [0, n]
        bytes = 4 * places
        types = MPI_INTEGER
        whole = step * 2 * n
        there = 3 + step * (2 * n - 1)
        do kind = 1, 9
            call reset(2 * n)
            request = MPI_REQUEST_NULL
            expected = [(mark(before, i), i = 1, n), (mark(next, i), i = 1, n)]
            select case (kind)
            case (1)
                call MPI_Neighbor_allgather(out(1:last:step), n, MPI_INTEGER, in(3:there:step), n, MPI_INTEGER, ring)
            case (2)
                call MPI_Ineighbor_allgather(out(1:last:step), n, MPI_INTEGER, in(3:there:step), n, MPI_INTEGER, &
                                             ring, request)
            case (3)
                call MPI_Neighbor_allgatherv(out(1:last:step), n, MPI_INTEGER, in(3:there:step), counts, places, &
                                             MPI_INTEGER, ring)
            case (4)
                call MPI_Neighbor_allgather_init(out(1:last:step), n, MPI_INTEGER, in(3:there:step), n, &
                                                 MPI_INTEGER, ring, MPI_INFO_NULL, request)
            case default
                ! What the rank before has for its second neighbour, and the next for its first.
                expected = [(mark(before, n + i), i = 1, n), (mark(next, i), i = 1, n)]
            end select
            if (kind == 5) call MPI_Neighbor_alltoall(out(1:whole:step), n, MPI_INTEGER, in(3:there:step), n, &
                                                      MPI_INTEGER, ring)
            if (kind == 6) call MPI_Neighbor_alltoallv(out(1:whole:step), counts, places, MPI_INTEGER, &
                                                       in(3:there:step), counts, places, MPI_INTEGER, ring)
            if (kind == 7) call MPI_Neighbor_alltoallw(out(1:whole:step), counts, bytes, types, &
                                                       in(3:there:step), counts, bytes, types, ring)
            if (kind == 8) call MPI_Ineighbor_alltoallw(out(1:whole:step), counts, bytes, types, &
                                                        in(3:there:step), counts, bytes, types, ring, request)
            if (kind == 9) call MPI_Neighbor_alltoallw_init(out(1:whole:step), counts, bytes, types, &
                in(3:there:step), counts, bytes, types, ring, MPI_INFO_NULL, request)
            if (kind == 4 .or. kind == 9) call MPI_Start(request)
            call done(request)
            if (kind == 4 .or. kind == 9) call MPI_Request_free(request)
            call expect(expected, 'neighbours')
        end do
        call MPI_Comm_free(ring)
    end subroutine
end program
