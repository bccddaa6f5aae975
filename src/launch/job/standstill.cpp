#include "launch/job/standstill.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/frames.hpp"

namespace railyard::job {

namespace {

constexpr std::size_t most_lines = 64;

/// "rank 3", "ranks 1, 2 and 7", "ranks 0 to 6".
std::string in_words(std::vector<int> ranks) {
    if (ranks.empty()) return "nobody";
    if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
    std::ranges::sort(ranks);
    const bool in_a_row = ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
    if (in_a_row && ranks.size() > 2)
        return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
    constexpr std::size_t most = 8;
    const std::size_t shown = ranks.size() > most ? most : ranks.size() - 1;
    const std::string list =
        fmt::format("{}", fmt::join(ranks.begin(), ranks.begin() + shown, ", "));
    return ranks.size() > most ? fmt::format("ranks {} and {} more", list, ranks.size() - most)
                               : fmt::format("ranks {} and {}", list, ranks.back());
}

}  // namespace

std::string Waiting::text() const {
    FieldWriter fields;
    fields.text(call)
        .number(any ? 1 : 0)
        .number(static_cast<std::uint64_t>(for_so_long.picoseconds()));
    fields.number(ranks.size());
    for (const int rank : ranks)
        fields.number(static_cast<std::uint64_t>(rank));
    fields.number(meeting ? 1 : 0);
    if (meeting) fields.number(meeting->place).number(meeting->number);
    fields.number(met.size());
    for (const Meeting& each : met)
        fields.number(each.place).number(each.number);
    return fields.take();
}

std::optional<Waiting> Waiting::parse(std::string_view text) {
    FieldReader fields(text);
    Waiting found;
    const auto meeting = [&] {
        Meeting one;
        one.place = fields.small_number();
        one.number = fields.number();
        return one;
    };
    found.call = fields.text();
    found.any = fields.number() != 0;
    found.for_so_long = Duration::ps(static_cast<std::int64_t>(fields.number()));
    for (std::size_t n = fields.count(8); n > 0; --n)
        found.ranks.push_back(static_cast<int>(fields.small_number()));
    if (fields.number() != 0) found.meeting = meeting();
    for (std::size_t n = fields.count(16); n > 0; --n)
        found.met.push_back(meeting());
    if (!fields.complete()) return std::nullopt;
    return found;
}

std::uint64_t Waiting::last_at(std::uint32_t place) const {
    const auto found = std::ranges::find(met, place, &Meeting::place);
    return found != met.end() ? found->number : 0;
}

void Standstill::hear(int rank, std::string_view text) {
    set(rank, text.empty() ? std::nullopt : Waiting::parse(text));
}

void Standstill::set(int rank, std::optional<Waiting> waiting) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks_.size()) return;
    ranks_[static_cast<std::size_t>(rank)].waiting = std::move(waiting);
}

void Standstill::leave(int rank) {
    ranks_[static_cast<std::size_t>(rank)] = {std::nullopt, true};
}

bool Standstill::is_complete() const {
    return std::ranges::any_of(ranks_, [](const RankState& s) { return s.waiting.has_value(); }) &&
           std::ranges::all_of(ranks_, [](const RankState& s) { return s.waiting || s.has_left; });
}

std::vector<int> Standstill::awaited(std::size_t rank) const {
    const Waiting& waiting = *ranks_[rank].waiting;
    std::vector<int> found;
    for (const int peer : waiting.ranks) {
        if (peer < 0 || static_cast<std::size_t>(peer) >= ranks_.size()) continue;
        const RankState& other = ranks_[static_cast<std::size_t>(peer)];
        const bool has_come =
            waiting.meeting && other.waiting &&
            other.waiting->last_at(waiting.meeting->place) >= waiting.meeting->number;
        if (!has_come) found.push_back(peer);
    }
    std::ranges::sort(found);
    return found;
}

