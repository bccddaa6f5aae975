// Every rank sends a block of its own to every other.

#include <mpi.h>

#include <vector>

#include "programs/builtin/collective.hpp"
#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

namespace {

/// A byte that tells who sent the block, to whom, and where in it we are.
char byte_of(std::size_t from, std::size_t to, std::size_t at) {
    return static_cast<char>(from * 31 + to * 17 + at);
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

}  // namespace railyard::programs
