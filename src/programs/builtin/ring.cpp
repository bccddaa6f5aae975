// A message goes round all ranks; each adds its number to the first word.

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

namespace {

/// One round. Returns what the message brought back; of use on rank 0.
std::uint64_t go_round(const Session& session, std::vector<char>& message) {
    const int next = (session.rank() + 1) % session.size();
    const int previous = (session.rank() + session.size() - 1) % session.size();
    const int length = static_cast<int>(message.size());
    std::uint64_t sum = 0;
    const auto send = [&] { MPI_Send(message.data(), length, MPI_CHAR, next, 0, MPI_COMM_WORLD); };
    const auto receive = [&] {
        MPI_Recv(message.data(), length, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::memcpy(&sum, message.data(), sizeof sum);
    };
    if (session.rank() == 0) {
        std::memcpy(message.data(), &sum, sizeof sum);
        send();
        receive();
    } else {
        receive();
        sum += static_cast<std::uint64_t>(session.rank());
        std::memcpy(message.data(), &sum, sizeof sum);
        send();
    }
    return sum;
}

}  // namespace

int ring(int argc, char** argv) {
    Session session(argc, argv, "A message goes round all ranks.");
    std::size_t size = session.bytes("--size", 8, "bytes of the message, 8 at least");
    const int iterations = session.count("--iterations", 10, "rounds");
    if (!session.begin()) return session.exit_code();
    if (size < sizeof(std::uint64_t)) size = sizeof(std::uint64_t);

    std::vector<char> message(size);
    if (session.size() == 1) {
        session.say("1 rank is no ring; start 2 or more\n");
        return session.verdict();
    }
    const auto ranks = static_cast<std::uint64_t>(session.size());
    go_round(session, message);  // Connections are made on the way.
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int round = 0; round < iterations; ++round)
        if (const auto sum = go_round(session, message); session.rank() == 0)
            session.check(sum == ranks * (ranks - 1) / 2);
    const double each = (MPI_Wtime() - start) / iterations;
    session.say("ring of %d ranks, %zu bytes: %.3f us a round, %.3f us a hop\n", session.size(),
                size, each * 1e6, each * 1e6 / session.size());
    return session.verdict();
}

}  // namespace railyard::programs
