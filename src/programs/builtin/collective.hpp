#pragma once
/// Times a collective call: once to connect, then over and over, all ranks together.

#include <mpi.h>

namespace railyard::programs {

/// Seconds a call, of the slowest rank; known to rank 0 alone.
template <class Call>
double seconds_a_call(int iterations, Call&& call) {
    call();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i)
        call();
    const double mine = (MPI_Wtime() - start) / iterations;
    double slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
}

}  // namespace railyard::programs
