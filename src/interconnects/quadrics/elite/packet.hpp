#pragma once
/// What goes in and out of the network: packets, and what an adapter is told of them.

#include <cstdint>
#include <string>

#include "interconnects/quadrics/elite/fat_tree.hpp"
#include "interconnects/quadrics/elite/route.hpp"
#include "interconnects/quadrics/elite/routing_table.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::elite {

constexpr unsigned channels = 2;  ///< virtual channels of a link, each way

enum class Priority : std::uint8_t { low, high };

struct Packet {
    NodeId source = 0;
    Route route;
    Bytes payload;
    std::uint8_t channel = 0;  ///< the virtual channel, on all links of the way
    Priority priority = Priority::low;
    std::uint64_t cookie = 0;  ///< the adapter's own; the destination sees it
};

/// Names a packet from send() until its source has been told what became of it.
struct PacketId {
    std::uint64_t sequence = 0;  ///< in order of sending: the lower, the older
    std::uint32_t slot = 0;
    friend bool operator==(const PacketId&, const PacketId&) = default;
};

/// A packet as one destination sees it: without a tag.
struct Delivery {
    PacketId packet;
    NodeId source = 0;
    NodeId node = 0;  ///< where it arrived
    bool broadcast = false;
    Bytes payload;
    std::uint64_t cookie = 0;
    std::uint32_t leg = 0;  ///< the network's own
};

/// Where the way was cut, as the hops found out between themselves.
struct Fault {
    enum class Kind : std::uint8_t {
        dead,       ///< the part does not answer
        corrupted,  ///< a CRC was wrong behind it
        bad_route,  ///< the tags lead nowhere
    };
    Kind kind = Kind::dead;
    unsigned hop = 0;  ///< links passed before it: 0 is the source's own
    Part part;
};

struct Outcome {
    enum class Kind : std::uint8_t { accepted, refused, failed };
    Kind kind = Kind::accepted;
    Fault fault;               ///< if it failed
    std::uint64_t cookie = 0;  ///< the packet's
};

enum class Answer : std::uint8_t { accept, refuse };

/// A node's end of the network: told of what comes in, and of what became of what went out. All
/// calls are events of the engine; in them, the adapter may send and answer.
class Adapter {
  public:
    virtual ~Adapter() = default;
    /// The first flit behind the tags is here.
    virtual void header(const Delivery& /*delivery*/) {}
    /// All is here, and the CRC is right. Network::answer() is due, now or later: until then the
    /// whole way is held.
    virtual void arrived(const Delivery& delivery) = 0;
    /// What header() announced was cut off or is corrupt; there is nothing to answer.
    virtual void broken(const Delivery& /*delivery*/) {}
    /// The one token that comes back for each packet.
    virtual void settled(PacketId packet, const Outcome& outcome) = 0;
};

}  // namespace railyard::elite
