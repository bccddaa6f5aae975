/// The switch network of Quadrics: what it costs to follow it flit by flit and packet by packet,
/// and how far the two are from each other under load (docs/elite.md).

#include "interconnects/quadrics/elite/load.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "bench/duel.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

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
