#pragma once
/// What both queue experiments do: a ping-pong with nothing in a queue, and one with the queue full
/// of entries that never match.

#include "measure.h"

struct suite_queue {
    const char* what;
    void (*fill)(struct suite_link* link, int entries);  /* both sides, until all are there */
    void (*clear)(struct suite_link* link, int entries); /* and gone */
    suite_batch batch;                                   /* an iteration is a round trip */
};

void suite_sweep_queue(const struct suite_request* request, const struct suite_queue* queue);
