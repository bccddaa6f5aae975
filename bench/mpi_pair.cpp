/// Our MPI library beside the best of the others, in turns: latency, bandwidth, message rate, long
/// queues.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/contest.hpp"
#include "bench/programs.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

std::optional<Target> target_of(const std::string& figure) {
    const std::size_t slash = figure.find('/');
    const std::string what = figure.substr(0, slash);
    const long size = std::stol(figure.substr(slash + 1));
    using Kind = Target::Kind;
    if (what == "latency") return Target{Kind::at_most, size <= 32 ? 0.8 : size == 64 ? 0.95 : 1.0};
    if (what == "latency-returned") return Target{Kind::at_most, 1.0};
    if (what == "bandwidth") return Target{Kind::at_least, size >= 64 && size <= 4096 ? 1.15 : 1.0};
    if (what == "rate") return Target{Kind::at_least, 1.5};
    return std::nullopt;
}

/// The worst step of our bandwidth from one size to the next, up to 1 MiB.
void report_dip(const Figures& ours, const Report& report) {
    std::vector<std::pair<long, double>> curve;
    for (const auto& [name, value] : ours)
        if (name.starts_with("bandwidth/")) curve.emplace_back(std::stol(name.substr(10)), value);
    std::sort(curve.begin(), curve.end());
    double worst = 2;
    long at = 0;
    for (std::size_t i = 1; i < curve.size() && curve[i].first <= 1 << 20; ++i)
        if (const double step = curve[i].second / curve[i - 1].second; step < worst) {
            worst = step;
            at = curve[i].first;
        }
    report({.name = "mpi/no-dip",
            .unit = "1",
            .ours = worst,
            .target = Target{Target::Kind::at_least, 0.95, 0, true},
            .note = fmt::format("worst step of the bandwidth, at {} bytes", at)});
}

}  // namespace

void mpi_pair(const Settings& settings, const Report& report) {
    Figures medians;
    for (const Standing& s :
         contest(our_mpi(), peer_mpis(), 2, std::min(settings.rounds, 3u), "pair")) {
        medians[s.figure] = s.ours;
        report({.name = "mpi/" + s.figure,
                .unit = unit_of(s.figure),
                .ours = s.ours,
                .reference = s.theirs,
                .ratio = s.ratio,
                .target = target_of(s.figure),
                .note = s.note});
    }
    report_dip(medians, report);
}

void mpi_one_sided(const Settings& settings, const Report& report) {
    using Kind = Target::Kind;
    for (const Standing& s :
         contest(our_mpi(), peer_mpis(), 2, std::min(settings.rounds, 3u), "one-sided")) {
        const bool allocated = s.figure.find("allocated") != std::string::npos;
        std::optional<Target> target;
        if (less_is_better(s.figure))
            target = Target{Kind::at_most, allocated ? 0.8 : 1.0};
        else if (allocated)
            target = Target{Kind::at_least, 0.95};
        report({.name = "mpi/one-sided/" + s.figure,
                .unit = unit_of(s.figure),
                .ours = s.ours,
                .reference = s.theirs,
                .ratio = s.ratio,
                .target = target,
                .note = s.note});
    }
}

void mpi_types(const Settings& settings, const Report& report) {
    for (const Standing& s : contest(our_mpi(), peer_mpis(), 2, settings.rounds, "types"))
        report({.name = "mpi/types/" + s.figure,
                .unit = unit_of(s.figure),
                .ours = s.ours,
                .reference = s.theirs,
                .ratio = s.ratio,
                .target = Target{Target::Kind::at_most, 1 / 1.2},
                .note = s.note});
}

void mpi_queues(const Settings&, const Report& report) {
    const auto ours = our_mpi().measure(2, "queues 10000");
    for (const char* what : {"unexpected-exact", "unexpected-any", "posted-exact", "posted-any"})
        for (const int n : {1000, 10000}) {
            const double empty = ours.at(fmt::format("{}/0", what));
            const double full = ours.at(fmt::format("{}/{}", what, n));
            report({.name = fmt::format("mpi/{}/{}", what, n),
                    .unit = "us",
                    .ours = full,
                    .reference = empty,
                    .ratio = full / empty,
                    .target = Target{Target::Kind::at_most, 1.1},
                    .note = "beside empty queues"});
        }
}

// Our MPI library over iWARP beside other MPI libraries over TCP, two ranks on the loopback. No
// other one has a CRC of its own, so ours has none here.

namespace {

Target target_over_tcp(const std::string& figure) {
    using Kind = Target::Kind;
    if (figure.starts_with("rate")) return {Kind::at_least, 3};
    if (figure.starts_with("bandwidth")) return {Kind::at_least, 1};
    const long size = std::stol(figure.substr(figure.find('/') + 1));
    return {Kind::at_most, size <= 64 << 10 ? 0.9 : 1.0};
}

}  // namespace

void mpi_iwarp(const Settings& settings, const Report& report) {
    for (const Standing& s : contest(our_mpi_on_iwarp(), peer_mpis_on_tcp(), 2,
                                     std::min(settings.rounds, 3u), "network"))
        report({.name = "iwarp-mpi/" + s.figure,
                .unit = unit_of(s.figure),
                .ours = s.ours,
                .reference = s.theirs,
                .ratio = s.ratio,
                .target = target_over_tcp(s.figure),
                .note = s.note});
}

}  // namespace railyard::bench
