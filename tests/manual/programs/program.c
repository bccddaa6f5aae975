/* The reader's own program, whatever it is. Arguments are welcome. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank = 0, size = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 3; ++i) {
        const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
        MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &sum, 1, MPI_INT, previous, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("sum of %d ranks: %d\n", size, sum);
    MPI_Finalize();
    return 0;
}
