// All ranks wait for each other.

#include <mpi.h>

#include "programs/builtin/collective.hpp"
#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

namespace {

/// Nobody leaves before the last has come. Where clocks differ, nobody can tell.
void check_order(Session& session) {
    int* global = nullptr;
    int known = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &known);
    const double entered = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    const double left = MPI_Wtime();
    double last_in = 0;
    double first_out = 0;
    MPI_Allreduce(&entered, &last_in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first_out, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (known != 0 && *global != 0) session.check(last_in <= first_out);
}

}  // namespace

int barrier(int argc, char** argv) {
    Session session(argc, argv, "All ranks wait for each other.");
    const int iterations = session.count("--iterations", 10, "barriers");
    if (!session.begin()) return session.exit_code();

    const double each = seconds_a_call(iterations, [] { MPI_Barrier(MPI_COMM_WORLD); });
    check_order(session);
    session.say("barrier of %d ranks: %.3f us\n", session.size(), each * 1e6);
    return session.verdict();
}

}  // namespace railyard::programs
