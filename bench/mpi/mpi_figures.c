/* An ordinary MPI program that measures an MPI library: one line a figure, "name value", by rank 0.
 * railyard-bench builds it with the mpicc of every library that it finds, and runs all of them in
 * turn.
 *
 *     mpi_figures pair     two ranks: latency (us), bandwidth (GB/s), message rate (million/s)
 *     mpi_figures network  the same, of fewer sizes, for what is slower
 *     mpi_figures types    two ranks: latency of 64 KiB of every second double, and of faces of a
 *                          cube of 64 doubles a side, sent and received as types (us)
 *     mpi_figures queues   two ranks: latency behind queued messages and receives (us)
 *     mpi_figures one-sided  two ranks: put, get and fetch_and_op with a flush each (us), and the
 *                          bandwidth of puts (GB/s), on windows that were allocated and created
 *     mpi_figures group    any number: collectives, by the clock of the slowest rank (us)
 *     mpi_figures started  the same that do not block, started and waited for
 *     mpi_figures calls    one rank: a call (ns): MPI_Comm_rank, and the mean of MPI_Isend to
 *                          itself, MPI_Recv and MPI_Wait
 *     mpi_figures empty    starts and ends
 *     mpi_figures memory   what a rank takes after MPI_Init, in KiB: its share of shared pages too
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { window = 64, tag_measured = 2, tag_queued = 1, repeats = 5 };

static int me;
static char *out, *in;

static void say(const char* what, long size, double value) {
    if (me == 0) printf("%s/%ld %.6g\n", what, size, value);
}

static double ping_pong(int n, MPI_Datatype type, int rounds, int source) {
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        if (me == 0) {
            MPI_Send(out, n, type, 1, tag_measured, MPI_COMM_WORLD);
            MPI_Recv(in, n, type, source == MPI_ANY_SOURCE ? source : 1, tag_measured,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, n, type, source == MPI_ANY_SOURCE ? source : 0, tag_measured,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, n, type, 0, tag_measured, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / rounds / 2;
}

static double best_typed_ping_pong(int n, MPI_Datatype type, int rounds, int source) {
    double best = 1e9;
    ping_pong(n, type, rounds / 10 + 1, source);
    for (int i = 0; i < repeats; ++i) {
        double t = ping_pong(n, type, rounds, source);
        if (t < best) best = t;
    }
    return best * 1e6;
}

static double best_ping_pong(int size, int rounds, int source) {
    return best_typed_ping_pong(size, MPI_CHAR, rounds, source);
}

static void say_type(const char* what, MPI_Datatype type) {
    int size;
    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    say(what, size, best_typed_ping_pong(1, type, 400, 0));
    MPI_Type_free(&type);
}

static void types(void) {
    static const char* const faces[] = {"latency-face-x", "latency-face-y", "latency-face-z"};
    enum { side = 64, doubles = 8192 };
    MPI_Datatype type;
    MPI_Type_vector(doubles, 1, 2, MPI_DOUBLE, &type);
    say_type("latency-vector", type);
    for (int i = 0; i < 3; ++i) {
        /* The last dimension is the one whose elements are neighbours. */
        int sizes[] = {side, side, side}, part[] = {side, side, side}, from[] = {1, 1, 1};
        for (int k = 0; k < 3; ++k)
            if (k != 2 - i) from[k] = 0;
        part[2 - i] = 1;
        MPI_Type_create_subarray(3, sizes, part, from, MPI_ORDER_C, MPI_DOUBLE, &type);
        say_type(faces[i], type);
    }
}

static double windows(int size, int rounds) {
    MPI_Request requests[window];
    MPI_Status statuses[window]; /* some libraries' headers make compilers warn of IGNORE */
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        for (int k = 0; k < window; ++k)
            if (me == 0)
                MPI_Isend(out, size, MPI_CHAR, 1, tag_measured, MPI_COMM_WORLD, &requests[k]);
            else
                MPI_Irecv(in, size, MPI_CHAR, 0, tag_measured, MPI_COMM_WORLD, &requests[k]);
        MPI_Waitall(window, requests, statuses);
        if (me == 0)
            MPI_Recv(in, 0, MPI_CHAR, 1, tag_measured, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(out, 0, MPI_CHAR, 0, tag_measured, MPI_COMM_WORLD);
    }
    return rounds * (double)window / (MPI_Wtime() - start);
}

static double best_windows(int size, int rounds) {
    double best = 0;
    windows(size, rounds / 10 + 1);
    for (int i = 0; i < repeats; ++i) {
        double rate = windows(size, rounds);
        if (rate > best) best = rate;
    }
    return best;
}

static void pair(void) {
    static const int sizes[] = {0,    8,     16,    32,     64,     128,    256,     512,    1024, 2048,
                                4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1 << 20, 4 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        int size = sizes[i];
        int rounds = size < 16384 ? 4000 : size < 300000 ? 400 : 40;
        say("latency", size, best_ping_pong(size, rounds, 0));
        if (size >= 65536) {
            /* What comes is sent back. Else nobody writes to what is sent, and it may stay in the
             * receiver's cache from one message to the next. */
            char* apart = in;
            in = out;
            say("latency-returned", size, best_ping_pong(size, rounds, 0));
            in = apart;
        }
        if (size >= 64)
            say("bandwidth", size, best_windows(size, rounds / 20 + 1) * size * 1e-9);
    }
    say("rate", 8, best_windows(8, 1500) * 1e-6);
}

