/// Our MPI library beside the best of the others, in turns: latency, bandwidth, message rate, long
/// queues, collectives.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/programs.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

/// Our MPI library against others, in turns: what disturbs the machine disturbs all of them.
using Peers = std::map<std::string, Figures>;  ///< by name

struct Best {
    double value = 0;
    std::string who;
};
Best best_of(const Peers& peers, const std::string& figure);

/// One figure: ours, the best of the others, and the ratio of the two; medians of the rounds.
struct Standing {
    std::string figure;
    double ours = 0;
    std::optional<double> theirs{};  ///< none: no other one has it
    std::optional<double> ratio{};
    std::string note;  ///< who is the best, and whose figure is not available
};
/// Two ranks of each library measure what `arguments` ask for, `rounds` times. By kind and size.
/// What a peer cannot do here it does not print, and has no figure of.
std::vector<Standing> contest(const MpiLibrary& own, const std::vector<MpiLibrary>& peers,
                              unsigned rounds, const std::string& arguments);

std::string unit_of(const std::string& figure);

namespace {

bool less_is_better(const std::string& figure) {
    return !figure.starts_with("bandwidth") && !figure.starts_with("rate");
}

std::pair<std::string, long> kind_and_size(const std::string& figure) {
    const std::size_t slash = figure.find('/');
    return {figure.substr(0, slash), std::stol(figure.substr(slash + 1))};
}

}  // namespace

Best best_of(const Peers& peers, const std::string& figure) {
    Best best;
    for (const auto& [name, values] : peers) {
        const auto found = values.find(figure);
        if (found == values.end()) continue;
        const bool better =
            less_is_better(figure) ? found->second < best.value : found->second > best.value;
        if (best.who.empty() || better) best = {found->second, name};
    }
    return best;
}

std::vector<Standing> contest(const MpiLibrary& own, const std::vector<MpiLibrary>& peers,
                              unsigned rounds, const std::string& arguments) {
    struct Series {
        std::vector<double> ours, theirs, ratios;
        std::string who;
        std::set<std::string> missing;
    };
    std::map<std::string, Series> series;
    for (unsigned round = 0; round < rounds; ++round) {
        const Figures ours = own.measure(2, arguments);
        Peers others;
        for (const MpiLibrary& peer : peers)
            others[peer.name] = peer.measure_what_works(2, arguments);
        for (const auto& [figure, value] : ours) {
            Series& s = series[figure];
            s.ours.push_back(value);
            for (const auto& [name, figures] : others)
                if (!figures.contains(figure)) s.missing.insert(name);
            const Best best = best_of(others, figure);
            if (best.who.empty()) continue;
            s.theirs.push_back(best.value);
            s.ratios.push_back(value / best.value);
            s.who = best.who;
        }
    }
    std::vector<Standing> standings;
    for (const auto& [figure, s] : series) {
        Standing standing{.figure = figure, .ours = median(s.ours), .note = s.who};
        if (!s.theirs.empty()) {
            standing.theirs = median(s.theirs);
            standing.ratio = median(s.ratios);
        }
        if (!s.missing.empty())
            standing.note += fmt::format("; not available of {}", fmt::join(s.missing, ", "));
        standings.push_back(standing);
    }
    std::sort(standings.begin(), standings.end(), [](const Standing& a, const Standing& b) {
        return kind_and_size(a.figure) < kind_and_size(b.figure);
    });
    return standings;
}

std::string unit_of(const std::string& figure) {
    if (figure.starts_with("bandwidth")) return "GB/s";
    return figure.starts_with("rate") ? "million/s" : "us";
}

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
         contest(our_mpi(), peer_mpis(), std::min(settings.rounds, 3u), "pair")) {
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
         contest(our_mpi(), peer_mpis(), std::min(settings.rounds, 3u), "one-sided")) {
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

void mpi_queues(const Settings&, const Report& report) {
    const Figures ours = our_mpi().measure(2, "queues 10000");
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
    const Figures ours = our_mpi().measure(16, "group 0.3");
    Peers others;
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

/// Collectives that do not block, started and waited for at once, by the time of the slowest rank.
void mpi_nonblocking(const Settings&, const Report& report) {
    const MpiLibrary own = our_mpi();
    const std::vector<MpiLibrary> peers = peer_mpis();
    for (const int ranks : {2, 4, 8}) {
        const Figures ours = own.measure(ranks, "started");
        Peers others;
        for (const MpiLibrary& peer : peers)
            if (peer.name == "openmpi" || peer.name == "mpich")
                others[peer.name] = peer.measure(ranks, "started");
        double logarithms = 0;
        for (const auto& [figure, value] : ours) {
            const Best best = best_of(others, figure);
            logarithms += std::log(value / best.value);
            report({.name = fmt::format("mpi/{}-ranks/{}", ranks, figure),
                    .unit = "us",
                    .ours = value,
                    .reference = best.value,
                    .ratio = value / best.value,
                    .note = best.who});
        }
        report({.name = fmt::format("mpi/{}-ranks/nonblocking", ranks),
                .unit = "1",
                .ours = std::exp(logarithms / static_cast<double>(ours.size())),
                .target = Target{Target::Kind::at_most, ranks == 2 ? 0.8 : 0.6, 0, true},
                .note = "geometric mean of these ratios"});
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
    for (const Standing& s :
         contest(our_mpi_on_iwarp(), peer_mpis_on_tcp(), std::min(settings.rounds, 3u), "network"))
        report({.name = "iwarp-mpi/" + s.figure,
                .unit = unit_of(s.figure),
                .ours = s.ours,
                .reference = s.theirs,
                .ratio = s.ratio,
                .target = target_over_tcp(s.figure),
                .note = s.note});
}

}  // namespace railyard::bench
