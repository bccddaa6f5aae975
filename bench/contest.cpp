#include "bench/contest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

using Peers = std::map<std::string, Figures>;  ///< by name

struct Best {
    double value = 0;
    std::string who;
};

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

std::pair<std::string, long> kind_and_size(const std::string& figure) {
    const std::size_t slash = figure.find('/');
    return {figure.substr(0, slash), std::stol(figure.substr(slash + 1))};
}

}  // namespace

bool less_is_better(const std::string& figure) {
    return !figure.starts_with("bandwidth") && !figure.starts_with("rate");
}

std::string unit_of(const std::string& figure) {
    if (figure.starts_with("bandwidth")) return "GB/s";
    return figure.starts_with("rate") ? "million/s" : "us";
}

std::vector<Standing> contest(const MpiLibrary& own, const std::vector<MpiLibrary>& peers,
                              int ranks, unsigned rounds, const std::string& arguments) {
    struct Series {
        std::vector<double> ours, theirs, ratios;
        std::string who;
        std::set<std::string> missing;
    };
    std::map<std::string, Series> series;
    for (unsigned round = 0; round < rounds; ++round) {
        const Figures ours = own.measure(ranks, arguments);
        Peers others;
        for (const MpiLibrary& peer : peers)
            others[peer.name] = peer.measure_what_works(ranks, arguments);
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
        Standing standing{.figure = figure, .ours = median(s.ours), .who = s.who, .note = s.who};
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

}  // namespace railyard::bench