std::vector<std::size_t> Standstill::cycle() const {
    std::vector<std::vector<int>> edges(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        if (ranks_[rank].waiting) edges[rank] = awaited(rank);
    // Two that wait for each other say most.
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        for (const int peer : edges[rank])
            if (static_cast<std::size_t>(peer) > rank &&
                std::ranges::binary_search(edges[static_cast<std::size_t>(peer)],
                                           static_cast<int>(rank)))
                return {rank, static_cast<std::size_t>(peer)};
    // Each is looked into once: depth first, along those that are on the way.
    enum class Mark : std::uint8_t { unseen, on_the_way, seen };
    std::vector<Mark> marks(ranks_.size(), Mark::unseen);
    std::vector<std::pair<std::size_t, std::size_t>> path;  // a rank, and its next edge
    for (std::size_t start = 0; start < ranks_.size(); ++start) {
        if (marks[start] != Mark::unseen) continue;
        path.emplace_back(start, 0);
        marks[start] = Mark::on_the_way;
        while (!path.empty()) {
            auto& [rank, next] = path.back();
            if (next == edges[rank].size()) {
                marks[rank] = Mark::seen;
                path.pop_back();
                continue;
            }
            const auto peer = static_cast<std::size_t>(edges[rank][next++]);
            if (marks[peer] == Mark::on_the_way) {
                std::vector<std::size_t> found;
                const auto first =
                    std::ranges::find(path, peer, &std::pair<std::size_t, std::size_t>::first);
                for (auto at = first; at != path.end(); ++at)
                    found.push_back(at->first);
                std::ranges::rotate(found, std::ranges::min_element(found));
                return found;
            }
            if (marks[peer] != Mark::unseen) continue;
            marks[peer] = Mark::on_the_way;
            path.emplace_back(peer, 0);
        }
    }
    return {};
}

std::string Standstill::line(std::size_t rank) const {
    const RankState& state = ranks_[rank];
    if (!state.waiting) return fmt::format("\n  rank {} has finished", rank);
    const std::vector<int> peers = awaited(rank);
    const bool all_came = state.waiting->meeting && peers.empty();
    const bool is_choice = state.waiting->any && peers.size() > 1;
    return fmt::format("\n  rank {} waits for {}{} in {}", rank, is_choice ? "any of " : "",
                       all_came ? "the end" : in_words(peers), state.waiting->call);
}

/// All came to the same meeting, and yet it does not end.
std::string Standstill::unlike_calls() const {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const auto& waiting = ranks_[rank].waiting;
        if (!waiting || !waiting->meeting || !awaited(rank).empty()) continue;
        for (const int peer : waiting->ranks) {
            const auto& other = ranks_[static_cast<std::size_t>(peer)].waiting;
            if (other && other->call != waiting->call)
                return fmt::format(
                    "\n  all of {} have come to number {} of what they do together, but with calls "
                    "that do not match",
                    in_words(waiting->ranks), waiting->meeting->number);
        }
    }
    return {};
}

std::string Standstill::last_line(const std::vector<std::size_t>& cycle) const {
    if (!cycle.empty()) {
        std::string text = "\n  cycle:";
        for (const std::size_t rank : cycle)
            text += fmt::format(" rank {} →", rank);
        return text + fmt::format(" rank {}", cycle.front());
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        if (ranks_[rank].waiting)
            for (const int peer : awaited(rank))
                if (ranks_[static_cast<std::size_t>(peer)].has_left)
                    return fmt::format(
                        "\n  no cycle: rank {} waits for rank {}, which has finished", rank, peer);
    return unlike_calls();
}

std::string Standstill::waits() const {
    std::string text;
    std::size_t lines = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        if (ranks_[rank].waiting && ++lines <= most_lines) text += line(rank);
    if (lines > most_lines) text += fmt::format("\n  and {} more wait", lines - most_lines);
    return text;
}

std::string Standstill::report() const {
    const auto waits = [](const RankState& s) { return s.waiting.has_value(); };
    const auto count = std::ranges::count_if(ranks_, waits);
    const auto first = std::ranges::find_if(ranks_, waits);
    std::string text =
        fmt::format("deadlock: {} wait{}", count == 1 ? "1 rank" : fmt::format("{} ranks", count),
                    count == 1 ? "s" : "");
    if (count == static_cast<std::ptrdiff_t>(ranks_.size()) && count > 1)
        text = fmt::format("deadlock: all {} ranks wait", count);
    if (first != ranks_.end() && first->waiting->for_so_long > Duration{})
        text +=
            fmt::format(", and nothing has moved for {} s", first->waiting->for_so_long.seconds());

    const std::vector<std::size_t> in_cycle = cycle();
    std::vector<std::size_t> order = in_cycle;
    std::vector<bool> is_in_cycle(ranks_.size());
    for (const std::size_t rank : in_cycle)
        is_in_cycle[rank] = true;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        if (!is_in_cycle[rank]) order.push_back(rank);
    for (std::size_t i = 0; i < std::min(order.size(), most_lines); ++i)
        text += line(order[i]);
    if (order.size() > most_lines)
        text += fmt::format("\n  and {} more", order.size() - most_lines);
    return text + last_line(in_cycle);
}

}  // namespace railyard::job
