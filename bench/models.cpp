/// What virtual time costs in real time: events and switches of the engine, messages through a
/// modelled adapter, and the switch network of Quadrics.

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "bench/suite.hpp"
#include "experiments/user/bundle.hpp"
#include "experiments/user/procedures.hpp"
#include "interconnects/quadrics/elite/load.hpp"
#include "railyard/base/error.hpp"
#include "sim/engine.hpp"

namespace railyard::bench {

namespace {

/// Runs the engine and says how many millions of `things` a second that was.
double millions_per_second(sim::Engine& engine, double things) {
    const double start = thread_clock::now().seconds();
    engine.run();
    return things / (thread_clock::now().seconds() - start) / 1e6;
}

/// `pending` chains of events, each scheduling its successor at some later time.
struct Chain {
    sim::Engine& engine;
    unsigned& left;
    std::uint64_t state;  ///< of a small generator: the same times in every run

    void operator()() {
        if (left == 0) return;
        --left;
        state = state * 6364136223846793005U + 1442695040888963407U;
        engine.schedule(engine.now() + Duration::ps(static_cast<std::int64_t>(state >> 44)),
                        Chain(*this));
    }
};

double events(unsigned pending) {
    constexpr unsigned count = 1'000'000;
    sim::Engine engine;
    unsigned left = count;
    for (unsigned i = 0; i < pending; ++i)
        engine.schedule(Time(), Chain{engine, left, i * 0x9e3779b97f4a7c15U});
    return millions_per_second(engine, count);
}

/// Fibers that wait a picosecond, over and over: two switches a turn, out and back in.
double switches(unsigned fibers) {
    constexpr unsigned count = 500'000;
    sim::Engine engine;
    for (unsigned i = 0; i < fibers; ++i) {
        engine.spawn("fiber", [&engine, turns = count / fibers] {
            for (unsigned turn = 0; turn < turns; ++turn)
                engine.sleep_until(engine.now() + Duration::ps(1));
        });
    }
    return millions_per_second(engine, 2.0 * (count / fibers) * fibers);
}

}  // namespace

void engine(const Settings& settings, const Report& report) {
    constexpr double switch_of_60_ns = 1e3 / 60;
    const auto figure = [&](std::string name, std::string note, double target,
                            double (*measure)(unsigned), unsigned argument) {
        std::vector<double> values;
        for (unsigned i = 0; i < settings.rounds; ++i)
            values.push_back(measure(argument));
        report({.name = std::move(name),
                .unit = "million/s",
                .ours = median(values),
                .target = Target{Target::Kind::at_least, target, 0, true},
                .note = std::move(note)});
    };
    figure("engine/events", "64 pending", 8, events, 64);
    figure("engine/events-many", "64 Ki pending", 8, events, 64 << 10);
    figure("engine/switches", "2 fibers", switch_of_60_ns, switches, 2);
    figure("engine/switches-many", "1000 fibers", switch_of_60_ns, switches, 1000);
}

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

// The switch network of Quadrics: what it costs to follow it flit by flit and packet by packet,
// and how far the two are from each other under load (docs/elite.md).

namespace {

using elite::Detail;
using elite::Load;
using elite::LoadPoint;
using elite::Pattern;

/// 64 nodes that send 320 bytes at a time, as in the tests of both levels.
Load load(Pattern pattern, double offered, Detail detail) {
    Load out;
    out.parameters.dimension = 3;
    out.parameters.detail = detail;
    out.pattern = pattern;
    out.offered = offered;
    out.payload = Bytes(320);
    out.measured = Duration::us(60);
    return out;
}

double million_flit_hops_per_second() {
    const Duration start = thread_clock::now();
    const LoadPoint point = run_load(load(Pattern::uniform, 0.3, Detail::flits));
    return static_cast<double>(point.counters.flit_hops) / (thread_clock::now() - start).seconds() /
           1e6;
}

/// Of packets that rarely meet, 64 bytes each; 20,000 or so.
double nanoseconds_a_packet(unsigned dimension) {
    Load calm;
    calm.parameters.dimension = dimension;
    calm.offered = 0.01;
    const auto nodes = static_cast<double>(std::uint64_t{1} << (2 * dimension));
    calm.measured = Duration::ns(static_cast<std::int64_t>(20'000 / nodes * 64 / 0.4 / 0.01));
    const Duration start = thread_clock::now();
    const LoadPoint point = run_load(calm);
    return (thread_clock::now() - start).seconds() * 1e9 / static_cast<double>(point.counters.sent);
}

void report_level(const Report& report, Pattern pattern, double offered) {
    const LoadPoint packets = run_load(load(pattern, offered, Detail::packets));
    const LoadPoint flits = run_load(load(pattern, offered, Detail::flits));
    const auto figure = [&](const char* what, const char* unit, double ours, double reference) {
        report({.name = fmt::format("elite/{}/{}/{}", what, name(pattern), offered),
                .unit = unit,
                .ours = ours,
                .reference = reference,
                .ratio = ours / reference,
                .note = "packets beside flits, 64 nodes"});
    };
    figure("accepted", "of a link", packets.accepted, flits.accepted);
    figure("latency", "ns", packets.mean_network_latency.seconds() * 1e9,
           flits.mean_network_latency.seconds() * 1e9);
}

}  // namespace

void elite_network(const Settings& settings, const Report& report) {
    std::vector<double> hops, few, many, ratios;
    for (unsigned i = 0; i < settings.rounds; ++i) {
        hops.push_back(million_flit_hops_per_second());
        few.push_back(nanoseconds_a_packet(2));
        many.push_back(nanoseconds_a_packet(5));
        ratios.push_back(many.back() / few.back());
    }
    report({.name = "elite/flit-hops",
            .unit = "million/s",
            .ours = median(hops),
            .target = Target{Target::Kind::at_least, 1, 0, true},
            .note = "64 nodes, uniform at 0.3"});
    report({.name = "elite/packet/1024",
            .unit = "ns",
            .ours = median(many),
            .reference = median(few),
            .ratio = median(ratios),
            .target = Target{Target::Kind::at_most, 1.5},
            .note = "1024 nodes beside 16, 64-byte packets one by one"});
    for (const auto& [pattern, offered] :
         {std::pair{Pattern::uniform, 0.1}, std::pair{Pattern::uniform, 0.3},
          std::pair{Pattern::uniform, 1.0}, std::pair{Pattern::transpose, 0.3},
          std::pair{Pattern::transpose, 1.0}, std::pair{Pattern::bit_complement, 0.3},
          std::pair{Pattern::bit_complement, 1.0}, std::pair{Pattern::hot_spot, 0.05}})
        report_level(report, pattern, offered);
}

}  // namespace railyard::bench
