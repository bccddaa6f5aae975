/// MPI in virtual time with very many ranks: what a rank and a connection take of memory, how long
/// it takes until all are connected with all, and how large a job fits on a desk.

#include <array>
#include <cmath>
#include <cstddef>

#include "base/clock.hpp"
#include "base/stopwatch.hpp"
#include "bench/suite.hpp"
#include "launch/job/job.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/datatype.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

using mpi::Basic;
using mpi::Buffer;
using mpi::ConstBuffer;

constexpr std::size_t edge = 512;
constexpr std::size_t neighbours = 4;
constexpr int steps = 10;
/// What the halo itself has, a rank.
constexpr double own_data = 2.0 * edge * neighbours;

job::Options options_for(int ranks) {
    job::Options options;
    options.fabric = "infiniband-pcie";
    options.ranks = ranks;
    return options;
}

template <class Body>
void run(const job::Options& options, Body&& body) {
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        mpi::Process process(rank);
        mpi::Communicator comm(process, 0, mpi::Group::all(rank.size()));
        body(process, comm);
        process.finalize();
    });
    if (!result.ok) throw Error(result.failure);
}

/// Ranks as a torus, as square as their number allows, exchange edges. Nothing is computed.
void exchange_edges(mpi::Process& process, mpi::Communicator& comm) {
    int columns = static_cast<int>(std::sqrt(comm.size()));
    while (comm.size() % columns != 0)
        --columns;
    const int rows = comm.size() / columns;
    const int x = comm.rank() % columns;
    const int y = comm.rank() / columns;
    const auto at = [&](int column, int row) {
        return (row + rows) % rows * columns + (column + columns) % columns;
    };
    const std::array<int, neighbours> peers{at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)};
    const mpi::Datatype& type = *mpi::predefined(Basic::byte);
    std::byte out[neighbours][edge] = {};
    std::byte in[neighbours][edge];
    for (int step = 0; step < steps; ++step) {
        std::array<mpi::Request*, 2 * neighbours> under_way{};
        for (std::size_t i = 0; i < neighbours; ++i) {
            under_way[2 * i] = &process.start_receive({in[i], edge, &type}, peers[i], 0, comm);
            under_way[2 * i + 1] = &process.start_send({out[i], edge, type}, peers[i], 0, comm);
        }
        for (mpi::Request* request : under_way) {
            process.wait(*request);
            process.release(*request);
        }
    }
    mpi::barrier(*process.make_team(comm));
}

void connect_all(int ranks) {
    job::Options options = options_for(ranks);
    options.settings[mpi::Settings::section].emplace_back("connections", "static-peer");
    run(options, [](mpi::Process&, mpi::Communicator&) {});
}

}  // namespace

void halo_of_1024() {
    run(options_for(1024), exchange_edges);
}
void halo_of_4096() {
    run(options_for(4096), exchange_edges);
}
void halo_of_100000() {
    run(options_for(100'000), exchange_edges);
}
void all_connected_256() {
    connect_all(256);
}
void all_connected_512() {
    connect_all(512);
}

void mpi_many_ranks(const Settings&, const Report& report) {
    const double rank =
        (peak_memory("halo-4096") - peak_memory("halo-1024")) / (4096 - 1024) - own_data;
    report({.name = "mpi/virtual/memory/rank",
            .unit = "KiB",
            .ours = rank / 1024,
            .target = Target{Target::Kind::at_most, 64, 0, true},
            .note = "a halo in two dimensions on infiniband-pcie, beyond its own data"});
    const auto ends = [](double ranks) { return ranks * (ranks - 1); };
    const double connection =
        (peak_memory("connected-512") - peak_memory("connected-256") - 256 * rank) /
        (ends(512) - ends(256));
    report({.name = "mpi/virtual/memory/connection",
            .unit = "KiB",
            .ours = connection / 1024,
            .target = Target{Target::Kind::at_most, 2, 0, true},
            .note = "an end of one, unused"});
    const double start = thread_clock::now().seconds();
    connect_all(1024);
    report({.name = "mpi/virtual/start/1024",
            .unit = "s",
            .ours = thread_clock::now().seconds() - start,
            .target = Target{Target::Kind::at_most, 5, 0, true},
            .note = "each rank connected with each"});
    const Stopwatch watch;
    const double memory = peak_memory("halo-100000");
    const double seconds = watch.elapsed().seconds();
    report({.name = "mpi/virtual/halo/100000/memory",
            .unit = "GB",
            .ours = memory / 1e9,
            .target = Target{Target::Kind::at_most, 16, 0, true},
            .note = "10 steps"});
    report({.name = "mpi/virtual/halo/100000",
            .unit = "s",
            .ours = seconds,
            .target = Target{Target::Kind::at_most, 60, 0, true},
            .note = "start and end included"});
}

}  // namespace railyard::bench
