#include "bench/mpi_contest.hpp"

#include <algorithm>
#include <utility>

#include "bench/duel.hpp"

namespace railyard::bench {

namespace {

bool less_is_better(const std::string& figure) {
    return figure.starts_with("latency") || figure.starts_with("allreduce") ||
           figure.starts_with("barrier");
}

std::pair<std::string, long> kind_and_size(const std::string& figure) {
    const std::size_t slash = figure.find('/');
    return {figure.substr(0, slash), std::stol(figure.substr(slash + 1))};
}

}  // namespace

Best best_of(const std::map<std::string, Values>& peers, const std::string& figure) {
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
    };
    std::map<std::string, Series> series;
    for (unsigned round = 0; round < rounds; ++round) {
        const Values ours = own.measure(2, arguments);
        std::map<std::string, Values> others;
        for (const MpiLibrary& peer : peers)
            others[peer.name] = peer.measure(2, arguments);
        for (const auto& [figure, value] : ours) {
            const Best best = best_of(others, figure);
            Series& s = series[figure];
            s.ours.push_back(value);
            s.theirs.push_back(best.value);
            s.ratios.push_back(value / best.value);
            s.who = best.who;
        }
    }
    std::vector<Standing> standings;
    for (const auto& [figure, s] : series)
        standings.push_back({figure, median(s.ours), median(s.theirs), median(s.ratios), s.who});
    std::sort(standings.begin(), standings.end(), [](const Standing& a, const Standing& b) {
        return kind_and_size(a.figure) < kind_and_size(b.figure);
    });
    return standings;
}

std::string unit_of(const std::string& figure) {
    if (figure.starts_with("bandwidth")) return "GB/s";
    return figure.starts_with("rate") ? "million/s" : "us";
}

}  // namespace railyard::bench
