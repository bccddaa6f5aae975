/* Ends as its argument says; with a second one, while the others wait. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void leaving(void) {
    printf("leaving\n");
}

static void write_to(volatile int* memory) {
    *memory = 1;
}

int main(int argc, char** argv) {
    int rank, size, got = -1;
    const char* how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2 && rank != 1) MPI_Recv(&got, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        if (argc > 2) sleep(1);
        if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 42);
        if (strcmp(how, "crash") == 0) write_to((int*)8);
        if (strcmp(how, "assert") == 0) assert(rank == 0);
        if (strcmp(how, "exec") == 0) execlp("true", "true", (char*)NULL);
        if (strcmp(how, "error") == 0) MPI_Send(&got, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
        if (strcmp(how, "code") == 0) {
            atexit(leaving);
            MPI_Finalize();
            exit(5);
        }
    }
    if (strcmp(how, "deadlock") == 0)
        MPI_Recv(&got, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(how, "spin") == 0) {
        /* On the clocks of MPI and of the C library, and on MPI_Test. */
        int done = 0;
        MPI_Request request;
        struct timespec begin, now;
        const double start = MPI_Wtime();
        while (MPI_Wtime() - start < 1e-3) {
        }
        clock_gettime(CLOCK_MONOTONIC, &begin);
        do
            clock_gettime(CLOCK_MONOTONIC, &now);
        while (now.tv_sec == begin.tv_sec && now.tv_nsec - begin.tv_nsec < 1000000);
        MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
        MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        printf("rank %d has %d\n", rank, got);
    }
    MPI_Finalize();
    return 0;
}
