#pragma once
/// A script of faults: what breaks, where, when and for how long, as a small TOML file
/// (docs/faults.md). Read against the network that it is for, so that a place which is not there is
/// refused with those that are.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interconnects/virtual/model/parameters.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::model {

/// Of a quaternary tree: how much there is of what doubles twice at every level.
constexpr std::uint64_t power_of_four(unsigned n) {
    return std::uint64_t{1} << (2 * n);
}

/// The network that faults can strike.
struct Ground {
    Topology topology = Topology::crossbar;
    unsigned dimension = 1;  ///< of a fat tree, as many levels as it has
    unsigned ports = 1;      ///< of each adapter
    fabric::NodeId nodes = 1;

    static Ground of(const Parameters& parameters, fabric::NodeId nodes);
    std::uint64_t switches() const;  ///< of each level
    std::uint64_t links() const;     ///< between a level and the next
};

/// Where a fault strikes. Links are cables: both ways, or one of them.
struct FaultPlace {
    enum class Kind : std::uint8_t { all_links, node, node_link, switch_link, network_switch };
    enum class Way : std::uint8_t { both, away, back };  ///< away from the node, or up the tree

    Kind kind = Kind::all_links;
    std::uint64_t number = 0;  ///< of the node, the link or the switch
    unsigned level = 0;        ///< of the link or the switch; of a node's link: its port
    Way way = Way::both;
    friend bool operator==(const FaultPlace&, const FaultPlace&) = default;
};

struct Fault {
    enum class What : std::uint8_t {
        bit_errors,
        link,
        network_switch,
        flapping_link,
        adapter_reset
    };

    What what = What::link;
    FaultPlace where;
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

struct FaultScript {
    std::uint64_t seed = 1;  ///< of the bit errors
    std::vector<Fault> faults;
    friend bool operator==(const FaultScript&, const FaultScript&) = default;
};

/// Throws UsageError, with a line of text for each mistake: file, line, column, key, and what is
/// allowed.
FaultScript parse_faults(std::string_view text, const std::string& file, const Ground& ground);
FaultScript load_faults(const std::string& path, const Ground& ground);

/// "node 3, link 0", as parse_faults reads it.
std::string to_string(const FaultPlace& place, const Ground& ground);
/// "link, node 3, link 0, from 1 ms for 200 us"
std::string to_string(const Fault& fault, const Ground& ground);
/// Reads back as the same.
std::string to_toml(const FaultScript& script, const Ground& ground);

}  // namespace railyard::model
