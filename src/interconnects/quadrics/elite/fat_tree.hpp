#pragma once
/// The wiring of a quaternary fat tree of dimension n: 4^n nodes below n levels of 4^(n-1) switches
/// of eight ports, 0 to 3 down and 4 to 7 up.
///
/// A switch is (w, l): l is its level, 1 for those that nodes hang on, and w has n - 1 digits to
/// the base 4. Digits are counted from the last, so that neighbouring nodes share small trees: (w,
/// l) and (w', l + 1) are joined when they agree in all digits but the l-th, by port 4 + (that
/// digit of w') of the lower and port (that digit of w) of the upper one. Node p hangs on switch (p
/// / 4, 1).

#include <cstdint>
#include <string>

namespace railyard::elite {

using NodeId = std::uint32_t;
using SwitchId = std::uint32_t;  ///< (level - 1) * 4^(n-1) + w
/// A cable, named by its lower end: node p's is p; that of port 4 + j of switch s is
/// nodes + 4 * s + j.
using CableId = std::uint32_t;
/// One direction of a cable, named by where it begins: that out of port p of switch s is 8 * s + p,
/// that out of a node is 8 * switches + node.
using LinkId = std::uint32_t;

constexpr unsigned ports_down = 4;
constexpr unsigned ports = 8;
constexpr LinkId no_link = ~LinkId{0};

/// What a link leads to, or comes from.
struct End {
    bool node = false;      ///< else a switch
    std::uint8_t port = 0;  ///< of the switch
    std::uint32_t id = 0;
};

/// All answers are arithmetic on digits: there is no table, whatever the size.
class FatTree {
  public:
    /// Dimensions 1 to 10.
    explicit FatTree(unsigned dimension);

    unsigned dimension() const { return dimension_; }
    std::uint32_t nodes() const { return 4U << width_bits_; }
    std::uint32_t switches() const { return dimension_ << width_bits_; }
    std::uint32_t cables() const { return nodes() * dimension_; }
    /// Numbers of links are below this; those above the top lead nowhere.
    std::uint32_t link_numbers() const { return first_of_nodes_ + nodes(); }

    SwitchId switch_at(unsigned level, std::uint32_t w) const {
        return (level - 1) << width_bits_ | w;
    }
    unsigned level(SwitchId s) const { return (s >> width_bits_) + 1; }
    std::uint32_t digits(SwitchId s) const { return s & ((1U << width_bits_) - 1); }
    SwitchId leaf_of(NodeId node) const { return node / 4; }

    /// The link that leaves a node, or a switch by that port; no_link above the top.
    LinkId out(NodeId node) const { return first_of_nodes_ + node; }
    LinkId out(SwitchId s, unsigned port) const {
        if (port >= ports_down && level(s) == dimension_) return no_link;
        return s * ports + port;
    }
    bool is_out_of_node(LinkId link) const { return link >= first_of_nodes_; }
    End near(LinkId link) const {
        if (is_out_of_node(link)) return {true, 0, link - first_of_nodes_};
        return {false, static_cast<std::uint8_t>(link % ports), link / ports};
    }
    End far(LinkId link) const;
    LinkId reverse(LinkId link) const {
        const End end = far(link);
        return end.node ? out(end.id) : end.id * ports + end.port;
    }
    bool is_up(LinkId link) const { return is_out_of_node(link) || link % ports >= ports_down; }
    CableId cable(LinkId link) const;
    /// The link that goes up in it.
    LinkId up(CableId cable) const;

    /// The level of the lowest switches above both.
    static unsigned meeting_level(NodeId a, NodeId b);
    /// Switches on the shortest way between two nodes that are not the same.
    static unsigned distance(NodeId a, NodeId b) { return 2 * meeting_level(a, b) - 1; }
    /// The port by which a switch of that level reaches the node, if the node is below it.
    static unsigned port_down(unsigned level, NodeId node) { return node >> 2 * (level - 1) & 3; }

    /// "switch 0 of level 2", "the cable of node 3".
    std::string switch_name(SwitchId s) const;
    std::string cable_name(CableId cable) const;

  private:
    unsigned dimension_;
    unsigned width_bits_;  ///< a level has two to this power switches
    LinkId first_of_nodes_;
};

inline End FatTree::far(LinkId link) const {
    if (is_out_of_node(link)) {
        const NodeId node = link - first_of_nodes_;
        return {false, static_cast<std::uint8_t>(node % 4), node / 4};
    }
    const SwitchId s = link / ports;
    const unsigned port = link % ports;
    const unsigned below = s >> width_bits_;  // levels: 0 at the leaves
    if (port < ports_down && below == 0) return {true, 0, 4 * s + port};
    // Between levels l and l + 1, counted from 1, it is the l-th digit that changes.
    const bool up = port >= ports_down;
    const unsigned shift = 2 * (up ? below : below - 1);
    const unsigned digit = s >> shift & 3;
    const SwitchId beside = s ^ (digit ^ port % 4) << shift;
    if (up) return {false, static_cast<std::uint8_t>(digit), beside + (1U << width_bits_)};
    return {false, static_cast<std::uint8_t>(ports_down + digit), beside - (1U << width_bits_)};
}

}  // namespace railyard::elite
