#pragma once
/// What travels on a channel: a header and some bytes. The same packets go through rings and
/// through mail.

#include <array>
#include <cstddef>
#include <cstdint>

#include "railyard/base/cpu.hpp"
#include "railyard/memory.hpp"

namespace railyard::mpi {

enum class PacketKind : std::uint8_t {
    eager,       ///< a message
    offer,       ///< rendezvous: the envelope, an Offer, and perhaps the first bytes
    acceptance,  ///< rendezvous: the receiver is ready; an Acceptance
    piece,       ///< streamed rendezvous: the next bytes; `context` names the receiver's request
    follower,    ///< the next bytes of the message that was offered last, before any answer
    fetched,     ///< the receiver has all, or has matched; `context` names the sender's request
    placed,      ///< all is written; `context` names the receiver's request, `tag` the parts that
                 ///< are told of by immediate values
    credit,      ///< nothing but `freed`
    hold_eager,  ///< too much waits unexpected: offer everything from now on
    free_eager,  ///< the contrary
};

struct Header {
    std::uint32_t context = 0;
    std::int32_t source = 0;  ///< the sender's rank in the communicator
    std::int32_t tag = 0;
    std::uint32_t length = 0;  ///< of what follows the header
    std::uint16_t freed = 0;   ///< mail: buffers that the peer may count on again; rings: see
                               ///< RingReader::tell_shortly
    PacketKind kind = PacketKind::eager;
    std::uint8_t unused = 0;
};
static_assert(sizeof(Header) == 20);

/// How the bytes of a large message get across.
enum class Way : std::uint8_t {
    stream,  ///< in pieces through the channel: both processors copy
    read,    ///< the receiver reads them from the sender's memory
    write,   ///< the sender writes them into the receiver's memory
};

/// First in the payload of an offer. With Way::read a RemotePlace follows, then leading bytes.
struct Offer {
    std::uint64_t total = 0;
    std::uint32_t request = 0;  ///< the sender's
    Way way = Way::stream;
    bool answer = true;  ///< the sender waits for `fetched` though it has sent all bytes
    bool whole = false;  ///< all bytes come unasked, here and in followers
    std::uint8_t unused = 0;
};
static_assert(sizeof(Offer) == 16);

struct RemotePlace {
    fabric::RegionBlob blob;
    std::uint64_t offset = 0;
};

/// The payload of an acceptance. With Way::write a RemotePlace follows.
struct Acceptance {
    std::uint32_t sender_request = 0;
    std::uint32_t receiver_request = 0;
    std::uint64_t wanted = 0;  ///< bytes in all: fewer than offered if the buffer is too small
};

/// One cache line of a ring: a packet, or the header of one whose bytes lie in the data ring.
struct alignas(cache_line) Cell {
    static constexpr std::size_t capacity = 43;
    Header header;
    std::array<std::byte, capacity> payload;
    std::byte stamp;  ///< the last byte, so that it arrives last: tells the laps apart
};
static_assert(sizeof(Cell) == cache_line && offsetof(Cell, stamp) == cache_line - 1);

}  // namespace railyard::mpi
