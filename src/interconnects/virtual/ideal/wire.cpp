#include "interconnects/virtual/ideal/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace railyard::ideal {

void Wire::carry(const virtual_time::Transfer& transfer, sim::Action arrived) {
    Time leaves = engine_.now();
    if (transfer.kind != virtual_time::Kind::acknowledgment) {
        WayOut& out = ways_out_[std::uint64_t{transfer.from.node} << 32 | transfer.from.nic];
        const Duration time = transfer.size / parameters_.bandwidth;
        leaves = std::max(leaves, out.free_at) + time;
        out.free_at = leaves;
        out.busy += time;
    }
    engine_.schedule(leaves + parameters_.latency, std::move(arrived));
}

std::vector<fabric::PartUse> Wire::parts() const {
    // The map's own order differs between machines.
    std::vector<std::pair<std::uint64_t, Duration>> busy;
    for (const auto& [end, out] : ways_out_)
        if (out.busy > Duration{}) busy.emplace_back(end, out.busy);
    std::sort(busy.begin(), busy.end());
    std::vector<fabric::PartUse> all;
    for (const auto& [end, time] : busy)
        all.push_back({fabric::PartKind::link,
                       fmt::format("node {}, Nic {} out", end >> 32, end & 0xffff'ffff), time});
    return all;
}

}  // namespace railyard::ideal
