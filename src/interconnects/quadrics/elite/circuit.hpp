#pragma once
/// A packet on its way, and the links that it holds: a chain of legs, or, for a broadcast, a tree.

#include <cstdint>
#include <vector>

#include "interconnects/quadrics/elite/bit_errors.hpp"
#include "interconnects/quadrics/elite/packet.hpp"
#include "railyard/base/time.hpp"
#include "sim/event_queue.hpp"

namespace railyard::elite {

constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// One link that a circuit holds, on the circuit's virtual channel.
struct Leg {
    LinkId link = 0;
    std::uint32_t parent = nothing;
    std::uint32_t first_child = nothing;
    std::uint16_t children = 0;
    std::uint16_t tokens = 0;  ///< that children still owe
    std::uint8_t depth = 0;    ///< switches passed before this link
    bool left = true;          ///< a broadcast's copy on the left edge of its range
    bool right = true;
    bool waiting = false;    ///< at the far end, for an output
    bool announced = false;  ///< the destination has seen its header
    bool complete = false;   ///< all of it is at the destination
    bool answered = false;
    std::uint32_t corrupt = BitErrors::none;  ///< the first flit that is hit on this link
    Time granted;
    Time header = Time::never();  ///< when the header is at the far end
    Time token;                   ///< a broadcast's: when the one from beyond passes its near end
};

struct alignas(64) Circuit {
    std::uint64_t stamp = 0;  ///< new whenever events that were meant for it are void
    std::vector<Leg> legs;
    PacketId id;
    std::uint32_t flits = 0;         ///< behind the tags
    std::uint32_t destinations = 0;  ///< reached
    std::uint32_t tails = 0;         ///< arrived in full
    std::uint32_t notices = 0;       ///< still to be given, after a failure
    bool refused = false;
    bool token_back = false;
    bool failed = false;
    bool meets = false;  ///< or has met another, on the other channel of some link
    Outcome outcome;
    Time answered;         ///< by the one destination
    Time end;              ///< when its last flit is there, packet by packet; else nought
    Duration shared;       ///< by how much links shared with others put that off
    Duration with_sharer;  ///< of that, the last one's doing
    std::uint64_t sharer = 0;
    Time slow_until;  ///< until then it has half of some link
    sim::Event ending;
    Packet packet;

    /// Flits that cross that leg: a switch keeps the tag it acts on.
    std::uint32_t flits_on(const Leg& leg) const { return flits + packet.route.size() - leg.depth; }
    bool older_than(const Circuit& other) const {
        if (packet.priority != other.packet.priority)
            return packet.priority > other.packet.priority;
        return id.sequence < other.id.sequence;
    }
};

}  // namespace railyard::elite
