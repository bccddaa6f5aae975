#pragma once
/// A script of faults: what breaks, where, when and for how long, as a small TOML file
/// (docs/faults.md). Places have the names that traces and summaries have for the parts. Read
/// against the network that it is for, so that a place which is not there is refused with those
/// that are.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::faults {

/// Of a quaternary tree: how much there is of what doubles twice at every level.
constexpr std::uint64_t power_of_four(unsigned n) {
    return std::uint64_t{1} << (2 * n);
}

/// The network that faults can strike, which says which places there are.
struct Layout {
    unsigned levels = 0;  ///< of switches, in a quaternary fat tree; 0: one crossbar joins all
    unsigned ports = 1;   ///< of each adapter
    fabric::NodeId nodes = 1;

    bool is_tree() const { return levels > 0; }
    /// Of each level.
    std::uint64_t switches() const { return is_tree() ? power_of_four(levels - 1) : 1; }
    /// Between a level and the next.
    std::uint64_t links() const { return is_tree() ? power_of_four(levels) : 0; }
};

/// Where a fault strikes. Links are cables: both ways, or one of them.
struct Place {
    enum class Kind : std::uint8_t { all_links, node, node_link, switch_link, network_switch };
    enum class Way : std::uint8_t { both, away, back };  ///< away from the node, or up the tree

    Kind kind = Kind::all_links;
    std::uint64_t number = 0;  ///< of the node, the link or the switch
    unsigned level = 0;        ///< of the link or the switch; of a node's link: its port
    Way way = Way::both;
    friend bool operator==(const Place&, const Place&) = default;
};

/// Throws UsageError with what is there if that is not.
Place parse_place(std::string_view text, const Layout& layout);
/// "node 3, link 0", as parse_place reads it.
std::string to_string(const Place& place, const Layout& layout);

/// "all links; node 0 to node 15; ..."
std::string places_of(const Layout& layout);

struct Fault {
    enum class What : std::uint8_t {
        bit_errors,
        link,
        network_switch,
        flapping_link,
        adapter_reset
    };

    What what = What::link;
    Place where;
    Time at;
    Duration lasts = Duration::forever();
    double rate = 0;  ///< bit errors: of each bit
    Duration down;    ///< a flapping link: so long dead ...
    Duration up;      ///< ... then so long alive, and again
    friend bool operator==(const Fault&, const Fault&) = default;

    /// Time at which it is over, if ever.
    Time end() const { return lasts == Duration::forever() ? Time::never() : at + lasts; }
    /// Does it strike then? Of bit errors: can it?
    bool is_on(Time now) const;
};

struct Script {
    std::uint64_t seed = 1;  ///< of the bit errors
    std::vector<Fault> faults;
    friend bool operator==(const Script&, const Script&) = default;
};

/// Throws UsageError, with a line of text for each mistake: file, line, column, key, and what is
/// allowed.
Script parse_script(std::string_view text, const std::string& file, const Layout& layout);
Script load_script(const std::string& path, const Layout& layout);

/// "link, node 3, link 0, from 1 ms for 200 us"
std::string to_string(const Fault& fault, const Layout& layout);
/// Reads back as the same.
std::string to_toml(const Script& script, const Layout& layout);

}  // namespace railyard::faults
