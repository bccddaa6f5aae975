#include "queues.h"

#include <string.h>

static void measure(struct suite_link* link, const struct suite_queue* queue, int entries,
                    struct suite_rounds rounds) {
    queue->fill(link, entries);
    suite_measure(link, rounds, queue->batch);
    queue->clear(link, entries);
    const struct suite_parameter parameters[] = {suite_number("message_bytes", link->length),
                                                 suite_number("queue", entries)};
    suite_emit_times(link, rounds, 0.5, "latency", parameters, 2);
}

void suite_sweep_queue(const struct suite_request* request, const struct suite_queue* queue) {
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
