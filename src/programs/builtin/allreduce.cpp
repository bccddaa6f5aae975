// All ranks add up their vectors, and all get the sum.

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "programs/builtin/collective.hpp"
#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

int allreduce(int argc, char** argv) {
    Session session(argc, argv, "All ranks add up their vectors of doubles.");
    const std::size_t size = session.bytes("--size", 8, "bytes of a vector, 8 at least");
    const int iterations = session.count("--iterations", 10, "how often");
    if (!session.begin()) return session.exit_code();

    const std::size_t n = std::max<std::size_t>(1, size / sizeof(double));
    std::vector<double> mine(n);
    std::vector<double> sum(n);
    // Whole numbers: their sum is the same in whichever order they are added.
    for (std::size_t i = 0; i < n; ++i)
        mine[i] = static_cast<double>(i % 1000 + static_cast<std::size_t>(session.rank()));
    const double each = seconds_a_call(iterations, [&] {
        MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
    });
    const double ranks = session.size();
    for (std::size_t i = 0; i < n; ++i)
        session.check(sum[i] == ranks * static_cast<double>(i % 1000) + ranks * (ranks - 1) / 2);
    session.say("allreduce of %d ranks, %zu bytes: %.3f us\n", session.size(), n * sizeof(double),
                each * 1e6);
    return session.verdict();
}

}  // namespace railyard::programs
