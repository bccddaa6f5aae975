#include "interconnects/ideal/wire.hpp"

#include <algorithm>

namespace railyard::ideal {

void Wire::carry(const virtual_time::Transfer& transfer, sim::Action arrived) {
    Time leaves = engine_.now();
    if (transfer.kind != virtual_time::Kind::acknowledgment) {
        Time& free_at = free_at_[std::uint64_t{transfer.from.node} << 32 | transfer.from.nic];
        leaves = std::max(leaves, free_at) + transfer.size / parameters_.bandwidth;
        free_at = leaves;
    }
    engine_.schedule(leaves + parameters_.latency, std::move(arrived));
}

}  // namespace railyard::ideal
