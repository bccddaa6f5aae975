#pragma once
/// What stands on a message of a tagged port, and what a receive asks for.

#include <cstdint>
#include <optional>

#include "interconnects/quadrics/elan/address_space.hpp"

namespace railyard::elanlib {

using elan::Address;
using elan::Vpid;
using Tag = std::uint64_t;

/// Tag, sender and size (TP-2), and where the data are. 32 bytes: with fewer than 288 bytes of
/// data, it fits a packet (TP-5).
struct Envelope {
    enum class Data : std::uint32_t {
        with_it,      ///< they follow the envelope
        at_sender,    ///< they leave when the receiver asks for them
        on_the_node,  ///< in memory that both share
        lost,         ///< the message with this number never comes: others need not wait for it
        withdrawn,    ///< of that one, whose number `address` is: its sender wants it back
    };
    Tag tag = 0;
    Vpid from = 0;
    std::uint32_t size = 0;
    Data data = Data::with_it;
    Address address = elan::null_address;  ///< of the data at the sender
    Address event = elan::null_address;    ///< the sender's, set when they have been taken
    std::uint32_t number = 0;  ///< among those from this sender to this receiver: keeps their order
};
static_assert(sizeof(Envelope) == 32);

/// Messages of fewer bytes travel with their envelope: what a packet has room for beside it.
constexpr std::uint32_t inline_below = elan::packet_data - sizeof(Envelope);
static_assert(inline_below == 288);

/// What a receive asks for: a sender, a tag, both or neither.
struct Selector {
    std::optional<Vpid> from;
    Tag tag = 0;
    Tag mask = ~Tag{0};  ///< bits of the tag that count
    bool accepts(const Envelope& envelope) const {
        return (!from || *from == envelope.from) && ((tag ^ envelope.tag) & mask) == 0;
    }
};

/// What the process finds in the block of a receive's event.
struct Found {
    std::uint32_t seen = 1;     ///< not 0, for who polls
    std::uint32_t matched = 0;  ///< the rest means something
    Envelope envelope;
};

}  // namespace railyard::elanlib
