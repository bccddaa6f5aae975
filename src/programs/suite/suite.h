#pragma once
/// The measuring procedures of MPI as ordinary MPI code: they build with any mpicc, and hand rows
/// of samples to whoever calls them. MPI is initialised and finalised by the caller.

#ifdef __cplusplus
extern "C" {
#endif

/* What a row was measured with; text NULL: a number. */
struct suite_parameter {
    const char* name;
    const char* text;
    long long number;
};

/* Lives as long as the call that hands it over. */
struct suite_row {
    const char* metric;
    const char* unit;
    const struct suite_parameter* parameters;
    int parameter_count;
    const double* samples;
    int sample_count;
};

/* What to measure; the same on every rank. */
struct suite_request {
    const long long* sizes; /* message sizes, bytes; below 2^31 */
    int size_count;
    int window;                      /* messages to a reply; 0: 64 */
    int queue;                       /* entries of the queue experiments; 0: 1000 */
    int buffers;                     /* of the reuse experiment; 0: 1024 */
    int iterations, warmup, batches; /* a batch of iterations gives one sample */
    double init_seconds; /* what MPI_Init took on this rank, by the caller's clock; < 0: unknown */
    void (*emit)(void* to, const struct suite_row* row); /* called on rank 0 only */
    void (*progress)(void* to, const char* what);        /* on rank 0 only; may be null */
    /* Lets that much time pass without a call that would drive the MPI library. Null: spins on
       MPI_Wtime, which in virtual time would never end. */
    void (*idle)(void* to, double seconds);
    void* to;
};

/* Every rank of MPI_COMM_WORLD calls `run`. Procedures for a pair of ranks measure between the
   first and the last; the others return at once. Memory that they take stays until MPI_Finalize:
   were it given back before, the library might meet it again and take it for known. */
struct suite_experiment {
    const char* name;
    const char* summary;
    int least_ranks, most_ranks; /* that take part; most_ranks 0: all */
    void (*run)(const struct suite_request*);
    const char* experiment; /* that the rows belong to: several procedures may share one */
    const long long* sizes; /* the usual ones */
    int size_count;
    int window; /* the usual one; 0: the procedure has none */
};

/* All of them. */
const struct suite_experiment* suite_experiments(int* count);

#ifdef __cplusplus
}
#endif
