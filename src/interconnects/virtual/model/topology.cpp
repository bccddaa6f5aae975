#include "interconnects/virtual/model/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace railyard::model {

namespace {

/// Of two nodes of a quaternary fat tree: the level of the lowest switches above both (FT-3).
unsigned meeting_level(fabric::NodeId a, fabric::NodeId b) {
    unsigned level = 0;
    for (; a != b; a /= 4, b /= 4)
        ++level;
    return level;
}

// A link's number: which one, its port or level, its direction.
std::uint64_t pack(unsigned direction, unsigned level, std::uint64_t number) {
    return number << 16 | std::uint64_t{level} << 8 | direction;
}

struct LinkName {
    std::string group;
    std::string name;
};

LinkName name_of(std::uint64_t link) {
    static constexpr std::string_view ways[] = {"out", "in", "up", "down"};
    const std::uint64_t direction = link & 0xff;
    const std::uint64_t level = link >> 8 & 0xff;
    const std::uint64_t number = link >> 16;
    if (direction < 2)
        return {fmt::format("node {}", number), fmt::format("link {} {}", level, ways[direction])};
    return {"switches", fmt::format("link {} of level {}, {}", number, level, ways[direction])};
}

}  // namespace

Fifo& Switches::link(Direction direction, unsigned level, std::uint64_t number) {
    const std::uint64_t packed = pack(static_cast<unsigned>(direction), level, number);
    std::unique_ptr<Fifo>& found = links_[packed];
    if (!found) {
        const LinkName name = name_of(packed);
        found = std::make_unique<Fifo>(engine_.trace(), name.group, name.name);
        if (plan_) found->health = plan_->link(direction, level, number);
        const hardware::Network& network = parameters_.network;
        const bool at_node = direction == Direction::in || direction == Direction::out;
        const Bytes size =
            direction == Direction::in ? parameters_.adapter.receive_buffer : network.buffer;
        if (size > Bytes())
            found->buffer = std::make_unique<InputBuffer>(engine_, size,
                                                          at_node ? network.latency : network.hop);
    }
    return *found;
}

void Switches::add_parts(std::vector<fabric::PartUse>& all) const {
    std::vector<std::pair<std::uint64_t, Duration>> busy;
    for (const auto& [packed, link] : links_)
        if (link->busy > Duration{}) busy.emplace_back(packed, link->busy);
    std::sort(busy.begin(), busy.end());
    for (const auto& [packed, time] : busy) {
        const LinkName name = name_of(packed);
        all.push_back({fabric::PartKind::link, fmt::format("{}, {}", name.group, name.name), time});
    }
}

Fifo& Switches::link_out(Place place) {
    return link(Direction::out, place.port, place.node);
}

Duration Switches::latency(fabric::NodeId from, fabric::NodeId to) const {
    const hardware::Network& network = parameters_.network;
    if (network.topology == hardware::Topology::crossbar || from == to) return network.latency;
    return network.latency + network.hop * (2 * (std::int64_t{meeting_level(from, to)} - 1));
}

bool Switches::never_hold_up_one_alone() const {
    if (parameters_.adapter.receive_buffer > Bytes()) return false;
    const hardware::Network& network = parameters_.network;
    const hardware::Link& link = parameters_.link;
    const Duration longest = std::max(network.latency, network.hop);
    const Bytes packets = (link.packet + link.header) * 2;
    return network.buffer == Bytes() ||
           (network.buffer >= packets && (network.buffer - packets) / link.rate > longest * 2);
}

const Path& Switches::shared(const Path& path) {
    for (const auto& known : paths_)
        if (*known == path) return *known;
    paths_.push_back(std::make_unique<const Path>(path));
    return *paths_.back();
}

unsigned Switches::ways(fabric::NodeId from, fabric::NodeId to) const {
    if (parameters_.network.topology == hardware::Topology::crossbar || from == to) return 1;
    // A detour is 16 bits of a route's name; so many ways are enough for anybody.
    return static_cast<unsigned>(faults::power_of_four(std::min(meeting_level(from, to) - 1, 7U)));
}

unsigned Switches::back(fabric::NodeId from, fabric::NodeId to, unsigned detour) const {
    const std::uint64_t all = ways(from, to);
    return static_cast<unsigned>((to + std::uint64_t{detour} + all - from % all) % all);
}

void Switches::add_way(Way& way, Place from, Place to, unsigned detour) {
    const hardware::Network& network = parameters_.network;
    way.path.credits =
        static_cast<std::uint32_t>(std::max(network.buffer, parameters_.adapter.receive_buffer) /
                                   (parameters_.link.packet + parameters_.link.header));
    Stage stage;
    stage.rate = parameters_.link.rate;
    stage.header = parameters_.link.header;
    stage.rest = parameters_.link.gap;
    stage.latency = network.latency;
    stage.fifo = &link_out(from);
    way.add(stage);
    stage.latency = network.hop;
    if (network.topology == hardware::Topology::fat_tree) {
        // Up by the destination's digits, so that a pair always takes the same way, then down the
        // only way there is (FT-6). A link is named by the switch digits on either side of it.
        const std::uint64_t digits = std::uint64_t{to.node} + detour;
        const unsigned top = meeting_level(from.node, to.node);
        for (unsigned level = 1; level < top; ++level) {
            const std::uint64_t above = from.node / faults::power_of_four(level);
            stage.fifo =
                &link(Direction::up, level,
                      above * faults::power_of_four(level) + digits % faults::power_of_four(level));
            way.add(stage);
        }
        for (unsigned level = top; level-- > 1;) {
            const std::uint64_t below = to.node / faults::power_of_four(level);
            stage.fifo =
                &link(Direction::down, level,
                      below * faults::power_of_four(level) + digits % faults::power_of_four(level));
            way.add(stage);
        }
    }
    stage.latency = {};
    stage.fifo = &link(Direction::in, to.port, to.node);
    way.add(stage);
}

}  // namespace railyard::model
