/* mpi-logp, the parametrised LogP model: the gap g(m) from a saturating train of messages that one
   short reply closes, the sender's overhead O_s(m) as the time of a send call, and the receiver's
   O_r(m) as the time of asking for a message and of taking it when it has certainly arrived. In
   between nobody calls MPI: who has a thread for it has the data in place by then, and who has
   none begins a rendezvous only now (PR-7). */

#include "measure.h"

/* What reading the clock adds to everything that is timed by two readings. */
static double clock_cost(void) {
    enum { readings = 100 };
    const double start = MPI_Wtime();
    double end = start;
    for (int i = 0; i < readings; ++i)
        end = MPI_Wtime();
    return (end - start) / readings;
}

static double mean_without_clock(double sum, int iterations, int timed_calls) {
    const double mean = sum / iterations - timed_calls * clock_cost();
    return mean > 0 ? mean : 0;
}

static void reply(struct suite_link* link) {
    MPI_Send(NULL, 0, MPI_BYTE, link->peer, tag_reply, MPI_COMM_WORLD);
}

static void wait_for_reply(struct suite_link* link) {
    MPI_Recv(NULL, 0, MPI_BYTE, link->peer, tag_reply, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive(struct suite_link* link) {
    MPI_Recv(link->in, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* The call alone: a rendezvous that follows it is not the sending processor's work. */
static double sender_overhead(struct suite_link* link, int iterations) {
    double sum = 0;
    for (int i = 0; i < iterations; ++i) {
        if (!link->first) {
            receive(link);
            reply(link);
            continue;
        }
        const double start = MPI_Wtime();
        MPI_Isend(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
                  &link->requests[0]);
        sum += suite_since(start);
        MPI_Wait(&link->requests[0], MPI_STATUS_IGNORE);
        wait_for_reply(link);
    }
    return mean_without_clock(sum, iterations, 1);
}

/* No call of MPI that could drive a rendezvous. */
static void let_pass(const struct suite_request* request, double seconds) {
    if (request->idle != NULL) {
        request->idle(request->to, seconds);
        return;
    }
    const double start = MPI_Wtime();
    while (MPI_Wtime() - start < seconds) {
    }
}

static double receiver_overhead(struct suite_link* link, int iterations) {
    const double round_trip = suite_ping_pong(link, 2);
    double sum = 0;
    for (int i = 0; i < iterations; ++i) {
        if (!link->first) {
            wait_for_reply(link);
            MPI_Send(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD);
            continue;
        }
        const double asked = MPI_Wtime();
        MPI_Irecv(link->in, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
                  &link->requests[0]);
        sum += suite_since(asked);
        reply(link);
        let_pass(link->request, 2 * round_trip);
        const double taken = MPI_Wtime();
        MPI_Wait(&link->requests[0], MPI_STATUS_IGNORE);
        sum += suite_since(taken);
    }
    return mean_without_clock(sum, iterations, 2);
}

static void gap(struct suite_link* link, const struct suite_parameter* size) {
    struct suite_rounds rounds = suite_rounds_of(link->request, link->length);
    /* Whole windows. */
    rounds.warmup = (rounds.warmup + link->window - 1) / link->window;
    rounds.iterations = (rounds.iterations + link->window - 1) / link->window;
    suite_measure(link, rounds, suite_windows_one_way);
    suite_emit_times(link, rounds, 1.0 / link->window, "gap", size, 1);
}

void suite_logp(const struct suite_request* request) {
    struct suite_link* const link = suite_open(request);
    if (link == NULL) return;
    suite_warm(link);
    for (int i = 0; i < request->size_count; ++i) {
        suite_say(request, "LogP", request->sizes[i]);
        link->length = (int)request->sizes[i];
        const struct suite_parameter size = suite_number("message_bytes", link->length);
        gap(link, &size);
        const struct suite_rounds rounds = suite_rounds_of(request, 4.0 * link->length);
        suite_measure(link, rounds, sender_overhead);
        suite_emit_times(link, rounds, 1, "sender_overhead", &size, 1);
        suite_measure(link, rounds, receiver_overhead);
        suite_emit_times(link, rounds, 1, "receiver_overhead", &size, 1);
    }
}
