#include "windows.h"

void suite_send_window(struct suite_link* link, MPI_Request* requests) {
    for (int i = 0; i < link->window; ++i)
        MPI_Isend(link->out, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
                  &requests[i]);
}

/* All into one buffer, as bandwidth tests do: nobody reads it. */
void suite_receive_window(struct suite_link* link, MPI_Request* requests) {
    for (int i = 0; i < link->window; ++i)
        MPI_Irecv(link->in, link->length, MPI_BYTE, link->peer, tag_data, MPI_COMM_WORLD,
                  &requests[i]);
}

double suite_windows_one_way(struct suite_link* link, int windows) {
    const double start = MPI_Wtime();
    for (int i = 0; i < windows; ++i) {
        if (link->first)
            suite_send_window(link, link->requests);
        else
            suite_receive_window(link, link->requests);
        MPI_Waitall(link->window, link->requests, link->ignored);
    }
    if (link->first)
        MPI_Recv(NULL, 0, MPI_BYTE, link->peer, tag_reply, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, link->peer, tag_reply, MPI_COMM_WORLD);
    return suite_since(start) / windows;
}

void suite_sweep_windows(struct suite_link* link, const char* metric, int ways, suite_batch batch) {
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