static void network(void) {
    static const int sizes[] = {1, 1024, 8192, 65536, 1 << 20};
    static const int long_ones[] = {65536, 262144, 1 << 20, 4 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        say("latency", sizes[i], best_ping_pong(sizes[i], sizes[i] > 65536 ? 100 : 1000, 0));
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; ++i)
        say("bandwidth", long_ones[i],
            best_windows(long_ones[i], (4 << 20) / long_ones[i]) * long_ones[i] * 1e-9);
    say("rate", 8, best_windows(8, 500) * 1e-6);
}

/* Latency with `n` messages, or receives, of another tag queued at both sides. */
static void behind(const char* what, int n, int source, int posted) {
    int peer = 1 - me;
    MPI_Request* requests = malloc((size_t)(n + 1) * sizeof *requests);
    MPI_Status* statuses = malloc((size_t)(n + 1) * sizeof *statuses);
    static char sink;
    for (int i = 0; i < n && posted; ++i)
        MPI_Irecv(&sink, 1, MPI_CHAR, source == MPI_ANY_SOURCE ? source : peer, tag_queued,
                  MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < n && !posted; ++i)
        MPI_Send(out, 1, MPI_CHAR, peer, tag_queued, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    say(what, n, best_ping_pong(8, 1000, source));
    for (int i = 0; i < n && posted; ++i)
        MPI_Send(out, 1, MPI_CHAR, peer, tag_queued, MPI_COMM_WORLD);
    if (posted)
        MPI_Waitall(n, requests, statuses);
    for (int i = 0; i < n && !posted; ++i)
        MPI_Recv(&sink, 1, MPI_CHAR, peer, tag_queued, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(requests);
    free(statuses);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void queues(int most) {
    static const int lengths[] = {0, 1000, 10000};
    for (size_t i = 0; i < 3 && lengths[i] <= most; ++i) {
        behind("unexpected-exact", lengths[i], 0, 0);
        behind("unexpected-any", lengths[i], MPI_ANY_SOURCE, 0);
        behind("posted-exact", lengths[i], 0, 1);
        behind("posted-any", lengths[i], MPI_ANY_SOURCE, 1);
    }
}

enum one_sided { do_put, do_get, do_fetch };

/* One operation and its flush; the target waits in a barrier meanwhile. */
static double one_sided_time(MPI_Win win, enum one_sided what, int size, int rounds, int each) {
    long one = 1;
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        for (int k = 0; k < each; ++k)
            if (what == do_put)
                MPI_Put(out, size, MPI_CHAR, 1, 0, size, MPI_CHAR, win);
            else if (what == do_get)
                MPI_Get(in, size, MPI_CHAR, 1, 0, size, MPI_CHAR, win);
            else
                MPI_Fetch_and_op(&one, in, MPI_LONG, 1, 0, MPI_SUM, win);
        MPI_Win_flush(1, win);
    }
    return (MPI_Wtime() - start) / rounds / each;
}

/* Repeats of 10 ms: shorter ones may all fall into one disturbance. */
static double best_one_sided(MPI_Win win, enum one_sided what, int size, int each) {
    double best = 1e9;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        one_sided_time(win, what, size, 50, each);
        int rounds = (int)(0.01 / each / one_sided_time(win, what, size, 50, each)) + 1;
        for (int i = 0; i < repeats; ++i) {
            double t = one_sided_time(win, what, size, rounds, each);
            if (t < best) best = t;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return best;
}

static void one_sided(void) {
    static const char* const names[2][4] = {
        {"latency-put-allocated", "latency-get-allocated", "latency-fetch-allocated", "bandwidth-put-allocated"},
        {"latency-put-created", "latency-get-created", "latency-fetch-created", "bandwidth-put-created"}};
    enum { bytes = 65536 };
    for (int created = 0; created < 2; ++created) {
        MPI_Win win;
        void* base = NULL;
        if (created)
            MPI_Win_create(malloc(bytes), bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        else
            MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_lock_all(0, win);
        for (int what = do_put; what <= do_fetch; ++what)
            say(names[created][what], 8,
                best_one_sided(win, (enum one_sided)what, 8, 1) * 1e6);
        say(names[created][3], bytes, bytes * 1e-9 / best_one_sided(win, do_put, bytes, 16));
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
    }
}

enum collective { barrier, bcast, allreduce, alltoall, allgather, reduce, collectives };

/* The sizes of alltoall and allgather are those of one block. */
static void call(enum collective what, int n) {
    MPI_Comm all = MPI_COMM_WORLD;
    switch (what) {
        case barrier: MPI_Barrier(all); break;
        case bcast: MPI_Bcast(out, n, MPI_CHAR, 0, all); break;
        case allreduce: MPI_Allreduce(out, in, n / 8, MPI_DOUBLE, MPI_SUM, all); break;
        case alltoall: MPI_Alltoall(out, n, MPI_CHAR, in, n, MPI_CHAR, all); break;
        case allgather: MPI_Allgather(out, n, MPI_CHAR, in, n, MPI_CHAR, all); break;
        default: MPI_Reduce(out, in, n / 8, MPI_DOUBLE, MPI_SUM, 0, all); break;
    }
}

/* Started, and waited for at once. */
static void start(enum collective what, int n) {
    MPI_Comm all = MPI_COMM_WORLD;
    MPI_Request request;
    switch (what) {
        case barrier: MPI_Ibarrier(all, &request); break;
        case bcast: MPI_Ibcast(out, n, MPI_CHAR, 0, all, &request); break;
        case allreduce:
            MPI_Iallreduce(out, in, n / 8, MPI_DOUBLE, MPI_SUM, all, &request);
            break;
        case alltoall: MPI_Ialltoall(out, n, MPI_CHAR, in, n, MPI_CHAR, all, &request); break;
        case allgather: MPI_Iallgather(out, n, MPI_CHAR, in, n, MPI_CHAR, all, &request); break;
        default: MPI_Ireduce(out, in, n / 8, MPI_DOUBLE, MPI_SUM, 0, all, &request); break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

typedef void (*collective_call)(enum collective what, int n);

/* By the clock of the slowest rank. */
static double timed_collective(collective_call run, enum collective what, int n, int rounds) {
    double mine, slowest, began;
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    for (int i = 0; i < rounds; ++i)
        run(what, n);
    mine = (MPI_Wtime() - began) / rounds;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* More and more rounds until they take as long as is asked for, as the first ones connect ranks and
 * touch memory; then the best of three. */
static double best_collective(collective_call run, enum collective what, int n, double patience) {
    int rounds = 1;
    double best = timed_collective(run, what, n, rounds);
    while ((best = timed_collective(run, what, n, rounds)) * rounds < patience)
        rounds *= best * rounds * 4 < patience ? 4 : 2;
    for (int i = 0; i < 2; ++i) {
        double t = timed_collective(run, what, n, rounds);
        if (t < best) best = t;
    }
    return best * 1e6;
}

static void group(int starts, double patience) {
    static const char* const names[] = {"barrier",  "bcast",     "allreduce",
                                        "alltoall", "allgather", "reduce"};
    static const int sizes[] = {8, 1024, 65536, 1 << 20};
    for (int what = barrier; what < collectives; ++what)
        for (size_t i = 0; i < (what == barrier ? 1 : sizeof sizes / sizeof *sizes); ++i) {
            char name[32];
            double t = best_collective(starts ? start : call, (enum collective)what, sizes[i],
                                       patience);
            snprintf(name, sizeof name, "%s%s", starts ? "i" : "", names[what]);
            say(name, what == barrier ? 0 : sizes[i], t);
        }
}

/* After a while in which all ranks have started and none has talked to another. */
static void memory(void) {
    char line[256];
    long kib = 0, sum = 0;
    int ranks = 1;
    sleep(1);
    FILE* file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %ld kB", &kib) == 1) break;
    if (file) fclose(file);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Reduce(&kib, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    say("memory", ranks, (double)sum / ranks);
}

static void calls(void) {
    enum { batches = 400, batch = 500 };
    double query = 1e9, message = 1e9;
    for (int i = 0; i < batches; ++i) {
        int rank;
        MPI_Request request;
        double start = MPI_Wtime();
        for (int k = 0; k < batch; ++k)
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        double t = MPI_Wtime();
        if (t - start < query) query = t - start;
        start = t;
        for (int k = 0; k < batch; ++k) {
            MPI_Isend(out, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
            MPI_Recv(in, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        t = MPI_Wtime();
        if (t - start < message) message = t - start;
    }
    say("call", 0, query / batch * 1e9);
    say("call", 8, message / batch / 3 * 1e9);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    const char* what = argc > 1 ? argv[1] : "pair";
    if (strcmp(what, "memory") == 0) {
        memory();
        MPI_Finalize();
        return 0;
    }
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int starts = strcmp(what, "started") == 0;
    int is_group = starts || strcmp(what, "group") == 0;
    size_t room = is_group ? (size_t)ranks << 20 : 4 << 20;
    out = malloc(room);
    in = malloc(room);
    if (strcmp(what, "empty") != 0) {
        memset(out, 1, room);
        memset(in, 2, room);
    }
    if (strcmp(what, "pair") == 0) pair();
    if (strcmp(what, "types") == 0) types();
    if (strcmp(what, "one-sided") == 0) one_sided();
    if (strcmp(what, "network") == 0) network();
    if (strcmp(what, "calls") == 0) calls();
    if (strcmp(what, "queues") == 0) queues(argc > 2 ? atoi(argv[2]) : 1000);
    if (is_group) group(starts, argc > 2 ? atof(argv[2]) : 0.01);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
