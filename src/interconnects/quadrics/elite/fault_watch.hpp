#pragma once
/// Somebody beside the adapters who follows what faults do to a network: told by the network, and
/// by the adapters on it. One that nobody watches works the same.

#include <cstdint>
#include <vector>

#include "interconnects/quadrics/elite/packet.hpp"

namespace railyard::elite {

class FaultWatch {
  public:
    virtual ~FaultWatch() = default;

    /// A packet is about to enter a network in which there is none. What has changed while nobody
    /// looked may be changed now (Network::set_dead).
    virtual void woken() = 0;
    /// The last packet has left.
    virtual void rested() = 0;
    /// A packet has failed, as its source is told now. `arrived`: all of it was there, and it is
    /// its token that was lost.
    virtual void failed(const Fault& fault, bool arrived) = 0;

    /// A source avoids a part from now on, and has found another way.
    virtual void rerouted() {}
    /// A destination has had that before, and drops it.
    virtual void repeated() {}
    /// No way is left for something that one node has sent, to another or, as a broadcast, to
    /// several. It has that number among all that the node sends, of which the next is `next`.
    struct Lost {
        NodeId from = 0;
        std::vector<NodeId> to;
        std::uint64_t number = 0;
        std::uint64_t next = 0;
        bool tried = false;  ///< it has been on its way at least once
    };
    virtual void unreachable(const Lost& /*lost*/) {}
};

}  // namespace railyard::elite
