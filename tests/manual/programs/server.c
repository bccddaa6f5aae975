/* Rank 0 of a job of two programs: greets each client. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int size = 0, who = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < size; ++i)
        MPI_Recv(&who, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d clients\n", size - 1);
    MPI_Finalize();
    return 0;
}
