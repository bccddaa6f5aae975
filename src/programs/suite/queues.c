/* What both queue experiments do: a ping-pong with nothing in a queue, and one with the queue full
   of entries that never match. */

#include <string.h>

#include "measure.h"

struct queue {
    const char* what;
    void (*fill)(struct suite_link* link, int entries);  /* both sides, until all are there */
    void (*clear)(struct suite_link* link, int entries); /* and gone */
    suite_batch batch;                                   /* an iteration is a round trip */
};

static void measure(struct suite_link* link, const struct queue* queue, int entries,
                    struct suite_rounds rounds) {
    queue->fill(link, entries);
    suite_measure(link, rounds, queue->batch);
    queue->clear(link, entries);
    const struct suite_parameter parameters[] = {suite_number("message_bytes", link->length),
                                                 suite_number("queue", entries)};
    suite_emit_times(link, rounds, 0.5, "latency", parameters, 2);
}

static void sweep_queue(const struct suite_request* request, const struct queue* queue) {
    struct suite_link* const link = suite_open(request);
    if (link == NULL) return;
    suite_warm(link);
    const int entries = request->queue > 0 ? request->queue : 1000;
    double* const ratios = suite_numbers(request->batches);
    for (int i = 0; i < request->size_count; ++i) {
        suite_say(request, queue->what, request->sizes[i]);
        link->length = (int)request->sizes[i];
        const struct suite_rounds rounds = suite_rounds_of(request, 2.0 * link->length);
        measure(link, queue, 0, rounds);
        memcpy(ratios, link->samples, (size_t)rounds.batches * sizeof(double));
        measure(link, queue, entries, rounds);
        for (int j = 0; j < rounds.batches; ++j)
            ratios[j] = link->samples[j] / ratios[j];
        const struct suite_parameter parameters[] = {suite_number("message_bytes", link->length),
                                                     suite_number("queue", entries)};
        suite_emit(request, "latency_ratio_full_to_empty", "1", parameters, 2, ratios,
                   rounds.batches);
    }
}

/* mpi-receive-queue: a ping-pong whose messages must be matched past receives that were posted
   before and that nothing matches. */

static void post_receives(struct suite_link* link, int entries) {
    if (link->posted == NULL && entries > 0)
        link->posted = suite_memory((size_t)entries * sizeof(MPI_Request));
    for (int i = 0; i < entries; ++i)
        MPI_Irecv(&link->unread, 1, MPI_BYTE, link->peer, tag_noise, MPI_COMM_WORLD,
                  &link->posted[i]);
    suite_meet(link);
}

/* Satisfied rather than cancelled: that works alike everywhere. */
static void satisfy_receives(struct suite_link* link, int entries) {
    for (int i = 0; i < entries; ++i)
        MPI_Send(link->out, 1, MPI_BYTE, link->peer, tag_noise, MPI_COMM_WORLD);
    MPI_Waitall(entries, link->posted, link->ignored);
    suite_meet(link);
}

static void post(struct suite_link* link) {
    MPI_Irecv(link->in, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
              &link->requests[0]);
}

/* The receive is posted before the peer can send: its message always finds it, behind the others.
 */
static double ping_pong_past_receives(struct suite_link* link, int iterations) {
    post(link);
    suite_meet(link);
    const double start = MPI_Wtime();
    for (int left = iterations; left > 0; --left) {
        if (link->first)
            MPI_Send(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD);
        MPI_Wait(&link->requests[0], MPI_STATUS_IGNORE);
        if (left > 1) post(link);
        if (!link->first)
            MPI_Send(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD);
    }
    return suite_since(start) / iterations;
}

void suite_receive_queue(const struct suite_request* request) {
    static const struct queue queue = {"receive queue", post_receives, satisfy_receives,
                                       ping_pong_past_receives};
    sweep_queue(request, &queue);
}

/* mpi-unexpected-queue: a ping-pong of synchronous sends whose receives must search past small
   messages that nobody asked for. */

static void send_unexpected(struct suite_link* link, int entries) {
    for (int i = 0; i < entries; ++i)
        MPI_Send(link->out, 1, MPI_BYTE, link->peer, tag_noise, MPI_COMM_WORLD);
    suite_meet(link); /* behind all of them */
}

static void receive_unexpected(struct suite_link* link, int entries) {
    char byte;
    for (int i = 0; i < entries; ++i)
        MPI_Recv(&byte, 1, MPI_BYTE, link->peer, tag_noise, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    suite_meet(link);
}

/* Synchronous, so that no work on the queue hides behind a transfer. */
static double ping_pong_past_messages(struct suite_link* link, int iterations) {
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i) {
        if (link->first)
            MPI_Ssend(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD);
        MPI_Recv(link->in, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (!link->first)
            MPI_Ssend(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD);
    }
    return suite_since(start) / iterations;
}

void suite_unexpected_queue(const struct suite_request* request) {
    static const struct queue queue = {"unexpected queue", send_unexpected, receive_unexpected,
                                       ping_pong_past_messages};
    sweep_queue(request, &queue);
}
