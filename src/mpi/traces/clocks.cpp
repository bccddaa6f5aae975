#include "mpi/traces/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

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

/// A message from one host to another: picoseconds on the sender's clock and on the receiver's.
struct Crossing {
    double sent;
    double received;
    double took() const { return received - sent; }
};
/// The quickest of each part of the run, from one host to another.
using Crossings = std::map<std::pair<int, int>, std::vector<Crossing>>;

Crossings quickest_between_hosts(const RunRecord& run) {
    constexpr std::size_t parts = 64;
    double first = std::numeric_limits<double>::max();
    double last = std::numeric_limits<double>::lowest();
    const auto is_whole = [](const Message& message) {
        return message.is_sent && message.is_received;
    };
    const auto at = [](Time time) { return static_cast<double>(time.since_start().picoseconds()); };
    for (const Message& message : run.messages)
        if (is_whole(message)) {
            first = std::min(first, at(message.sent));
            last = std::max(last, at(message.sent));
        }
    std::map<std::pair<int, int>, std::map<std::size_t, Crossing>> quickest;
    for (const Message& message : run.messages) {
        if (!is_whole(message)) continue;
        const int from = run.ranks[static_cast<std::size_t>(message.source)].node;
        const int to = run.ranks[static_cast<std::size_t>(message.destination)].node;
        if (from == to) continue;
        const double sent = at(message.sent);
        const auto part = static_cast<std::size_t>((sent - first) / (last - first + 1) * parts);
        const Crossing crossing{sent, at(message.received)};
        const auto [found, is_new] = quickest[{from, to}].try_emplace(part, crossing);
        if (!is_new && crossing.took() < found->second.took()) found->second = crossing;
    }
    Crossings all;
    for (const auto& [hosts, of_parts] : quickest)
        for (const auto& [part, crossing] : of_parts)
            all[hosts].push_back(crossing);
    return all;
}

/// What is to be added to a host's times: so much at time 0, and a drift.
struct Shift {
    double at_start = 0;  ///< picoseconds
    double drift = 0;     ///< picoseconds in each
    double at(double time) const { return at_start + drift * time; }
    /// First this one, and then the other.
    Shift then(const Shift& other) const {
        return {at_start + other.at(at_start), drift + other.drift * (1 + drift)};
    }
};

/// With so much drift: what must be added to the second host's times for the quickest message to
/// take as long one way as the other, and how long that is.
struct Balance {
    double added;
    double took;
};
Balance balance(const std::vector<Crossing>& out, const std::vector<Crossing>& back, double drift) {
    double there = std::numeric_limits<double>::max();
    double home = there;
    for (const Crossing& crossing : out)
        there = std::min(there, crossing.took() + drift * crossing.received);
    for (const Crossing& crossing : back)
        home = std::min(home, crossing.took() - drift * crossing.sent);
    return {(home - there) / 2, (home + there) / 2};
}

/// Of the second host against the first. A drift is believed in only if, without one, messages
/// would have been received before they were sent.
Shift shift_between(const std::vector<Crossing>& out, const std::vector<Crossing>& back) {
    constexpr double largest_drift = 5e-4;  // what the system at most corrects clocks by
    constexpr int steps = 100;
    const Balance still = balance(out, back, 0);
    if (still.took >= 0) return {still.added, 0};
    // The time that the quickest message takes is a concave function of the drift.
    double low = -largest_drift;
    double high = largest_drift;
    for (int i = 0; i < steps; ++i) {
        const double third = (high - low) / 3;
        if (balance(out, back, low + third).took < balance(out, back, high - third).took)
            low += third;
        else
            high -= third;
    }
    const double drift = (low + high) / 2;
    return {balance(out, back, drift).added, drift};
}

/// For each host, from the first rank's on to those that it talks to, and so on.
std::map<int, Shift> shifts_of(const RunRecord& run) {
    const Crossings quickest = quickest_between_hosts(run);
    std::map<int, Shift> shifts{{run.ranks.front().node, {}}};
    for (bool grows = true; grows;) {
        grows = false;
        for (const auto& [hosts, out] : quickest) {
            const auto& [from, to] = hosts;
            const auto back = quickest.find({to, from});
            if (!shifts.contains(from) || shifts.contains(to) || back == quickest.end()) continue;
            shifts[to] = shift_between(out, back->second).then(shifts[from]);
            grows = true;
        }
    }
    return shifts;
}

Time moved(Time time, const Shift& by) {
    const Duration at = time.since_start();
    return Time::at(at + Duration::ps(std::llround(by.at(static_cast<double>(at.picoseconds())))));
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
    const std::map<int, Shift> shifts = shifts_of(run);
    if (shifts.size() == 1) return;
    const auto shift_of = [&](int rank) {
        const auto found = shifts.find(run.ranks[static_cast<std::size_t>(rank)].node);
        return found != shifts.end() ? found->second : Shift{};
    };
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        const Shift by = shift_of(static_cast<int>(i));
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
