/* mpi-latency and mpi-bandwidth-pingpong: the standard blocking ping-pong, told as half its round
   trip, and as bytes over that half. */

#include "measure.h"

void suite_latency(const struct suite_request* request) {
    struct suite_link* const link = suite_open(request);
    if (link == NULL) return;
    suite_warm(link);
    for (int i = 0; i < request->size_count; ++i) {
        suite_say(request, "latency", request->sizes[i]);
        link->length = (int)request->sizes[i];
        const struct suite_rounds rounds = suite_rounds_of(request, 2.0 * link->length);
        suite_measure(link, rounds, suite_ping_pong);
        const struct suite_parameter size = suite_number("message_bytes", link->length);
        suite_emit_times(link, rounds, 0.5, "latency", &size, 1);
    }
}

void suite_bandwidth_pingpong(const struct suite_request* request) {
    struct suite_link* const link = suite_open(request);
    if (link == NULL) return;
    suite_warm(link);
    for (int i = 0; i < request->size_count; ++i) {
        if (request->sizes[i] == 0) continue;
        suite_say(request, "ping-pong", request->sizes[i]);
        link->length = (int)request->sizes[i];
        const struct suite_rounds rounds = suite_rounds_of(request, 2.0 * link->length);
        suite_measure(link, rounds, suite_ping_pong);
        const struct suite_parameter size = suite_number("message_bytes", link->length);
        suite_emit_rates(link, rounds, 2.0 * link->length, "bandwidth", &size, 1);
    }
}

/* mpi-init-time: how long MPI_Init took, as the mean over all ranks. */

void suite_init_time(const struct suite_request* request) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double least = 0;
    double sum = 0;
    MPI_Reduce(&request->init_seconds, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&request->init_seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (least < 0) return; /* somewhere it is not known */
    const double mean = sum / ranks * 1e6;
    const struct suite_parameter processes = suite_number("processes", ranks);
    suite_emit(request, "init_time", "us", &processes, 1, &mean, 1);
}
