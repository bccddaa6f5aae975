/* mpi-bandwidth-bi-multiport: both sides send windows at once, and reply to every one.
   mpi-bandwidth-bothway: a window of sends, then a window of receives, and all are waited for. */

#include "procedures.h"
#include "windows.h"

static double answered_windows(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i) {
        suite_receive_window(link, link->requests);
        suite_send_window(link, link->requests + link->window);
        MPI_Waitall(2 * link->window, link->requests, link->ignored);
        suite_meet(link);
    }
    return suite_since(start) / windows;
}

void suite_bandwidth_bi_multiport(const struct suite_request* request) {
    suite_sweep_windows(suite_open(request), "bandwidth_aggregate", 2, answered_windows);
}

static double crossing_windows(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i) {
        suite_send_window(link, link->requests);
        suite_receive_window(link, link->requests + link->window);
        MPI_Waitall(2 * link->window, link->requests, link->ignored);
    }
    return suite_since(start) / windows;
}

void suite_bandwidth_bothway(const struct suite_request* request) {
    suite_sweep_windows(suite_open(request), "bandwidth_aggregate", 2, crossing_windows);
}
