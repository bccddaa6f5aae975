/* Rank 0 reads, and all hear of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, value = -1, sum = 0;
    char* line = NULL;
    size_t room = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (getline(&line, &room, stdin) > 0)
        sum += value = atoi(line);
    free(line);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: read %d, sum %d\n", rank, value, sum);
    MPI_Finalize();
    return 0;
}
