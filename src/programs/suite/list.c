#include <stddef.h>

#include "measure.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define SIZES(array) array, COUNT(array)

static const long long all[] = {0,     1,     2,      4,      8,      16,     32,   64,
                                128,   256,   512,    1024,   2048,   4096,   8192, 16384,
                                32768, 65536, 131072, 262144, 524288, 1048576};
static const long long some[] = {1, 64, 1024, 4096, 8192, 16384, 65536, 262144, 1048576};
static const long long queued[] = {1, 64, 1024, 8192, 65536, 1048576};
static const long long collective[] = {8, 64, 512, 1024, 4096, 16384};
static const long long mvich[] = {4, 64, 1024, 4096, 5000, 5120, 8192, 16384, 65536};

#define COLLECTIVES "allreduce-latency" /* whose rows say which one */

static const struct suite_experiment list[] = {
    {"mpi-latency", "half the round trip of a blocking ping-pong", 2, 2, suite_latency,
     "mpi-latency", SIZES(all), 0},
    {"mpi-bandwidth-uni", "windows of sends one way, one acknowledgment at the end", 2, 2,
     suite_bandwidth_uni, "mpi-bandwidth-uni", SIZES(all), 64},
    {"mpi-bandwidth-uni-multiport", "windows of sends one way, each answered", 2, 2,
     suite_bandwidth_uni_multiport, "mpi-bandwidth-uni-multiport", SIZES(all), 64},
    {"mpi-bandwidth-bi-multiport", "both sides send windows at once, each answered", 2, 2,
     suite_bandwidth_bi_multiport, "mpi-bandwidth-bi-multiport", SIZES(all), 64},
    {"mpi-bandwidth-pingpong", "message size over half the round trip", 2, 2,
     suite_bandwidth_pingpong, "mpi-bandwidth-pingpong", SIZES(all), 0},
    {"mpi-bandwidth-bothway", "windows of sends, then of receives, on both sides", 2, 2,
     suite_bandwidth_bothway, "mpi-bandwidth-bothway", SIZES(all), 64},
    {"mpi-logp", "gap, sender's and receiver's overhead by message size", 2, 2, suite_logp,
     "mpi-logp", SIZES(some), 64},
    {"mpi-buffer-reuse", "latency from buffers used again, and from buffers never used before", 2,
     2, suite_buffer_reuse, "mpi-buffer-reuse", SIZES(some), 0},
    {"mpi-unexpected-queue", "latency past messages that nobody asked for", 2, 2,
     suite_unexpected_queue, "mpi-unexpected-queue", SIZES(queued), 0},
    {"mpi-receive-queue", "latency past receives that nothing matches", 2, 2, suite_receive_queue,
     "mpi-receive-queue", SIZES(queued), 0},
    {"mvich-latency-bandwidth", "latency with the first message timed, and bandwidth", 2, 2,
     suite_mvich, "mvich-latency-bandwidth", SIZES(mvich), 64},
    {"allreduce-latency", "MPI_Allreduce, the mean of rank 0", 2, 0, suite_allreduce, COLLECTIVES,
     SIZES(collective), 0},
    {"bcast-latency", "MPI_Bcast, the mean of rank 0", 2, 0, suite_bcast, COLLECTIVES,
     SIZES(collective), 0},
    {"reduce-latency", "MPI_Reduce, the mean of rank 0", 2, 0, suite_reduce, COLLECTIVES,
     SIZES(collective), 0},
    {"barrier-latency", "MPI_Barrier, the mean of rank 0", 2, 0, suite_barrier, COLLECTIVES, NULL,
     0, 0},
    {"allgather-latency", "MPI_Allgather, the mean of rank 0", 2, 0, suite_allgather, COLLECTIVES,
     SIZES(collective), 0},
    {"alltoall-latency", "MPI_Alltoall, the mean of rank 0", 2, 0, suite_alltoall, COLLECTIVES,
     SIZES(collective), 0},
    {"mpi-init-time", "how long MPI_Init took, the mean of all ranks", 1, 0, suite_init_time,
     "mpi-init-time", NULL, 0, 0},
};

const struct suite_experiment* suite_experiments(int* count) {
    *count = COUNT(list);
    return list;
}
