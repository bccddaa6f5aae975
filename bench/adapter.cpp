/// Messages through a whole modelled adapter in virtual time: what they cost in real time.

#include <algorithm>

#include "base/clock.hpp"
#include "bench/duel.hpp"
#include "bench/suite.hpp"
#include "experiments/pair.hpp"
#include "experiments/procedures.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

/// Seconds of processor time for each message of a ping-pong of RDMA writes.
double seconds_a_message(Bytes size, unsigned round_trips) {
    double start = 0;
    double end = 0;
    job::Options options;
    options.fabric = "infiniband-pcie";
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        experiments::Pair pair(rank, "adapter", {.buffer = size});
        const auto run = [&](unsigned n) {
            experiments::ping_pong(pair, fabric::Op::rdma_write, size, {0, n, 1});
        };
        run(2);
        if (rank.id() == 0) start = thread_clock::now().seconds();
        run(round_trips);
        if (rank.id() == 0) end = thread_clock::now().seconds();
        pair.part();
    });
    if (!result.ok) throw Error(result.failure);
    return (end - start) / (2.0 * round_trips);
}

double best_of(unsigned rounds, Bytes size, unsigned round_trips) {
    double best = seconds_a_message(size, round_trips);
    for (unsigned i = 1; i < rounds; ++i)
        best = std::min(best, seconds_a_message(size, round_trips));
    return best;
}

}  // namespace

void adapter(const Settings& settings, const Report& report) {
    report({.name = "adapter/8",
            .unit = "million/s",
            .ours = 1e-6 / best_of(settings.rounds, Bytes(8), 50'000),
            .target = Target{Target::Kind::at_least, 0.6, 0, true},
            .note = "messages of 8 bytes through infiniband-pcie"});
    report({.name = "adapter/4M",
            .unit = "ms",
            .ours = 1e3 * best_of(settings.rounds, Bytes(4 << 20), 50),
            .target = Target{Target::Kind::at_most, 0.2, 0, true},
            .note = "4 MiB in packets of 1 KiB, and their copy"});
}

}  // namespace railyard::bench
