#pragma once
/// A message of a tagged port, from send() until both sides are done with it. Events hold it by
/// shared pointer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "railyard/tagged_port.hpp"

namespace railyard::virtual_time {

class TaggedPort;

struct TaggedMessage {
    // The sender's part.
    std::shared_ptr<TaggedPort> from;
    std::uint64_t id = 0;
    fabric::TaggedPeer to = 0;  ///< as the sender numbers it
    End target;
    fabric::MatchBits bits = 0;
    Bytes size;
    bool eager = false;               ///< comes with its data; else these wait for the match
    std::vector<std::byte> carried;   ///< of an eager one: the buffer may be free before they land
    std::span<const std::byte> kept;  ///< of any other: the user's memory, while `from` is open
    std::uint64_t number = 0;         ///< Transfer::message of what carries the data
    bool answered = false;            ///< the sender is being told
    bool told = false;                ///< the sender has been told
    bool given_up = false;            ///< the network lost it, and both sides have been told

    // The target's part.
    fabric::TaggedPeer source = 0;  ///< as the target numbers it
    fabric::TaggedReceive receive;  ///< what it was matched with
    bool matched = false;           ///< a receive is taken
    bool granted = false;           ///< and the adapter has got so far
    bool announced = false;         ///< found unexpected, for probes to see
    bool placed = false;            ///< an eager one's data are at the target

    /// What the receive has room for.
    Bytes fitting() const { return std::min(size, Bytes(receive.buffer.size())); }
};

}  // namespace railyard::virtual_time
