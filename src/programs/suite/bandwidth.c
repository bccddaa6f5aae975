/* mpi-bandwidth-uni: windows of sends, each waited for, and one acknowledgment at the end.
   mpi-bandwidth-uni-multiport: a reply to every window. */

#include "procedures.h"
#include "windows.h"

void suite_bandwidth_uni(const struct suite_request* request) {
    suite_sweep_windows(suite_open(request), "bandwidth", 1, suite_windows_one_way);
}

static double answered_windows(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i)
        suite_windows_one_way(link, 1);
    return suite_since(start) / windows;
}

void suite_bandwidth_uni_multiport(const struct suite_request* request) {
    suite_sweep_windows(suite_open(request), "bandwidth", 1, answered_windows);
}
