/* mvich-latency-bandwidth: a ping-pong whose first message, and with it the making of a connection,
   lies within the timed loop; then windowed bandwidth. */

#include "procedures.h"
#include "windows.h"

static void latency(struct suite_link* link) {
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
        latency(link);
    }
    /* As many messages as before, not as many windows. */
    struct suite_request in_windows = *request;
    in_windows.iterations = (request->iterations + link->window - 1) / link->window;
    link->request = &in_windows;
    suite_sweep_windows(link, "bandwidth", 1, suite_windows_one_way);
}
