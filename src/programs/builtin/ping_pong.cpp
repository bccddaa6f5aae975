// Rank 0 and the last one send a message to and fro.

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

namespace {

void to_and_fro(Session& session, int partner, std::vector<char>& out, std::vector<char>& in) {
    const int length = static_cast<int>(out.size());
    const auto send = [&] { MPI_Send(out.data(), length, MPI_CHAR, partner, 0, MPI_COMM_WORLD); };
    const auto receive = [&] {
        MPI_Recv(in.data(), length, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    if (session.rank() == 0) {
        send();
        receive();
    } else {
        receive();
        send();
    }
}

void measure(Session& session, int partner, std::size_t size, int iterations) {
    std::vector<char> out(size, static_cast<char>('a' + session.rank() % 26));
    std::vector<char> in(size, ' ');
    to_and_fro(session, partner, out, in);
    session.check(std::count(in.begin(), in.end(), 'a' + partner % 26) ==
                  static_cast<std::ptrdiff_t>(size));
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i)
        to_and_fro(session, partner, out, in);
    const double one_way = (MPI_Wtime() - start) / iterations / 2;
    session.say("%10zu  %12.3f  %10.1f\n", size, one_way * 1e6,
                static_cast<double>(size) / one_way * 1e-6);
}

}  // namespace

int ping_pong(int argc, char** argv) {
    Session session(argc, argv, "Rank 0 and the last one send a message to and fro.");
    const std::size_t most = session.bytes("--size", 1 << 20, "the largest message");
    const int iterations = session.count("--iterations", 10, "how often at each size");
    if (!session.begin()) return session.exit_code();
    if (session.size() == 1) {
        session.say("1 rank has no partner; start 2 or more\n");
        return session.verdict();
    }

    const int last = session.size() - 1;
    session.say("     bytes    us one way        MB/s\n");
    if (session.rank() == 0 || session.rank() == last) {
        const int partner = last - session.rank();
        measure(session, partner, 0, iterations);
        for (std::size_t size = 1; size <= most; size *= 2)
            measure(session, partner, size, iterations);
    }
    return session.verdict();
}

}  // namespace railyard::programs
