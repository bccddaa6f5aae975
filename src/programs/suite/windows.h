#pragma once
/// Windows of messages that are under way together, from which the bandwidth procedures are made.

#include "measure.h"

/* Starts a window of sends, or of receives, whose requests go to `requests`. */
void suite_send_window(struct suite_link* link, MPI_Request* requests);
void suite_receive_window(struct suite_link* link, MPI_Request* requests);

/* One way: windows of sends, each waited for; the receiver acknowledges the last message. */
double suite_windows_one_way(struct suite_link* link, int windows);

/* Measures a batch of windows for every size, each of which moves `ways` windows of bytes. */
void suite_sweep_windows(struct suite_link* link, const char* metric, int ways, suite_batch batch);
