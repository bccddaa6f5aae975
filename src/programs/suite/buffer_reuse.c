/* mpi-buffer-reuse: a ping-pong that always uses the same buffers, against one in which every
   message is sent from and received into buffers that are used for the first time. */

#include "measure.h"

/* The buffers of one size, in pairs, one to send from and one to receive into: the first pair is
   used again and again, the others once each. */
struct buffers {
    struct suite_rounds rounds; /* that there are enough of them for */
    size_t stride;              /* from one to the next */
};

static struct buffers buffers_of(const struct suite_request* request, long long size) {
    const size_t page = 4096;
    const long long most_bytes = 64LL << 20;
    struct buffers buffers;
    buffers.stride = ((size_t)size + page) / page * page;
    buffers.rounds = suite_rounds_of(request, 2.0 * (double)size);

    long long most = (request->buffers > 0 ? request->buffers : 1024) / 2;
    const long long fit = most_bytes / (2 * (long long)buffers.stride);
    if (most > fit) most = fit > 0 ? fit : 1;
    if (buffers.rounds.batches > most) buffers.rounds.batches = (int)most;
    const int share = (int)(most / buffers.rounds.batches);
    if (buffers.rounds.iterations > share) buffers.rounds.iterations = share;
    return buffers;
}

static size_t bytes_of(const struct buffers* buffers) {
    const size_t fresh = (size_t)buffers->rounds.batches * (size_t)buffers->rounds.iterations;
    return 2 * (1 + fresh) * buffers->stride;
}

static double walk(struct suite_link* link, int iterations) {
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i) {
        suite_round_trip(link, link->next, link->next + link->apart);
        link->next += link->stride;
    }
    return suite_since(start) / iterations;
}

static void emit(struct suite_link* link, struct suite_rounds rounds, int reuse_percent) {
    const struct suite_parameter parameters[] = {suite_number("message_bytes", link->length),
                                                 suite_number("reuse_percent", reuse_percent)};
    suite_emit_times(link, rounds, 0.5, "latency", parameters, 2);
}

static void measure(struct suite_link* link, const struct buffers* buffers, char* memory,
                    double* ratios) {
    struct suite_rounds rounds = buffers->rounds;
    link->next = memory;
    link->apart = buffers->stride;
    link->stride = 0;
    suite_measure(link, rounds, walk);
    emit(link, rounds, 100);
    for (int i = 0; i < rounds.batches; ++i)
        ratios[i] = link->samples[i];

    link->next = memory + 2 * buffers->stride;
    link->stride = 2 * buffers->stride;
    rounds.warmup = 0; /* it would be the first use */
    suite_measure(link, rounds, walk);
    emit(link, rounds, 0);
    for (int i = 0; i < rounds.batches; ++i)
        ratios[i] = link->samples[i] / ratios[i];
    const struct suite_parameter size = suite_number("message_bytes", link->length);
    suite_emit(link->request, "latency_ratio_noreuse_to_reuse", "1", &size, 1, ratios,
               rounds.batches);
}

void suite_buffer_reuse(const struct suite_request* request) {
    struct suite_link* const link = suite_open(request);
    if (link == NULL) return;
    suite_warm(link);
    double* const ratios = suite_numbers(request->batches);
    for (int i = 0; i < request->size_count; ++i) {
        suite_say(request, "reuse of buffers of", request->sizes[i]);
        link->length = (int)request->sizes[i];
        const struct buffers buffers = buffers_of(request, request->sizes[i]);
        measure(link, &buffers, suite_memory(bytes_of(&buffers)), ratios);
    }
}
