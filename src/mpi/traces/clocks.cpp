#include "mpi/traces/clocks.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace railyard::mpi::traces {

namespace {

/// A host's counter against its clock, over as long a time as any of its ranks knows.
struct HostClock {
    recording::ClockReading first;
    recording::ClockReading last;

    double nanoseconds_a_tick() const {
        if (last.ticks <= first.ticks) return 1;
        return static_cast<double>(last.monotonic - first.monotonic) /
               static_cast<double>(last.ticks - first.ticks);
    }
};

/// How much later a message was received than sent, at best, from one host to another.
using Quickest = std::map<std::pair<int, int>, std::int64_t>;

Quickest quickest_between_hosts(const RunRecord& run) {
    Quickest quickest;
    for (const Message& message : run.messages) {
        if (!message.is_sent || !message.is_received) continue;
        const int from = run.ranks[static_cast<std::size_t>(message.source)].node;
        const int to = run.ranks[static_cast<std::size_t>(message.destination)].node;
        if (from == to) continue;
        const std::int64_t took = (message.received - message.sent).picoseconds();
        const auto [found, is_new] = quickest.try_emplace({from, to}, took);
        if (!is_new) found->second = std::min(found->second, took);
    }
    return quickest;
}

/// What is to be added to each host's times, from the first rank's host on to those that it talks
/// to, and so on.
std::map<int, std::int64_t> shifts_of(const RunRecord& run) {
    const Quickest quickest = quickest_between_hosts(run);
    std::map<int, std::int64_t> shift{{run.ranks.front().node, 0}};
    for (bool grows = true; grows;) {
        grows = false;
        for (const auto& [hosts, out] : quickest) {
            const auto& [from, to] = hosts;
            const auto back = quickest.find({to, from});
            if (!shift.contains(from) || shift.contains(to) || back == quickest.end()) continue;
            shift[to] = shift[from] + (back->second - out) / 2;
            grows = true;
        }
    }
    return shift;
}

Time moved(Time time, std::int64_t by) {
    return Time::at(time.since_start() + Duration::ps(by));
}

}  // namespace

std::vector<RankClock> clocks_of(const std::vector<ClockSource>& sources) {
    std::map<int, HostClock> hosts;
    for (const ClockSource& source : sources) {
        if (!source.is_present) continue;
        const auto [found, is_new] =
            hosts.try_emplace(source.node, HostClock{source.first, source.last});
        HostClock& host = found->second;
        if (is_new) continue;
        if (source.first.ticks < host.first.ticks) host.first = source.first;
        if (source.last.ticks > host.last.ticks) host.last = source.last;
    }
    // Nanoseconds of the calendar, at which the run began.
    const auto calendar = [&](int node, std::uint64_t ticks) {
        const HostClock& host = hosts.at(node);
        const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - host.first.ticks));
        return host.first.wall + static_cast<std::int64_t>(since * host.nanoseconds_a_tick());
    };
    std::int64_t start = std::numeric_limits<std::int64_t>::max();
    for (const ClockSource& source : sources)
        if (source.is_present) start = std::min(start, calendar(source.node, source.begin));
    std::vector<RankClock> clocks;
    for (const ClockSource& source : sources) {
        if (!source.is_present) {
            clocks.emplace_back();
            continue;
        }
        const HostClock& host = hosts.at(source.node);
        clocks.emplace_back(host.first.ticks, Duration::ns(host.first.wall - start),
                            host.nanoseconds_a_tick() * 1000);
    }
    return clocks;
}

void align_hosts(RunRecord& run) {
    if (run.ranks.empty()) return;
    const std::map<int, std::int64_t> shifts = shifts_of(run);
    const auto shift_of = [&](int rank) -> std::int64_t {
        const auto found = shifts.find(run.ranks[static_cast<std::size_t>(rank)].node);
        return found != shifts.end() ? found->second : 0;
    };
    if (std::ranges::all_of(shifts, [](const auto& entry) { return entry.second == 0; })) return;
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        const std::int64_t by = shift_of(static_cast<int>(i));
        for (Call& call : run.ranks[i].calls) {
            call.begin = moved(call.begin, by);
            call.end = moved(call.end, by);
        }
        for (Connection& connection : run.ranks[i].connections) {
            connection.begin = moved(connection.begin, by);
            connection.end = moved(connection.end, by);
        }
    }
    for (Message& message : run.messages) {
        for (Time* const time : {&message.sent, &message.left})
            *time = moved(*time, shift_of(message.source));
        for (Time* const time : {&message.posted, &message.received})
            *time = moved(*time, shift_of(message.destination));
    }
}

}  // namespace railyard::mpi::traces
