/* Mistakes on an inter-communicator: even ranks of the job are one group, odd ones the other. */

#include "mistakes.h"

enum { none = MPI_PROC_NULL };

static MPI_Comm both;
static int local, remote_size, is_first; /* of the first group: the even ranks */

static void divide(void) {
    MPI_Comm half;
    MPI_Comm_split(world, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, world, 1 - rank % 2, 5, &both);
    MPI_Comm_free(&half);
    MPI_Comm_rank(both, &local);
    MPI_Comm_remote_size(both, &remote_size);
    is_first = rank % 2 == 0;
    MPI_Comm_set_name(both, "both");
}

/* Rank 0 of the first group is the root. */
static int usual_root(void) {
    return !is_first ? 0 : local == 0 ? MPI_ROOT : none;
}

static void functions(void) {
    int v = rank, all[8];
    divide();
    if (rank == 3 && !right)
        MPI_Allgather(&v, 1, MPI_INT, all, 1, MPI_INT, both);
    else
        MPI_Barrier(both);
    MPI_Comm_free(&both);
}

/* A call with this root, on the ranks that it is wrong on. */
static void bcast_with(int wrong_rank, int wrong_root) {
    int v = rank;
    divide();
    MPI_Bcast(&v, 1, MPI_INT, rank == wrong_rank && !right ? wrong_root : usual_root(), both);
    MPI_Comm_free(&both);
}
static void two_roots(void) {
    bcast_with(2, MPI_ROOT);
}
static void no_root(void) {
    bcast_with(0, none);
}
static void other_root(void) {
    bcast_with(3, 1);
}
static void root_in_own_group(void) {
    bcast_with(1, none);
}
static void root_in_other_group(void) {
    bcast_with(2, 0);
}
/* Both groups say that the root is in the other one. */
static void root_elsewhere(void) {
    int v = rank;
    divide();
    MPI_Bcast(&v, 1, MPI_INT, is_first && !right ? 0 : usual_root(), both);
    MPI_Comm_free(&both);
}

static void lengths(void) {
    int v[2] = {0};
    divide();
    MPI_Bcast(v, rank == 3 && !right ? 2 : 1, MPI_INT, usual_root(), both);
    MPI_Comm_free(&both);
}

static void gathered(void) {
    float f[8];
    int v[8];
    divide();
    if (rank == 3 && !right)
        MPI_Gather(f, 1, MPI_FLOAT, v, 1, MPI_INT, 0, both);
    else
        MPI_Gather(&rank, 1, MPI_INT, v, 1, MPI_INT, usual_root(), both);
    MPI_Comm_free(&both);
}

/* What one group gives the other does not take. */
static void swapped(void) {
    int out[16] = {0}, in[16];
    divide();
    const int mine = right ? 2 : is_first ? 1 : 2;
    const int theirs = right ? 2 : is_first ? 1 : 2;
    MPI_Alltoall(out, mine, MPI_INT, in, theirs, MPI_INT, both);
    MPI_Comm_free(&both);
}

static void operations(void) {
    int v = rank, sum = 0;
    divide();
    MPI_Allreduce(&v, &sum, 1, MPI_INT, rank == 2 && !right ? MPI_MAX : MPI_SUM, both);
    MPI_Comm_free(&both);
}

static void operations_of_groups(void) {
    int v = rank, sum = 0;
    divide();
    MPI_Allreduce(&v, &sum, 1, MPI_INT, is_first && !right ? MPI_MAX : MPI_SUM, both);
    MPI_Comm_free(&both);
}

static void reduced(void) {
    int v[8] = {0}, sum[8];
    divide();
    MPI_Reduce(v, sum, is_first && !right ? 2 : 1, MPI_INT, MPI_SUM, usual_root(), both);
    MPI_Comm_free(&both);
}

/* Groups of different sizes share the same number of elements out. */
static void scattered(void) {
    int v[64] = {0}, part[64], members = 0;
    divide();
    MPI_Comm_size(both, &members);
    const int each = 12 / members;
    MPI_Reduce_scatter_block(v, part, rank == 0 && !right ? each + 1 : each, MPI_INT, MPI_SUM,
                             both);
    MPI_Comm_free(&both);
}

/* What does not block is told with the next that does. */
static void started(void) {
    MPI_Request request;
    int v = 0;
    divide();
    if (rank == 3 && !right)
        MPI_Ibcast(&v, 0, MPI_INT, 0, both, &request);
    else
        MPI_Ibarrier(both, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(both);
    MPI_Comm_free(&both);
}

const struct mistake of_groups[] = {
    {"groups-functions", functions},
    {"groups-two-roots", two_roots},
    {"groups-no-root", no_root},
    {"groups-other-root", other_root},
    {"groups-root-in-own", root_in_own_group},
    {"groups-root-in-other", root_in_other_group},
    {"groups-root-elsewhere", root_elsewhere},
    {"groups-lengths", lengths},
    {"groups-gathered", gathered},
    {"groups-swapped", swapped},
    {"groups-operations", operations},
    {"groups-operations-between", operations_of_groups},
    {"groups-reduced", reduced},
    {"groups-scattered", scattered},
    {"groups-started", started},
    {NULL, NULL},
};
