/* Ends as it is told: well, abort, exit, crash, deadlock, truncated, collectives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void deep(volatile int* nowhere, int depth) {
    if (depth > 0)
        deep(nowhere, depth - 1);
    else
        *nowhere = 1;
}

static void wait_in_a_circle(void) {
    int data = 0;
    MPI_Recv(&data, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_too_much(void) {
    int data[10] = {0};
    if (rank == 0) MPI_Send(data, 10, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void mix_collectives(void) {
    int data = 0, sum = 0;
    if (rank == 0)
        MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(&data, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "well";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "abort") == 0 && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "crash") == 0 && rank == size - 1) deep((volatile int*)16, 3);
    if (strcmp(how, "deadlock") == 0) wait_in_a_circle();
    if (strcmp(how, "truncated") == 0) send_too_much();
    if (strcmp(how, "collectives") == 0) mix_collectives();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return strcmp(how, "exit") == 0 && rank == size - 1 ? 3 : 0;
}
