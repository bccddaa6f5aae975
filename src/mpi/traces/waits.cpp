#include "mpi/traces/waits.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "mpi/calls/parameters.hpp"
#include "mpi/collectives/algorithms.hpp"

namespace railyard::mpi::traces {

namespace {

using calls::Function;

/// Whose coming a rank of a collective needs.
enum class Needs : std::uint8_t { all, root, all_if_root, nobody };

Needs needs_of(Function function) {
    switch (function) {
        case Function::Bcast:
        case Function::Bcast_c:
        case Function::Scatter:
        case Function::Scatter_c:
        case Function::Scatterv:
        case Function::Scatterv_c:
            return Needs::root;
        case Function::Gather:
        case Function::Gather_c:
        case Function::Gatherv:
        case Function::Gatherv_c:
        case Function::Reduce:
        case Function::Reduce_c:
            return Needs::all_if_root;
        case Function::Scan:
        case Function::Scan_c:
        case Function::Exscan:
        case Function::Exscan_c:
            return Needs::nobody;
        default:
            return Needs::all;
    }
}

/// The longest wait of each call.
class Longest {
  public:
    explicit Longest(const RunRecord& run) : run_(run), waits_(run.ranks.size()) {}

    /// Until `until`, if the call lasts so long.
    void add(Wait::Why why, int rank, std::size_t call, int by, Time until) {
        if (call == no_call || rank == by) return;
        const RankRecord& own = run_.ranks[static_cast<std::size_t>(rank)];
        const Call& its = own.calls[call];
        const Time end = std::min(until, its.end);
        if (end <= its.begin) return;
        const Duration lost = end - its.begin - connecting_time(own, its.begin, end, by);
        if (lost <= Duration()) return;
        const auto [found, is_new] = waits_[static_cast<std::size_t>(rank)].try_emplace(
            call, Wait{why, rank, by, call, lost});
        if (!is_new && found->second.lost < lost) found->second = {why, rank, by, call, lost};
    }

    std::vector<Wait> take() const {
        std::vector<Wait> all;
        for (const auto& of_rank : waits_)
            for (const auto& [call, wait] : of_rank)
                all.push_back(wait);
        return all;
    }

  private:
    const RunRecord& run_;
    std::vector<std::map<std::size_t, Wait>> waits_;
};

void add_messages(const RunRecord& run, Longest& waits) {
    for (const Message& message : run.messages) {
        if (!message.is_sent || !message.is_received) continue;
        waits.add(Wait::Why::late_sender, message.destination, message.receive_call, message.source,
                  message.sent);
        // A send that was complete before its receive was called did not wait for that.
        if (message.leave_call != no_call && message.posted <= message.left)
            waits.add(Wait::Why::late_receiver, message.source, message.leave_call,
                      message.destination, message.posted);
    }
}

/// One rank's part in a collective.
struct Part {
    int rank;
    std::size_t call;
};

void add_collective(const RunRecord& run, const std::vector<Part>& parts, Longest& waits) {
    const auto call_of = [&](const Part& part) -> const Call& {
        return run.ranks[static_cast<std::size_t>(part.rank)].calls[part.call];
    };
    const Call& first = call_of(parts.front());
    // Records of ranks that are not whole cannot be put together.
    for (const Part& part : parts)
        if (call_of(part).function != first.function) return;
    const auto begin_of = [&](const Part& part) { return call_of(part).begin; };
    const Part& last = *std::ranges::max_element(parts, {}, begin_of);
    const Needs needs = needs_of(first.function);
    if (needs == Needs::all)
        for (const Part& part : parts)
            waits.add(Wait::Why::collective, part.rank, part.call, last.rank, begin_of(last));
    const auto root = std::ranges::find(parts, first.peer, &Part::rank);
    if (root == parts.end()) return;
    if (needs == Needs::all_if_root)
        waits.add(Wait::Why::collective, root->rank, root->call, last.rank, begin_of(last));
    if (needs == Needs::root)
        for (const Part& part : parts)
            waits.add(Wait::Why::collective, part.rank, part.call, root->rank, begin_of(*root));
}

/// The n-th of a communicator is the same one for all its ranks, as they call them in one order.
void add_collectives(const RunRecord& run, Longest& waits) {
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Part>> instances;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        std::map<std::uint32_t, std::size_t> made;
        const auto& its = run.ranks[rank].calls;
        for (std::size_t i = 0; i < its.size(); ++i)
            if (calls::chapter(its[i].function) == calls::Chapter::collectives)
                instances[{its[i].communicator, made[its[i].communicator]++}].push_back(
                    {static_cast<int>(rank), i});
    }
    for (const auto& [which, parts] : instances)
        add_collective(run, parts, waits);
}

}  // namespace

Duration connecting_time(const RankRecord& rank, Time begin, Time end, int peer) {
    // Connections may be made at the same time: each moment counts once.
    std::vector<std::pair<Time, Time>> spans;
    for (const Connection& one : rank.connections)
        if ((peer < 0 || one.peer == peer) && one.begin < end && one.end > begin)
            spans.emplace_back(std::max(one.begin, begin), std::min(one.end, end));
    std::ranges::sort(spans);
    Duration sum;
    Time until = begin;
    for (const auto& [from, to] : spans) {
        if (to <= until) continue;
        sum += to - std::max(from, until);
        until = to;
    }
    return sum;
}

std::vector<Wait> waits_of(const RunRecord& run) {
    Longest waits(run);
    add_messages(run, waits);
    add_collectives(run, waits);
    return waits.take();
}

}  // namespace railyard::mpi::traces
