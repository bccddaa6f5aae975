/* Bandwidth by windows of messages that are under way together. */

#include "measure.h"

/* Starts a window of sends, or of receives, whose requests go to `requests`. */
static void send_window(struct suite_link* link, MPI_Request* requests) {
    for (int i = 0; i < link->window; ++i)
        MPI_Isend(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
                  &requests[i]);
}

/* All into one buffer, as bandwidth tests do: nobody reads it. */
static void receive_window(struct suite_link* link, MPI_Request* requests) {
    for (int i = 0; i < link->window; ++i)
        MPI_Irecv(link->in, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
                  &requests[i]);
}

double suite_windows_one_way(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i) {
        if (link->first)
            send_window(link, link->requests);
        else
            receive_window(link, link->requests);
        MPI_Waitall(link->window, link->requests, link->ignored);
    }
    if (link->first)
        MPI_Recv(NULL, 0, MPI_BYTE, link->peer, tag_reply, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, link->peer, tag_reply, MPI_COMM_WORLD);
    return suite_since(start) / windows;
}

/* Measures a batch of windows for every size, each of which moves `ways` windows of bytes. */
static void sweep_windows(struct suite_link* link, const char* metric, int ways,
                          suite_batch batch) {
    if (link == NULL) return;
    suite_warm(link);
    const struct suite_request* const request = link->request;
    for (int i = 0; i < request->size_count; ++i) {
        if (request->sizes[i] == 0) continue;
        suite_say(request, "windows of", request->sizes[i]);
        link->length = (int)request->sizes[i];
        const double bytes = (double)ways * link->window * link->length;
        const struct suite_rounds rounds = suite_rounds_of(request, bytes);
        suite_measure(link, rounds, batch);
        const struct suite_parameter parameters[] = {suite_number("message_bytes", link->length),
                                                     suite_number("window", link->window)};
        suite_emit_rates(link, rounds, bytes, metric, parameters, 2);
    }
}

/* mpi-bandwidth-uni: windows of sends, each waited for, and one acknowledgment at the end.
   mpi-bandwidth-uni-multiport: a reply to every window. */

void suite_bandwidth_uni(const struct suite_request* request) {
    sweep_windows(suite_open(request), "bandwidth", 1, suite_windows_one_way);
}

static double one_way_answered(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i)
        suite_windows_one_way(link, 1);
    return suite_since(start) / windows;
}

void suite_bandwidth_uni_multiport(const struct suite_request* request) {
    sweep_windows(suite_open(request), "bandwidth", 1, one_way_answered);
}

/* mpi-bandwidth-bi-multiport: both sides send windows at once, and reply to every one.
   mpi-bandwidth-bothway: a window of sends, then a window of receives, and all are waited for. */

static double both_ways_answered(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i) {
        receive_window(link, link->requests);
        send_window(link, link->requests + link->window);
        MPI_Waitall(2 * link->window, link->requests, link->ignored);
        suite_meet(link);
    }
    return suite_since(start) / windows;
}

void suite_bandwidth_bi_multiport(const struct suite_request* request) {
    sweep_windows(suite_open(request), "bandwidth_aggregate", 2, both_ways_answered);
}

static double crossing_windows(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i) {
        send_window(link, link->requests);
        receive_window(link, link->requests + link->window);
        MPI_Waitall(2 * link->window, link->requests, link->ignored);
    }
    return suite_since(start) / windows;
}

void suite_bandwidth_bothway(const struct suite_request* request) {
    sweep_windows(suite_open(request), "bandwidth_aggregate", 2, crossing_windows);
}

/* mvich-latency-bandwidth: a ping-pong whose first message, and with it the making of a connection,
   lies within the timed loop; then windowed bandwidth. */

static void measure_latency(struct suite_link* link) {
    /* One sample: a median of several would leave the first message out. */
    const struct suite_request* const request = link->request;
    const struct suite_rounds wanted = suite_rounds_of(request, 2.0 * link->length);
    const struct suite_rounds rounds = {0, 1, wanted.batches * wanted.iterations};
    suite_measure(link, rounds, suite_ping_pong);
    const struct suite_parameter size = suite_number("message_bytes", link->length);
    suite_emit_times(link, rounds, 0.5, "latency", &size, 1);
}

void suite_mvich(const struct suite_request* request) {
    struct suite_link* const link = suite_open(request);
    if (link == NULL) return;
    for (int i = 0; i < request->size_count; ++i) {
        suite_say(request, "latency", request->sizes[i]);
        link->length = (int)request->sizes[i];
        measure_latency(link);
    }
    /* As many messages as before, not as many windows. */
    struct suite_request in_windows = *request;
    in_windows.iterations = (request->iterations + link->window - 1) / link->window;
    link->request = &in_windows;
    sweep_windows(link, "bandwidth", 1, suite_windows_one_way);
}
