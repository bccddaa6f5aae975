/* mpi-receive-queue: a ping-pong whose messages must be matched past receives that were posted
   before and that nothing matches. */

#include "procedures.h"
#include "queues.h"

static void fill(struct suite_link* link, int entries) {
    if (link->posted == NULL && entries > 0)
        link->posted = suite_memory((size_t)entries * sizeof(MPI_Request));
    for (int i = 0; i < entries; ++i)
        MPI_Irecv(&link->unread, 1, MPI_BYTE, link->peer, tag_noise, MPI_COMM_WORLD,
                  &link->posted[i]);
    suite_meet(link);
}

/* Satisfied rather than cancelled: that works alike everywhere. */
static void clear(struct suite_link* link, int entries) {
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
static double ping_pong(struct suite_link* link, int iterations) {
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
    static const struct suite_queue queue = {"receive queue", fill, clear, ping_pong};
    suite_sweep_queue(request, &queue);
}
