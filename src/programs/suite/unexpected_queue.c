/* mpi-unexpected-queue: a ping-pong of synchronous sends whose receives must search past small
   messages that nobody asked for. */

#include "procedures.h"
#include "queues.h"

static void fill(struct suite_link* link, int entries) {
    for (int i = 0; i < entries; ++i)
        MPI_Send(link->out, 1, MPI_BYTE, link->peer, tag_noise, MPI_COMM_WORLD);
    suite_meet(link); /* behind all of them */
}

static void clear(struct suite_link* link, int entries) {
    char byte;
    for (int i = 0; i < entries; ++i)
        MPI_Recv(&byte, 1, MPI_BYTE, link->peer, tag_noise, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    suite_meet(link);
}

/* Synchronous, so that no work on the queue hides behind a transfer. */
static double ping_pong(struct suite_link* link, int iterations) {
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
    static const struct suite_queue queue = {"unexpected queue", fill, clear, ping_pong};
    suite_sweep_queue(request, &queue);
}
