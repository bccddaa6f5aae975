#define _POSIX_C_SOURCE 200809L

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int give_back(MPI_Comm comm, int key, void* memory, void* extra) {
    (void)comm;
    (void)key;
    (void)extra;
    free(memory);
    return MPI_SUCCESS;
}

/* What hangs on MPI_COMM_SELF goes when MPI is finalised. */
static void keep_until_the_end(void* memory) {
    int key = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, give_back, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, memory);
    MPI_Comm_free_keyval(&key);
}

void* suite_memory(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t whole = (bytes / page + 1) * page;
    void* memory = NULL;
    if (posix_memalign(&memory, page, whole) != 0) {
        fprintf(stderr, "mpi-suite: no memory for %zu bytes; measure smaller messages\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(memory, 'a', whole);
    keep_until_the_end(memory);
    return memory;
}

double suite_since(double start) {
    const double picoseconds = (MPI_Wtime() - start) * 1e12;
    return (double)(long long)(picoseconds + 0.5) * 1e-12;
}

double* suite_numbers(int count) {
    return suite_memory((size_t)count * sizeof(double));
}

static long long largest(const struct suite_request* request) {
    long long most = 0;
    for (int i = 0; i < request->size_count; ++i)
        if (request->sizes[i] > most) most = request->sizes[i];
    return most;
}

struct suite_link* suite_open(const struct suite_request* request) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || (rank != 0 && rank != size - 1)) return NULL;

    struct suite_link* const link = suite_memory(sizeof *link);
    memset(link, 0, sizeof *link);
    link->request = request;
    link->first = rank == 0;
    link->peer = size - 1 - rank;
    link->window = request->window > 0 ? request->window : 64;
    link->out = suite_memory((size_t)largest(request));
    link->in = suite_memory((size_t)largest(request));
    link->requests = suite_memory(2 * (size_t)link->window * sizeof(MPI_Request));
    link->ignored = MPI_STATUSES_IGNORE;
    link->samples = suite_numbers(request->batches);
    return link;
}

void suite_warm(struct suite_link* link) {
    enum { round_trips = 64 }; /* past every buffer that a library keeps for a peer */
    link->length = 0;
    for (int i = 0; i < round_trips && link->request->warmup > 0; ++i)
        suite_round_trip(link, link->out, link->in);
}

struct suite_rounds suite_rounds_of(const struct suite_request* request,
                                    double bytes_an_iteration) {
    const double most_bytes = 2e9; /* of all iterations: about a second of a fast network */
    struct suite_rounds rounds = {request->warmup, request->batches, request->iterations};
    const double fit = most_bytes / ((bytes_an_iteration + 1) * request->batches);
    if (rounds.iterations <= fit) return rounds;
    rounds.iterations = fit < 1 ? 1 : (int)fit;
    if (rounds.warmup > rounds.iterations) rounds.warmup = rounds.iterations;
    return rounds;
}

void suite_measure(struct suite_link* link, struct suite_rounds rounds, suite_batch batch) {
    if (rounds.warmup > 0) batch(link, rounds.warmup);
    for (int i = 0; i < rounds.batches; ++i)
        link->samples[i] = batch(link, rounds.iterations);
}

void suite_emit(const struct suite_request* request, const char* metric, const char* unit,
                const struct suite_parameter* parameters, int count, const double* samples,
                int sample_count) {
    const struct suite_row row = {metric, unit, parameters, count, samples, sample_count};
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) request->emit(request->to, &row);
}

void suite_emit_times(struct suite_link* link, struct suite_rounds rounds, double factor,
                      const char* metric, const struct suite_parameter* parameters, int count) {
    for (int i = 0; i < rounds.batches; ++i)
        link->samples[i] *= factor * 1e6;
    suite_emit(link->request, metric, "us", parameters, count, link->samples, rounds.batches);
}

void suite_emit_rates(struct suite_link* link, struct suite_rounds rounds, double bytes,
                      const char* metric, const struct suite_parameter* parameters, int count) {
    for (int i = 0; i < rounds.batches; ++i)
        link->samples[i] = bytes / link->samples[i] * 1e-6;
    suite_emit(link->request, metric, "MB/s", parameters, count, link->samples, rounds.batches);
}

void suite_say(const struct suite_request* request, const char* what, long long bytes) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0 || request->progress == NULL) return;
    char text[100];
    snprintf(text, sizeof text, "%s %lld B", what, bytes);
    request->progress(request->to, bytes < 0 ? what : text);
}

void suite_round_trip(struct suite_link* link, char* out, char* in) {
    if (link->first) MPI_Send(out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD);
    MPI_Recv(in, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!link->first) MPI_Send(out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD);
}

double suite_ping_pong(struct suite_link* link, int iterations) {
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i)
        suite_round_trip(link, link->out, link->in);
    return suite_since(start) / iterations;
}

void suite_meet(struct suite_link* link) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, link->peer, tag_reply, NULL, 0, MPI_BYTE, link->peer, tag_reply,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
