/* allreduce-latency and its likes: a collective operation repeated many times; every rank takes the
   mean of its own times, and rank 0's is told. */

#include "measure.h"

/* What a rank gives to a call and gets from it. */
struct area {
    void* out;
    void* in;
    int bytes; /* a message has */
    int count; /* elements that a reduction has */
    MPI_Datatype type;
};

typedef void (*operation)(const struct area* area);

static void allreduce(const struct area* area) {
    MPI_Allreduce(area->out, area->in, area->count, area->type, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast(const struct area* area) {
    MPI_Bcast(area->out, area->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(const struct area* area) {
    MPI_Reduce(area->out, area->in, area->count, area->type, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void barrier(const struct area* area) {
    (void)area;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allgather(const struct area* area) {
    MPI_Allgather(area->out, area->bytes, MPI_BYTE, area->in, area->bytes, MPI_BYTE,
                  MPI_COMM_WORLD);
}

static void alltoall(const struct area* area) {
    MPI_Alltoall(area->out, area->bytes, MPI_BYTE, area->in, area->bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static double repeat(operation call, const struct area* area, int iterations) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i)
        call(area);
    return suite_since(start) / iterations;
}

/* See suite_warm(). */
static void warm(const struct suite_request* request, operation call, const struct area* area) {
    if (request->warmup > 0) repeat(call, area, 16);
}

static void measure(const struct suite_request* request, operation call, const char* name,
                    const struct area* area, double* samples) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    suite_say(request, name, call == barrier ? -1 : area->bytes);
    const struct suite_rounds rounds = suite_rounds_of(request, (double)size * area->bytes);
    if (rounds.warmup > 0) repeat(call, area, rounds.warmup);
    for (int i = 0; i < rounds.batches; ++i)
        samples[i] = repeat(call, area, rounds.iterations) * 1e6;
    const struct suite_parameter parameters[] = {suite_text("collective", name),
                                                 suite_number("processes", size),
                                                 suite_number("message_bytes", area->bytes)};
    /* A barrier has no message. */
    suite_emit(request, "latency", "us", parameters, call == barrier ? 2 : 3, samples,
               rounds.batches);
}

/* Of the largest elements that make up the size. */
static void shape(struct area* area, long long size) {
    area->bytes = (int)size;
    area->type = size % 8 == 0 ? MPI_DOUBLE : size % 4 == 0 ? MPI_INT : MPI_SIGNED_CHAR;
    area->count = (int)(size % 8 == 0 ? size / 8 : size % 4 == 0 ? size / 4 : size);
}

/* `blocks`: whether a rank has a message for every rank. */
static void sweep(const struct suite_request* request, operation call, const char* name,
                  int blocks) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long long most = 0;
    for (int i = 0; i < request->size_count; ++i)
        if (request->sizes[i] > most) most = request->sizes[i];
    const size_t bytes = (size_t)most * (blocks ? (size_t)ranks : 1);
    struct area area = {.out = suite_memory(bytes), .in = suite_memory(bytes)};
    double* const samples = suite_numbers(request->batches);
    for (int i = 0; i < request->size_count; ++i) {
        shape(&area, request->sizes[i]);
        if (i == 0) warm(request, call, &area);
        measure(request, call, name, &area, samples);
    }
}

void suite_allreduce(const struct suite_request* request) {
    sweep(request, allreduce, "allreduce", 0);
}

void suite_bcast(const struct suite_request* request) {
    sweep(request, bcast, "bcast", 0);
}

void suite_reduce(const struct suite_request* request) {
    sweep(request, reduce, "reduce", 0);
}

void suite_allgather(const struct suite_request* request) {
    sweep(request, allgather, "allgather", 1);
}

void suite_alltoall(const struct suite_request* request) {
    sweep(request, alltoall, "alltoall", 1);
}

void suite_barrier(const struct suite_request* request) {
    const struct area nothing = {.bytes = 0};
    double* const samples = suite_numbers(request->batches);
    warm(request, barrier, &nothing);
    measure(request, barrier, "barrier", &nothing, samples);
}
