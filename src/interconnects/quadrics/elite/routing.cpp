#include "interconnects/quadrics/elite/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "railyard/base/error.hpp"

namespace railyard::elite {

namespace {

constexpr unsigned most_levels = 10;
/// Which links up may be taken at each level; a way up and down is fixed by one choice a level.
using Choices = std::array<unsigned, most_levels>;

/// Routes whose first choices are these pass the part.
struct Passing {
    unsigned levels = 0;
    std::uint32_t digits = 0;  ///< the choice at level i is digit i, from the last, counted from 1
    unsigned digit(unsigned level) const { return digits >> 2 * (level - 1) & 3; }
};

/// The choices that lead through a part; nothing if no way from one node to the other does. Below
/// the meeting point, a switch has the upper digits of one of the two nodes, and as lower ones the
/// choices made so far.
std::optional<Passing> passing(const FatTree& tree, NodeId from, NodeId to, unsigned top,
                               Part part) {
    const auto above = [&](NodeId node, SwitchId s) {
        const unsigned level = tree.level(s);
        return node >> 2 * level == tree.digits(s) >> 2 * (level - 1);
    };
    const bool is_cable = part.kind == Part::Kind::cable;
    if (is_cable && part.id < tree.nodes())
        return part.id == from || part.id == to ? std::optional(Passing{}) : std::nullopt;
    const SwitchId s = is_cable ? (part.id - tree.nodes()) / 4 : part.id;
    const unsigned level = tree.level(s);
    if (level > top || (is_cable && level == top)) return std::nullopt;
    if (!above(from, s) && !above(to, s)) return std::nullopt;
    const std::uint32_t lower = tree.digits(s) & ((1U << 2 * (level - 1)) - 1);
    if (!is_cable) return Passing{level - 1, lower};
    return Passing{level, lower | (part.id % 4) << 2 * (level - 1)};
}

/// Takes choices away until no way left passes any of the parts from `next` on.
bool avoid_all(const std::vector<Passing>& parts, std::size_t next, Choices& choices) {
    if (next == parts.size()) return true;
    const Passing& part = parts[next];
    for (unsigned level = 1; level <= part.levels; ++level)
        if ((choices[level - 1] >> part.digit(level) & 1) == 0)
            return avoid_all(parts, next + 1, choices);
    for (unsigned level = part.levels; level >= 1; --level) {
        Choices fewer = choices;
        fewer[level - 1] &= ~(1U << part.digit(level));
        if (fewer[level - 1] != 0 && avoid_all(parts, next + 1, fewer)) {
            choices = fewer;
            return true;
        }
    }
    return false;
}

Tag up_tag(unsigned choices) {
    const unsigned mask = choices << ports_down;
    if ((choices & (choices - 1)) != 0) return Tag::group(mask);
    return Tag::link(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

std::optional<Route> find_route(const FatTree& tree, NodeId from, NodeId to, Routing routing,
                                const std::vector<Part>& avoid) {
    if (from == to || from >= tree.nodes() || to >= tree.nodes())
        throw UsageError(
            fmt::format("no way leads from node {} to node {}: choose two nodes below {}", from, to,
                        tree.nodes()));
    const unsigned top = FatTree::meeting_level(from, to);
    std::vector<Passing> parts;
    for (const Part& part : avoid)
        if (const auto found = passing(tree, from, to, top, part)) parts.push_back(*found);
    Choices choices;
    choices.fill(0xf);
    if (!avoid_all(parts, 0, choices)) return std::nullopt;
    Route route;
    for (unsigned level = 1; level < top; ++level) {
        unsigned mask = choices[level - 1];
        if (routing == Routing::fixed) {
            const unsigned wanted = 1U << FatTree::port_down(level, to);
            mask = (mask & wanted) != 0 ? wanted : mask & (0 - mask);
        }
        route.add(up_tag(mask));
    }
    for (unsigned level = top; level >= 1; --level)
        route.add(Tag::link(FatTree::port_down(level, to)));
    return route;
}

std::optional<Route> find_broadcast(const FatTree& tree, NodeId from, NodeId first, NodeId last,
                                    const std::vector<Part>& avoid) {
    if (first > last || last >= tree.nodes() || from >= tree.nodes())
        throw UsageError(
            fmt::format("a broadcast from node {} to nodes {} to {}: give a range below {}", from,
                        first, last, tree.nodes()));
    const unsigned top =
        std::max({1U, FatTree::meeting_level(from, first), FatTree::meeting_level(from, last),
                  FatTree::meeting_level(first, last)});
    std::vector<Passing> parts;
    const auto pass = [&](NodeId to) {
        for (const Part& part : avoid)
            if (const auto found = passing(tree, from, to, top, part)) parts.push_back(*found);
    };
    for (NodeId to = first; !avoid.empty() && to <= last; ++to)
        pass(to);
    Choices choices;
    choices.fill(0xf);
    if (!avoid_all(parts, 0, choices)) return std::nullopt;
    Route route;
    for (unsigned level = 1; level < top; ++level)
        route.add(up_tag(choices[level - 1] & (0 - choices[level - 1])));
    for (unsigned level = top; level >= 1; --level)
        route.add(Tag::range(FatTree::port_down(level, first), FatTree::port_down(level, last)));
    return route;
}

Route find_broadcast(const FatTree& tree, NodeId from, std::vector<NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes.empty() || nodes.back() - nodes.front() + 1 != nodes.size())
        throw UsageError(
            "one broadcast reaches a range of nodes without gaps; send one for each range");
    return *find_broadcast(tree, from, nodes.front(), nodes.back());
}

RoutingTable::RoutingTable(const FatTree& tree, NodeId source, Routing routing,
                           std::vector<NodeId> nodes)
    : RoutingTable(tree, source, routing,
                   nodes.empty() ? nullptr
                                 : std::make_shared<const std::vector<NodeId>>(std::move(nodes))) {}

RoutingTable::RoutingTable(const FatTree& tree, NodeId source, Routing routing,
                           std::shared_ptr<const std::vector<NodeId>> nodes)
    : tree_(tree), source_(source), routing_(routing), nodes_(std::move(nodes)) {}

NodeId RoutingTable::node_of(Processor processor) const {
    if (!nodes_) return processor;
    if (processor >= nodes_->size())
        throw UsageError(fmt::format("there is no virtual processor {}: this table has {}",
                                     processor, nodes_->size()));
    return (*nodes_)[processor];
}

const Route* RoutingTable::to(Processor processor) {
    if (avoided_.empty() && routes_.empty()) {
        if (asked_for_ != processor) {
            asked_ = *find_route(tree_, source_, node_of(processor), routing_);
            asked_for_ = processor;
        }
        return &asked_;
    }
    const auto [found, is_new] = routes_.try_emplace(processor);
    if (is_new) found->second = find_route(tree_, source_, node_of(processor), routing_, avoided_);
    return found->second ? &*found->second : nullptr;
}

void RoutingTable::set(Processor processor, const Route& route) {
    routes_[processor] = route;
}

void RoutingTable::avoid(Part part) {
    if (std::find(avoided_.begin(), avoided_.end(), part) != avoided_.end()) return;
    avoided_.push_back(part);
    routes_.clear();
}

void RoutingTable::forget_faults() {
    avoided_.clear();
    routes_.clear();
}

}  // namespace railyard::elite
