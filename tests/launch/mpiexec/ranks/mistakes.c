/* Makes the mistake that it is told, or none: what `mpiexec --check`, the report of a deadlock and
 * that of a crash are tested with. "right" before a mistake does the same as it should be done. */

#include "mistakes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rank, size, right;

static void functions(void) {
    int v = rank;
    if (rank == 1 && !right)
        MPI_Reduce(&rank, &v, 1, MPI_INT, MPI_SUM, 0, world);
    else
        MPI_Bcast(&v, 1, MPI_INT, 0, world);
}

static void roots(void) {
    int v = rank;
    MPI_Bcast(&v, 1, MPI_INT, rank == 1 && !right ? 1 : 0, world);
}

static void operations(void) {
    int v = rank, sum = 0;
    MPI_Allreduce(&v, &sum, 1, MPI_INT, rank == 1 && !right ? MPI_MAX : MPI_SUM, world);
}

static void reduced_types(void) {
    int v[2] = {rank, 0}, sum[2] = {0, 0};
    MPI_Allreduce(v, sum, 1, rank == 1 && !right ? MPI_FLOAT : MPI_INT, MPI_SUM, world);
}

static void lengths(void) {
    int v[8] = {0};
    MPI_Bcast(v, rank == 1 && !right ? 4 : 8, MPI_INT, 0, world);
}

static void gathered(void) {
    int v[8] = {0}, all[64] = {0};
    MPI_Gather(v, rank == 1 && !right ? 1 : 2, MPI_INT, all, 2, MPI_INT, 0, world);
}

static void started(void) {
    MPI_Request request;
    int v = 0;
    if (rank == 1 && !right)
        MPI_Ibcast(&v, 0, MPI_INT, 0, world, &request); /* no length could tell */
    else
        MPI_Ibarrier(world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}

/* All wait for the next. */
static void ring(void) {
    int v = rank, from = 0;
    if (right)
        MPI_Sendrecv(&v, 1, MPI_INT, (rank + size - 1) % size, 7, &from, 1, MPI_INT,
                     (rank + 1) % size, 7, world, MPI_STATUS_IGNORE);
    else
        MPI_Recv(&from, 1, MPI_INT, (rank + 1) % size, 7, world, MPI_STATUS_IGNORE);
}

/* The first waits for a message, the others for the first. */
static void barrier(void) {
    int v = 0;
    if (rank == 0) MPI_Recv(&v, 1, MPI_INT, 1, 3, world, MPI_STATUS_IGNORE);
    if (rank == 1 && right) MPI_Send(&v, 1, MPI_INT, 0, 3, world);
    MPI_Barrier(world);
}

static void requests(void) {
    int out = rank, in = 0;
    MPI_Request both[2];
    MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % size, 7, world, &both[0]);
    MPI_Isend(&out, 1, MPI_INT, (rank + size - 1) % size, right ? 7 : 8, world, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

/* One sleeps for longer than any timeout of the tests: no deadlock. */
static void sleeping(void) {
    if (rank == 0) usleep(right ? 0 : 1500000);
    MPI_Barrier(world);
}

static void* listen(void* unused) {
    int v = 0;
    (void)unused;
    MPI_Recv(&v, 1, MPI_INT, rank, 99, world, MPI_STATUS_IGNORE);
    return NULL;
}

/* A thread waits all the time, another sleeps and then sends: no deadlock either. */
static void threads(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, listen, NULL);
    usleep(1500000);
    MPI_Send(&rank, 1, MPI_INT, rank, 99, world);
    pthread_join(thread, NULL);
}

static int __attribute__((noinline)) read_from(const volatile int* place) {
    return *place + 1;
}

static void segfault(void) {
    if (rank == 1 && !right) printf("%d\n", read_from((const int*)16));
    MPI_Barrier(world);
}

static void aborted(void) {
    if (rank == 1 && !right) abort();
    MPI_Barrier(world);
}

static const struct mistake mistakes[] = {
    {"functions", functions},
    {"roots", roots},
    {"operations", operations},
    {"reduced-types", reduced_types},
    {"lengths", lengths},
    {"gathered", gathered},
    {"started", started},
    {"ring", ring},
    {"barrier", barrier},
    {"requests", requests},
    {"sleeping", sleeping},
    {"threads", threads},
    {"segfault", segfault},
    {"aborted", aborted},
    {NULL, NULL},
};

static void make(const struct mistake* all, const char* name) {
    for (; all->name != NULL; ++all)
        if (strcmp(all->name, name) == 0) all->make();
}

int main(int argc, char** argv) {
    int provided = 0;
    right = argc > 2 && strcmp(argv[1], "right") == 0;
    const char* const name = argv[right ? 2 : 1];
    if (strncmp(name, "threads", strlen("threads")) == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    make(mistakes, name);
    make(of_groups, name);
    make(of_types, name);
    make(of_requests, name);
    make(of_windows, name);
    MPI_Finalize();
    if (rank == 0) puts("done");
    return 0;
}
