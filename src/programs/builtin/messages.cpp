/// hello: every rank says where it is. ping-pong: rank 0 and the last one send a message to and
/// fro. ring: a message goes round all ranks; each adds its number to the first word. barrier,
/// broadcast, allreduce and all-to-all: a collective operation over and over.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
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
    const Timed timed;
    for (int i = 0; i < iterations; ++i)
        to_and_fro(session, partner, out, in);
    const double one_way = timed.end() / iterations / 2;
    session.say("%10zu  %12.3f  %10.1f\n", size, one_way * 1e6,
                static_cast<double>(size) / one_way * 1e-6);
}

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

int hello(int argc, char** argv) {
    Session session(argc, argv, "Every rank says where it is.");
    if (!session.begin()) return session.exit_code();

    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    session.check(length == static_cast<int>(std::strlen(name)));

    constexpr int one = MPI_MAX_PROCESSOR_NAME;
    const auto all = static_cast<std::size_t>(session.rank() == 0 ? session.size() : 0);
    std::vector<char> names(all * one);
    MPI_Gather(name, one, MPI_CHAR, names.data(), one, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (std::size_t rank = 0; rank < all; ++rank)
        session.say("rank %zu of %zu on %s\n", rank, all, &names[rank * one]);
    return session.verdict();
}

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
    const Timed timed;
    for (int round = 0; round < iterations; ++round)
        if (const auto sum = go_round(session, message); session.rank() == 0)
            session.check(sum == ranks * (ranks - 1) / 2);
    const double each = timed.end() / iterations;
    session.say("ring of %d ranks, %zu bytes: %.3f us a round, %.3f us a hop\n", session.size(),
                size, each * 1e6, each * 1e6 / session.size());
    return session.verdict();
}

namespace {

/// Seconds a call, of the slowest rank; known to rank 0 alone.
template <class Call>
double seconds_a_call(int iterations, Call&& call) {
    call();
    MPI_Barrier(MPI_COMM_WORLD);
    const Timed timed;
    for (int i = 0; i < iterations; ++i)
        call();
    const double mine = timed.end() / iterations;
    double slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
}

/// A byte that tells who sent the block, to whom, and where in it we are.
char byte_of(std::size_t from, std::size_t to, std::size_t at) {
    return static_cast<char>(from * 31 + to * 17 + at);
}

bool have_one_clock() {
    int* global = nullptr;
    int known = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &known);
    return known != 0 && *global != 0;
}

/// Nobody leaves before the last has come. Where clocks differ, nobody can tell.
void check_order(Session& session) {
    const double entered = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    const double left = MPI_Wtime();
    double last_in = 0;
    double first_out = 0;
    MPI_Allreduce(&entered, &last_in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first_out, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (have_one_clock()) session.check(last_in <= first_out);
}

/// Seconds from the root's call until the last rank has the data; where clocks differ, the longest
/// that one waits. For the root alone.
double seconds_of_broadcast(Session& session, std::vector<char>& data, int root) {
    MPI_Barrier(MPI_COMM_WORLD);  // nobody is still busy with the last one
    const double start = MPI_Wtime();
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, root, MPI_COMM_WORLD);
    const double mine = have_one_clock() ? MPI_Wtime() : MPI_Wtime() - start;
    double last = 0;
    MPI_Reduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
    for (std::size_t at = 0; at < data.size(); ++at)
        session.check(data[at] == byte_of(static_cast<std::size_t>(root), 0, at));
    return have_one_clock() ? last - start : last;
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
                each > 0 ? static_cast<double>((ranks - 1) * size) / each * 1e-6 : 0.0);
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

int broadcast(int argc, char** argv) {
    Session session(argc, argv, "One rank sends the same data to all.");
    const std::size_t size = session.bytes("--size", 8, "bytes of the data");
    const int iterations = session.count("--iterations", 10, "how often");
    if (!session.begin()) return session.exit_code();

    std::vector<char> data(size);
    const auto from = [&](int root) {
        for (std::size_t at = 0; at < size; ++at)
            data[at] =
                session.rank() == root ? byte_of(static_cast<std::size_t>(root), 0, at) : ' ';
        return seconds_of_broadcast(session, data, root);
    };
    for (const int root : {session.size() - 1, session.size() / 2, 0})
        from(root);
    double all = 0;
    MPI_Pcontrol(1);
    for (int i = 0; i < iterations; ++i)
        all += from(0);
    MPI_Pcontrol(0);
    const double each = all / iterations;
    session.say("broadcast to %d ranks, %zu bytes: %.3f us, %.1f MB/s\n", session.size(), size,
                each * 1e6, each > 0 ? static_cast<double>(size) / each * 1e-6 : 0.0);
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
