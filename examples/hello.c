/* Each rank says who it is; the first one also how long a message takes around all of them. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank = 0, size = 0, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d of %d\n", rank, size);

    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int round = 0; round < 2; ++round) { /* the first one also connects */
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (rank == 0) MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0) MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        if (rank == 0 && round == 1) printf("around in %.3f us\n", 1e6 * (MPI_Wtime() - begin));
    }
    MPI_Finalize();
    return 0;
}
