! How the programs of mpi_f08 with sections begin: ranks in a ring, each with two neighbours.
module ring
    use mpi_f08
    use checks
    implicit none
    integer :: rank, size, next, before
contains
    subroutine begin()
        call MPI_Init()
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        call MPI_Comm_size(MPI_COMM_WORLD, size)
        next = mod(rank + 1, size)
        before = mod(rank + size - 1, size)
    end subroutine
end module
