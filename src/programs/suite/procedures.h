#pragma once
/// The procedures, each in the file that its name tells; list.c says what they measure.

#include "suite.h"

void suite_latency(const struct suite_request* request);
void suite_bandwidth_pingpong(const struct suite_request* request);
void suite_bandwidth_uni(const struct suite_request* request);
void suite_bandwidth_uni_multiport(const struct suite_request* request);
void suite_bandwidth_bi_multiport(const struct suite_request* request);
void suite_bandwidth_bothway(const struct suite_request* request);
void suite_logp(const struct suite_request* request);
void suite_buffer_reuse(const struct suite_request* request);
void suite_unexpected_queue(const struct suite_request* request);
void suite_receive_queue(const struct suite_request* request);
void suite_mvich(const struct suite_request* request);
void suite_allreduce(const struct suite_request* request);
void suite_bcast(const struct suite_request* request);
void suite_reduce(const struct suite_request* request);
void suite_barrier(const struct suite_request* request);
void suite_allgather(const struct suite_request* request);
void suite_alltoall(const struct suite_request* request);
void suite_init_time(const struct suite_request* request);
