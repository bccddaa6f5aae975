#pragma once
/// Source routing: the tags that lead a packet through the switches, how they are found around
/// broken parts, and the table of them that a source keeps for its virtual processors. Switches
/// know no routes, so to change the table is to change the route.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interconnects/quadrics/elite/fat_tree.hpp"

namespace railyard::elite {

/// One flit: an output link, a group of links of which the switch takes any that is free, or a
/// range of links down which a broadcast is copied.
class Tag {
  public:
    constexpr Tag() = default;
    static constexpr Tag link(unsigned port) { return Tag(link_kind | 1U << port); }
    /// A bit a port.
    static constexpr Tag group(unsigned ports_mask) {
        return Tag(group_kind | (ports_mask & 0xff));
    }
    /// Down, to all from the first to the last. Of a broadcast's way down, the tags hold the digits
    /// of the first and the last node: only where a copy is on that edge of the range does its
    /// switch heed that digit, so a range is all that tags can name.
    static constexpr Tag range(unsigned first, unsigned last) {
        return Tag(range_kind | first | last << 2);
    }

    constexpr bool is_range() const { return (bits_ & kinds) == range_kind; }
    /// Ports that it names. For a range, as seen by a copy on the left edge, the right one, or
    /// both.
    constexpr unsigned mask(bool left = true, bool right = true) const {
        if (!is_range()) return bits_ & 0xff;
        const unsigned first = left ? this->first() : 0;
        const unsigned last = right ? this->last() : ports_down - 1;
        return (2U << last) - (1U << first);
    }
    constexpr unsigned first() const { return bits_ & 3; }
    constexpr unsigned last() const { return bits_ >> 2 & 3; }
    constexpr std::uint16_t bits() const { return bits_; }
    friend constexpr bool operator==(Tag, Tag) = default;

  private:
    explicit constexpr Tag(unsigned bits) : bits_(static_cast<std::uint16_t>(bits)) {}
    static constexpr unsigned kinds = 3U << 14;
    static constexpr unsigned link_kind = 1U << 14;
    static constexpr unsigned group_kind = 2U << 14;
    static constexpr unsigned range_kind = 3U << 14;
    std::uint16_t bits_ = 0;
};

/// The tags that the source puts before a packet, one a switch. Each switch takes the first off and
/// acts on it.
class Route {
  public:
    static constexpr unsigned capacity = 20;

    unsigned size() const { return size_; }
    Tag operator[](unsigned i) const { return tags_[i]; }
    /// False when it is full.
    bool add(Tag tag) {
        if (size_ == capacity) return false;
        tags_[size_++] = tag;
        return true;
    }
    bool is_broadcast() const { return size_ > 0 && tags_[size_ - 1U].is_range(); }
    friend bool operator==(const Route&, const Route&) = default;

  private:
    std::array<Tag, capacity> tags_{};
    std::uint16_t size_ = 0;
};

/// A part of the network that may break: a cable or a switch.
struct Part {
    enum class Kind : std::uint8_t { cable, whole_switch };
    Kind kind = Kind::cable;
    std::uint32_t id = 0;
    static Part cable(CableId id) { return {Kind::cable, id}; }
    static Part switch_of(SwitchId id) { return {Kind::whole_switch, id}; }
    friend bool operator==(const Part&, const Part&) = default;
};

/// Adaptive: up by any link. Fixed: up by the destination's digits, always the same way.
enum class Routing : std::uint8_t { adaptive, fixed };

/// The way from one node to another that avoids the parts given; nothing where there is none.
std::optional<Route> find_route(const FatTree& tree, NodeId from, NodeId to,
                                Routing routing = Routing::adaptive,
                                const std::vector<Part>& avoid = {});

/// The way to all nodes from the first to the last. It climbs by fixed links: all broadcasts of one
/// part of the tree pass one switch, since two that fork at different ones could each hold what the
/// other waits for. Nothing if a part to avoid leaves none.
std::optional<Route> find_broadcast(const FatTree& tree, NodeId from, NodeId first, NodeId last,
                                    const std::vector<Part>& avoid = {});
/// The same for a list of nodes, in any order; throws UsageError where they are no range.
Route find_broadcast(const FatTree& tree, NodeId from, std::vector<NodeId> nodes);

/// Several can be loaded in an adapter, side by side. As long as no part is to be avoided, a way is
/// a matter of digits, and found anew each time it is asked for; else it is kept.
class RoutingTable {
  public:
    using Processor = std::uint32_t;
    /// Virtual processor i is on node i, unless a map says otherwise.
    RoutingTable(const FatTree& tree, NodeId source, Routing routing = Routing::adaptive,
                 std::vector<NodeId> nodes = {});
    /// Many tables may share a map.
    RoutingTable(const FatTree& tree, NodeId source, Routing routing,
                 std::shared_ptr<const std::vector<NodeId>> nodes);

    /// Null where no way is left. Valid until the table changes or is asked again.
    const Route* to(Processor processor);
    void set(Processor processor, const Route& route);
    /// From now on no way leads through it; ways that were set by hand go, too.
    void avoid(Part part);
    /// All ways are open again.
    void forget_faults();
    const std::vector<Part>& avoided() const { return avoided_; }
    NodeId node_of(Processor processor) const;

  private:
    static constexpr Processor nobody = ~Processor{0};

    const FatTree& tree_;
    NodeId source_;
    Routing routing_;
    std::shared_ptr<const std::vector<NodeId>> nodes_;  ///< null: virtual processor i is on node i
    std::vector<Part> avoided_;
    std::map<Processor, std::optional<Route>> routes_;  ///< set by hand, or around faults
    Processor asked_for_ = nobody;                      ///< last, as long as there were no faults
    Route asked_;
};

}  // namespace railyard::elite
