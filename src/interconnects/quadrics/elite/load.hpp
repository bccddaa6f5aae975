#pragma once
/// Throughput and latency against offered load, the way networks of switches are compared: every
/// node sends packets of one size at random times, to destinations that a pattern gives.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "interconnects/quadrics/elite/network.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard::elite {

enum class Pattern : std::uint8_t {
    uniform,         ///< any other node
    bit_complement,  ///< the node whose number has all bits the other way
    transpose,       ///< the node whose number has its halves swapped
    hot_spot,        ///< node 0
};
std::string_view name(Pattern pattern);

struct Load {
    Parameters parameters;
    Pattern pattern = Pattern::uniform;
    Routing routing = Routing::adaptive;
    double offered = 0.5;  ///< payload a node wants to send, as a fraction of a link's rate
    Bytes payload{64};
    Duration warm_up = Duration::us(20);
    Duration measured = Duration::us(100);
    std::uint64_t seed = 1;
};

struct LoadPoint {
    double offered = 0;   ///< as was drawn
    double accepted = 0;  ///< payload that arrived, a node, as a fraction of a link's rate
    /// From the wish to send until all has arrived, of what arrived in the time measured.
    Duration mean_latency;
    Duration mean_network_latency;  ///< without the wait at the source
    std::uint64_t packets = 0;      ///< that arrived in that time
    Counters counters;              ///< of the whole run
    std::uint64_t events = 0;
};

/// Nodes that the pattern maps to themselves are silent.
std::optional<NodeId> destination(Pattern pattern, NodeId from, std::uint32_t nodes,
                                  sim::Random& random);
/// Depends on nothing but its argument.
LoadPoint run_load(const Load& load);
/// One after another, for a curve.
std::vector<LoadPoint> run_loads(Load load, const std::vector<double>& offered);

}  // namespace railyard::elite
