/// all-to-all, allreduce and barrier: a collective call, once to connect, then over and over.

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

namespace {

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

/// A byte that tells who sent the block, to whom, and where in it we are.
char byte_of(std::size_t from, std::size_t to, std::size_t at) {
    return static_cast<char>(from * 31 + to * 17 + at);
}

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

int all_to_all(int argc, char** argv) {
    Session session(argc, argv, "Every rank sends a block to every other.");
    const std::size_t size = session.bytes("--size", 1 << 10, "bytes of a block");
    const int iterations = session.count("--iterations", 3, "how often");
    if (!session.begin()) return session.exit_code();

    const auto ranks = static_cast<std::size_t>(session.size());
    const auto me = static_cast<std::size_t>(session.rank());
    std::vector<char> out(ranks * size);
    std::vector<char> in(ranks * size);
    for (std::size_t to = 0; to < ranks; ++to)
        for (std::size_t at = 0; at < size; ++at)
            out[to * size + at] = byte_of(me, to, at);
    const int length = static_cast<int>(size);
    const double each = seconds_a_call(iterations, [&] {
        MPI_Alltoall(out.data(), length, MPI_CHAR, in.data(), length, MPI_CHAR, MPI_COMM_WORLD);
    });
    for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t at = 0; at < size; ++at)
            session.check(in[from * size + at] == byte_of(from, me, at));
    session.say("all-to-all of %d ranks, %zu bytes a block: %.3f us, %.1f MB/s a rank\n",
                session.size(), size, each * 1e6,
                static_cast<double>((ranks - 1) * size) / each * 1e-6);
    return session.verdict();
}

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
