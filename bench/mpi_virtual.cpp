/// The MPI engine in virtual time: what a message costs in real time, and a large all-to-all.

#include <chrono>
#include <numeric>
#include <vector>

#include "base/clock.hpp"
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

/// Runs that on every rank, and gives back the seconds of processor time of it all.
template <class Body>
double seconds_of(int ranks, Body&& body) {
    job::Options options;
    options.fabric = "infiniband-pcie";
    options.ranks = ranks;
    const double start = thread_clock::now().seconds();
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        mpi::Process process(rank);
        std::vector<int> all(static_cast<std::size_t>(rank.size()));
        std::iota(all.begin(), all.end(), 0);
        mpi::Communicator comm(process, 0, mpi::Group(all));
        body(process, comm);
        process.finalize();
    });
    if (!result.ok) throw Error(result.failure);
    return thread_clock::now().seconds() - start;
}

void shift(mpi::Process& process, mpi::Communicator& comm, int rounds) {
    const mpi::Datatype& type = *mpi::predefined(Basic::byte);
    std::byte out[8] = {};
    std::byte in[8] = {};
    const int size = comm.size();
    for (int i = 0; i < rounds; ++i)
        process.exchange(ConstBuffer(out, sizeof out, type), (comm.rank() + 1) % size, 1,
                         Buffer{in, sizeof in, &type}, (comm.rank() + size - 1) % size, 1, comm,
                         nullptr);
}

}  // namespace

void mpi_virtual(const Settings&, const Report& report) {
    constexpr int rounds = 20'000;
    for (const int ranks : {2, 64}) {
        const double seconds = seconds_of(ranks, [ranks](auto& process, auto& comm) {
            shift(process, comm, rounds * 2 / ranks);
        });
        report({.name = "mpi/virtual/ring/" + std::to_string(ranks),
                .unit = "million/s",
                .ours = 2.0 * rounds / seconds * 1e-6,
                .target = Target{Target::Kind::at_least, 0.5, 0, true},
                .note = "8-byte messages through infiniband-pcie"});
    }
    const double seconds = seconds_of(1024, [](auto& process, auto& comm) {
        const mpi::Datatype& type = *mpi::predefined(Basic::byte);
        constexpr std::size_t each = 1024;
        std::vector<std::byte> out(each * static_cast<std::size_t>(comm.size()));
        std::vector<std::byte> in(out.size());
        const auto team = process.make_team(comm);
        mpi::alltoall(*team, ConstBuffer(out.data(), each, type), Buffer{in.data(), each, &type});
    });
    report({.name = "mpi/virtual/alltoall/1024",
            .unit = "s",
            .ours = seconds,
            .target = Target{Target::Kind::at_most, 3, 0, true},
            .note = "1 KiB from each to each on infiniband-pcie; SMPI takes 25 s"});
}

}  // namespace railyard::bench
