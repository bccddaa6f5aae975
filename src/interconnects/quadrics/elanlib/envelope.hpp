#pragma once
/// What stands on a message of a tagged port: tag, sender and size (TP-2), and where its data are.
/// 32 bytes: with fewer than 288 bytes of data, it fits a packet (TP-5).

#include <cstdint>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

using elan3::Address;
using elan3::Vpid;
using Tag = std::uint32_t;

struct Envelope {
    enum class Data : std::uint32_t {
        with_it,      ///< they follow the envelope
        at_sender,    ///< they leave when the receiver asks for them
        on_the_node,  ///< in memory that both share
        lost,         ///< the message with this number never comes: others need not wait for it
    };
    Tag tag = 0;
    Vpid from = 0;
    std::uint32_t size = 0;
    Data data = Data::with_it;
    Address address = elan::null_address;  ///< of the data at the sender
    Address event = elan::null_address;    ///< the sender's, set when they have been taken
    std::uint64_t number = 0;  ///< among those from this sender to this receiver: keeps their order
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

}  // namespace railyard::elanlib
