#include "interconnects/quadrics/elite/fat_tree.hpp"

#include <fmt/format.h>

#include "railyard/base/error.hpp"

namespace railyard::elite {

namespace {

constexpr unsigned most_dimensions = 10;

}  // namespace

FatTree::FatTree(unsigned dimension) : dimension_(dimension) {
    if (dimension < 1 || dimension > most_dimensions)
        throw UsageError(fmt::format("a fat tree of dimension {}: choose one from 1 to {}",
                                     dimension, most_dimensions));
    width_bits_ = 2 * (dimension - 1);
    first_of_nodes_ = switches() * ports;
}

CableId FatTree::cable(LinkId link) const {
    if (!is_up(link)) link = reverse(link);
    if (is_out_of_node(link)) return link - first_of_nodes_;
    return nodes() + 4 * (link / ports) + link % ports - ports_down;
}

LinkId FatTree::up(CableId cable) const {
    if (cable < nodes()) return out(cable);
    return (cable - nodes()) / 4 * ports + ports_down + cable % 4;
}

unsigned FatTree::meeting_level(NodeId a, NodeId b) {
    unsigned level = 0;
    for (; a != b; a /= 4, b /= 4)
        ++level;
    return level;
}

std::string FatTree::switch_name(SwitchId s) const {
    return fmt::format("switch {} of level {}", digits(s), level(s));
}

std::string FatTree::cable_name(CableId cable) const {
    if (cable < nodes()) return fmt::format("the cable of node {}", cable);
    const SwitchId lower = (cable - nodes()) / 4;
    return fmt::format("the cable of port {} of {}", ports_down + cable % 4, switch_name(lower));
}

}  // namespace railyard::elite
