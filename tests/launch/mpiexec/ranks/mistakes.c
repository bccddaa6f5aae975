/* Makes the mistake that it is told, or none: what `mpiexec --check`, the report of a deadlock and
 * that of a crash are tested with. "right" before a mistake does the same as it should be done. */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, right;
static const MPI_Comm world = MPI_COMM_WORLD;

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

static void message_types(void) {
    float f[4] = {0};
    int v[4] = {0};
    if (rank == 1) MPI_Send(f, 4, MPI_FLOAT, 0, 7, world);
    if (rank == 0 && right) MPI_Recv(f, 4, MPI_FLOAT, 1, 7, world, MPI_STATUS_IGNORE);
    if (rank == 0 && !right) MPI_Recv(v, 4, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE);
}

static void started_types(void) {
    double d[4] = {0};
    MPI_Request request;
    MPI_Datatype row;
    MPI_Type_contiguous(2, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    if (rank == 1) MPI_Send(d, 2, right ? row : MPI_LONG, 0, 7, world);
    if (rank == 0) {
        MPI_Irecv(d, 2, row, 1, 7, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&row);
}

static void changed(void) {
    static int big[100000];
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(big, 100000, MPI_INT, 1, 7, world, &request);
        if (!right) big[5] = 1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) MPI_Recv(big, 100000, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
}

static void overlapping(void) {
    int v[8];
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(v, 4, MPI_INT, 1, 7, world, &requests[0]);
        MPI_Irecv(v + (right ? 4 : 2), 4, MPI_INT, 1, 7, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        MPI_Send(v, 4, MPI_INT, 0, 7, world);
        MPI_Send(v, 4, MPI_INT, 0, 7, world);
    }
}

static void leaked(void) {
    int v = 0;
    MPI_Request request;
    if (rank == 0) MPI_Isend(&v, 1, MPI_INT, 1, 7, world, &request);
    if (rank == 1) MPI_Recv(&v, 1, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
    if (rank == 0 && right) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void window(void) {
    int memory = 0;
    const int v = 5;
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, world, &win);
    if (right) MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (right) MPI_Win_fence(0, win);
    MPI_Win_free(&win);
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

static const struct {
    const char* name;
    void (*make)(void);
} mistakes[] = {
    {"functions", functions},
    {"roots", roots},
    {"operations", operations},
    {"reduced-types", reduced_types},
    {"lengths", lengths},
    {"gathered", gathered},
    {"started", started},
    {"message-types", message_types},
    {"started-types", started_types},
    {"changed", changed},
    {"overlapping", overlapping},
    {"leaked", leaked},
    {"window", window},
    {"ring", ring},
    {"barrier", barrier},
    {"requests", requests},
    {"sleeping", sleeping},
    {"threads", threads},
    {"segfault", segfault},
    {"aborted", aborted},
};

int main(int argc, char** argv) {
    int provided = 0;
    right = argc > 2 && strcmp(argv[1], "right") == 0;
    const char* const name = argv[right ? 2 : 1];
    if (strcmp(name, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i)
        if (strcmp(mistakes[i].name, name) == 0) mistakes[i].make();
    MPI_Finalize();
    if (rank == 0) puts("done");
    return 0;
}
