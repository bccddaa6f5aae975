/// Our MPI library beside the best of the others, in turns: latency, bandwidth, message rate, long
/// queues.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "bench/mpi_contest.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

std::optional<Target> target_of(const std::string& figure) {
    const std::size_t slash = figure.find('/');
    const std::string what = figure.substr(0, slash);
    const long size = std::stol(figure.substr(slash + 1));
    using Kind = Target::Kind;
    if (what == "latency") return Target{Kind::at_most, size <= 32 ? 0.8 : size == 64 ? 0.95 : 1.0};
    if (what == "bandwidth") return Target{Kind::at_least, size >= 64 && size <= 4096 ? 1.15 : 1.0};
    if (what == "rate") return Target{Kind::at_least, 1.5};
    return std::nullopt;
}

/// The worst step of our bandwidth from one size to the next, up to 1 MiB.
void report_dip(const Values& ours, const Report& report) {
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
    Values medians;
    for (const Standing& s :
         contest(our_mpi(), peer_mpis(), std::min(settings.rounds, 3u), "pair")) {
        medians[s.figure] = s.ours;
        report({.name = "mpi/" + s.figure,
                .unit = unit_of(s.figure),
                .ours = s.ours,
                .reference = s.theirs,
                .ratio = s.ratio,
                .target = target_of(s.figure),
                .note = s.who});
    }
    report_dip(medians, report);
}

void mpi_queues(const Settings&, const Report& report) {
    const Values ours = our_mpi().measure(2, "queues 10000");
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

void mpi_group(const Settings&, const Report& report) {
    const Values ours = our_mpi().measure(16, "group 0.3");
    std::map<std::string, Values> others;
    for (const MpiLibrary& peer : peer_mpis())
        if (peer.name == "openmpi" || peer.name == "mpich")
            others[peer.name] = peer.measure(16, "group 0.3");
    for (const char* figure : {"allreduce/8", "barrier/8"}) {
        const Best best = best_of(others, figure);
        report({.name = fmt::format("mpi/16-ranks/{}", figure),
                .unit = "us",
                .ours = ours.at(figure),
                .reference = best.value,
                .ratio = ours.at(figure) / best.value,
                .target = Target{Target::Kind::at_most, 0.2},
                .note = best.who + ", 16 ranks on this machine's cores"});
    }
}

}  // namespace railyard::bench
