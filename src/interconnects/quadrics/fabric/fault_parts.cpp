#include "interconnects/quadrics/fabric/fault_parts.hpp"

#include <numeric>

namespace railyard::quadrics {

/// The digits of a link's number are those of the switches on either side: the upper one's take the
/// place of the lower one's, one more at each level.
elite::CableId cable_between(const elite::FatTree& tree, unsigned level, std::uint64_t number) {
    const std::uint64_t below = faults::power_of_four(level - 1);
    const std::uint64_t above = number % (4 * below);
    const std::uint64_t lower = number / (4 * below) * below + above % below;
    const elite::SwitchId from = tree.switch_at(level, static_cast<std::uint32_t>(lower));
    return tree.cable(tree.out(from, elite::ports_down + static_cast<unsigned>(above / below)));
}

FaultParts parts_of(const faults::Place& place, const elite::FatTree& tree) {
    using Kind = faults::Place::Kind;
    using Way = faults::Place::Way;
    FaultParts parts;
    parts.up = place.way != Way::back;
    parts.down = place.way != Way::away;
    switch (place.kind) {
        case Kind::all_links:
            parts.cables.resize(tree.cables());
            std::iota(parts.cables.begin(), parts.cables.end(), 0U);
            break;
        case Kind::node:
        case Kind::node_link:
            parts.cables = {static_cast<elite::CableId>(place.number)};
            break;
        case Kind::switch_link:
            parts.cables = {cable_between(tree, place.level, place.number)};
            break;
        case Kind::network_switch:
            parts.whole_switch =
                tree.switch_at(place.level, static_cast<std::uint32_t>(place.number));
            break;
    }
    return parts;
}

}  // namespace railyard::quadrics
