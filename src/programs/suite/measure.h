#pragma once
/// What all procedures share: the two ranks that talk, their buffers, how a batch of iterations
/// becomes a sample, and how samples become rows.

#include <mpi.h>
#include <stddef.h>

#include "suite.h"

enum { tag_data = 1, tag_reply = 2, tag_noise = 3 };

/* One end of the pair that measures: the first and the last rank. */
struct suite_link {
    const struct suite_request* request;
    int first; /* whether this rank is the one that begins, and keeps the time */
    int peer;
    int length; /* of a message, bytes */
    char* out;  /* page-aligned and touched, as long as the largest message */
    char* in;
    int window;
    MPI_Request* requests; /* two windows of them */
    MPI_Status* ignored; /* MPI_STATUSES_IGNORE, hidden from compilers that take it for an array */
    char* next;          /* the buffer of the next iteration, where each has its own */
    size_t apart;        /* from where it sends to where it receives */
    size_t stride;       /* from one iteration to the next */
    MPI_Request* posted; /* receives of a queue that nothing matches, */
    char unread;         /* and where they would put it */
    double* samples;     /* as many as the request has batches */
};

/* Null if this rank is not of the pair. */
struct suite_link* suite_open(const struct suite_request* request);
/* Lets the library come to its steady state: connections are made, and some treat a pair better
   once it has talked for a while. Not if the request has no warm-up. */
void suite_warm(struct suite_link* link);

/* How often a procedure measures: `batches` times `iterations`, after a warm-up. */
struct suite_rounds {
    int warmup, batches, iterations;
};

/* As requested, but fewer iterations where each moves so much that all together would take long. */
struct suite_rounds suite_rounds_of(const struct suite_request* request, double bytes_an_iteration);

/* Runs a number of iterations and returns how many seconds each took. */
typedef double (*suite_batch)(struct suite_link* link, int iterations);

/* Fills link->samples with the seconds of an iteration, one for each batch. */
void suite_measure(struct suite_link* link, struct suite_rounds rounds, suite_batch batch);

/* Hands over a row on rank 0, its samples being link->samples, each times `factor`. */
void suite_emit_times(struct suite_link* link, struct suite_rounds rounds, double factor,
                      const char* metric, const struct suite_parameter* parameters, int count);
/* The same for rates: `bytes` an iteration over its seconds, in MB/s. */
void suite_emit_rates(struct suite_link* link, struct suite_rounds rounds, double bytes,
                      const char* metric, const struct suite_parameter* parameters, int count);
void suite_emit(const struct suite_request* request, const char* metric, const char* unit,
                const struct suite_parameter* parameters, int count, const double* samples,
                int sample_count);

/* Says on rank 0 what is measured now; bytes < 0: messages have no size. */
void suite_say(const struct suite_request* request, const char* what, long long bytes);

/* Memory that is page-aligned and touched. It stays until MPI_Finalize, so that none is ever taken
   for memory that the library has seen before. Never null: without memory the job ends. */
void* suite_memory(size_t bytes);
/* For samples and the like. */
double* suite_numbers(int count);

/* Seconds since a reading of MPI_Wtime, in whole picoseconds: as doubles, differences of large
   numbers would differ in their last digits. */
double suite_since(double start);

/* A message there and one back, by blocking calls. */
void suite_round_trip(struct suite_link* link, char* out, char* in);
/* An iteration is a round trip. */
double suite_ping_pong(struct suite_link* link, int iterations);
/* Both ends have come here. */
void suite_meet(struct suite_link* link);

static inline struct suite_parameter suite_number(const char* name, long long number) {
    const struct suite_parameter parameter = {name, NULL, number};
    return parameter;
}

static inline struct suite_parameter suite_text(const char* name, const char* text) {
    const struct suite_parameter parameter = {name, text, 0};
    return parameter;
}

/* Windows of sends one way, each waited for; the receiver acknowledges the last message. */
double suite_windows_one_way(struct suite_link* link, int windows);

/* The procedures; list.c says what they measure. */

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
