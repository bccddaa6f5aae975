#include "mpi/traces/lanes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "mpi/traces/summary.hpp"
#include "mpi/traces/waits.hpp"

namespace railyard::mpi::traces {

namespace {

constexpr std::array all_doings{Doing::starting,   Doing::computing,  Doing::two,
                                Doing::collective, Doing::connecting, Doing::waiting};

/// Time spent in each part of the run, by what was done.
class Painter {
  public:
    Painter(Duration end, std::size_t parts)
        : end_(std::max(end.picoseconds(), std::int64_t{1})), spent_(parts) {}

    /// `sign` -1: it was something else, which is painted apart.
    void paint(Doing doing, Time begin, Time end, int sign = 1) {
        const auto at =
            static_cast<std::size_t>(std::ranges::find(all_doings, doing) - all_doings.begin());
        const double width = static_cast<double>(end_) / static_cast<double>(spent_.size());
        const auto from = static_cast<double>(begin.since_start().picoseconds());
        const auto to = static_cast<double>(end.since_start().picoseconds());
        if (to <= from) return;
        const auto last =
            std::min(spent_.size() - 1, static_cast<std::size_t>(std::max(0.0, to / width)));
        for (auto part = std::min(last, static_cast<std::size_t>(std::max(0.0, from / width)));
             part <= last; ++part) {
            const double left = std::max(from, static_cast<double>(part) * width);
            const double right = std::min(to, static_cast<double>(part + 1) * width);
            if (right > left) spent_[part][at] += sign * (right - left);
        }
    }

    std::string letters() const {
        std::string text;
        for (const auto& part : spent_) {
            const auto most = std::ranges::max_element(part);
            text +=
                *most > 0
                    ? static_cast<char>(all_doings[static_cast<std::size_t>(most - part.begin())])
                    : ' ';
        }
        return text;
    }

  private:
    std::int64_t end_;
    std::vector<std::array<double, all_doings.size()>> spent_;
};

Doing doing_of(const Call& call) {
    if (call.function == calls::Function::Init || call.function == calls::Function::Finalize)
        return Doing::starting;
    return is_collective(call.function) ? Doing::collective : Doing::two;
}

/// Connections are made while something is called.
void paint_connections(Painter& painter, const RankRecord& rank, const Call& call) {
    if (doing_of(call) == Doing::starting) return;
    for (const Connection& one : rank.connections) {
        const Time begin = std::max(one.begin, call.begin);
        const Time end = std::min(one.end, call.end);
        painter.paint(Doing::connecting, begin, end);
        painter.paint(doing_of(call), begin, end, -1);
    }
}

void paint_rank(Painter& painter, const RankRecord& rank) {
    Time before;
    bool has_begun = false;
    for (const Call& call : rank.calls) {
        if (!call.is_outermost || call.thread != 0) continue;
        if (has_begun) painter.paint(Doing::computing, before, call.begin);
        has_begun = call.function != calls::Function::Finalize;
        painter.paint(doing_of(call), call.begin, call.end);
        paint_connections(painter, rank, call);
        before = std::max(before, call.end);
    }
}

}  // namespace

std::vector<Lane> lanes_of(const RunRecord& run, int most_lanes, std::size_t parts) {
    const int ranks = static_cast<int>(run.ranks.size());
    const int together = std::max(1, (ranks + most_lanes - 1) / most_lanes);
    const Duration end = run.end().since_start();
    std::vector<Painter> painters;
    std::vector<Lane> lanes;
    for (int first = 0; first < ranks; first += together) {
        lanes.push_back({first, std::min(together, ranks - first), {}});
        painters.emplace_back(end, parts);
        for (int rank = first; rank < first + lanes.back().ranks; ++rank)
            paint_rank(painters.back(), run.ranks[static_cast<std::size_t>(rank)]);
    }
    for (const Wait& wait : waits_of(run)) {
        Painter& painter = painters[static_cast<std::size_t>(wait.rank / together)];
        const Call& call = run.ranks[static_cast<std::size_t>(wait.rank)].calls[wait.call];
        const Time until = std::min(call.end, call.begin + wait.lost);
        painter.paint(Doing::waiting, call.begin, until);
        painter.paint(doing_of(call), call.begin, until, -1);
    }
    for (std::size_t i = 0; i < lanes.size(); ++i)
        lanes[i].bins = painters[i].letters();
    return lanes;
}

}  // namespace railyard::mpi::traces
