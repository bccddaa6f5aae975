! Data, commons and constants of a rank's own; in place, any source, formatted output.
program fortran
    use mpi
    implicit none
    integer :: code, rank, size, got, status(MPI_STATUS_SIZE)
    integer, save :: table(1000) = 3
    double precision :: mine(100), all(100)
    integer :: shared
    common /block/ shared
    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    call MPI_Comm_size(MPI_COMM_WORLD, size, code)
    table(5) = table(5) + rank
    shared = rank
    mine = rank
    call MPI_Allreduce(mine, all, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
    all(2) = rank
    call reduce_in_place(all)
    call MPI_Send(rank, 1, MPI_INTEGER, mod(rank + 1, size), 1, MPI_COMM_WORLD, code)
    call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, code)
    write (*, '(a,i0,a,i0,a,f0.1,a,f0.1,a,i0,a,i0,a,i0)') 'rank ', rank, ': table ', table(5), ', sum ', &
        all(1), ', largest ', all(2), ', got ', got, ' from ', status(MPI_SOURCE), ', common ', shared
    call MPI_Finalize(code)
contains
    subroutine reduce_in_place(values)
        double precision, intent(inout) :: values(100)
        integer :: failed
        call MPI_Allreduce(MPI_IN_PLACE, values(2), 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, failed)
    end subroutine
end program
