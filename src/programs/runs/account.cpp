#include "programs/runs/account.hpp"

#include <algorithm>
#include <cstddef>

namespace railyard::runs {

namespace {

Spread spread(const std::vector<mpi::Counters>& ranks, std::uint64_t mpi::Counters::*value) {
    if (ranks.empty()) return {};
    Spread found{.least = ~std::uint64_t{0}, .mean = 0, .most = 0};
    for (const mpi::Counters& counters : ranks) {
        found.least = std::min(found.least, counters.*value);
        found.most = std::max(found.most, counters.*value);
        found.mean += static_cast<double>(counters.*value);
    }
    found.mean /= static_cast<double>(ranks.size());
    return found;
}

std::vector<Traffic> traffic_of(const std::vector<mpi::Counters>& ranks) {
    Traffic eager{"eager"};
    Traffic rendezvous{"rendezvous"};
    Traffic tagged{"tagged port"};
    Traffic self{"to itself"};
    for (const mpi::Counters& c : ranks) {
        eager.messages += c.eager_sent;
        eager.bytes += c.bytes_sent - c.rendezvous_bytes - c.tagged_bytes - c.self_bytes;
        rendezvous.messages += c.rendezvous_sent;
        rendezvous.bytes += c.rendezvous_bytes;
        tagged.messages += c.tagged_sent;
        tagged.bytes += c.tagged_bytes;
        self.messages += c.self_sent;
        self.bytes += c.self_bytes;
    }
    std::vector<Traffic> used;
    for (const Traffic& one : {eager, rendezvous, tagged, self})
        if (one.messages > 0) used.push_back(one);
    return used;
}

std::vector<fabric::PartUse> busiest_of(const std::vector<fabric::PartUse>& parts) {
    using fabric::PartKind;
    std::vector<fabric::PartUse> busiest;
    for (const PartKind kind : {PartKind::link, PartKind::bus, PartKind::adapter}) {
        const fabric::PartUse* found = nullptr;
        for (const fabric::PartUse& part : parts)
            if (part.kind == kind && (found == nullptr || part.busy > found->busy)) found = &part;
        if (found != nullptr) busiest.push_back(*found);
    }
    return busiest;
}

}  // namespace

void Account::summarise(Summary& summary, const std::vector<fabric::PartUse>& parts) const {
    summary.virtual_time = end_.since_start();
    summary.start_up = start_.since_start();
    summary.marked_time = marked_;
    summary.connecting_ns = spread(counters_, &mpi::Counters::connecting);
    summary.computed_seconds = computed_.seconds();
    summary.traffic = traffic_of(counters_);
    for (const mpi::Counters& counters : counters_) {
        summary.without_content.messages += counters.without_content;
        summary.without_content.bytes += counters.content_left;
    }
    summary.connections = spread(counters_, &mpi::Counters::connections);
    summary.connection_bytes = spread(counters_, &mpi::Counters::peer_bytes);
    summary.pinned_bytes = spread(counters_, &mpi::Counters::pinned_most);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (calls_[i].calls == 0) continue;
        summary.mpi_time.add(calls_[i].time);
        summary.calls.push_back(
            {mpi::calls::function_names[i], calls_[i].calls, calls_[i].time.seconds()});
    }
    std::stable_sort(summary.calls.begin(), summary.calls.end(),
                     [](const CallTime& a, const CallTime& b) { return a.seconds > b.seconds; });
    summary.busiest = busiest_of(parts);
}

}  // namespace railyard::runs
