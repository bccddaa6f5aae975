#pragma once
/// What travels on a channel: a header and some bytes. The same packets go through rings and by
/// send/receive.

#include <array>
#include <cstddef>
#include <cstdint>

#include "railyard/base/cpu.hpp"
#include "railyard/memory.hpp"

namespace railyard::mpi {

enum class PacketKind : std::uint8_t {
    eager,          ///< a message
    rts,            ///< rendezvous, request to send: an Rts, and perhaps the first bytes
    cts,            ///< rendezvous, clear to send: a Cts
    segment,        ///< streamed rendezvous: the next bytes; `context` names the receiver's request
    eager_segment,  ///< segmented eager: the next bytes of the message that the last RTS began
    read_fin,       ///< FIN of a receiver that has read all, or has matched; `context` names the
                    ///< sender's request
    write_fin,   ///< FIN of a sender that has written all; `context` names the receiver's request,
                 ///< `tag` the stripes that tell of themselves by immediate values
    credit,      ///< nothing but `freed`
    stop_eager,  ///< too much waits unexpected: only rendezvous from now on
    resume_eager,  ///< the contrary
    cancel,        ///< asks for the RTS of the request that `context` names, if it is unmatched yet
    cancel_answer,  ///< to the oldest such question: `tag` is 1 if the RTS is gone, 0 if it matched
    close,          ///< the last packet, but for credits, of who would close the connection
    close_answer,   ///< the last packet of the other side: nothing is under way any more
};

/// How the bytes of a rendezvous get across.
enum class Way : std::uint8_t {
    stream,     ///< in segments through the channel: both processors copy
    read,       ///< zero-copy: the receiver reads them from the sender's memory
    write,      ///< zero-copy: the sender writes them into the receiver's memory
    automatic,  ///< stream or read, by BulkChoice; in settings only
};

struct Header {
    std::uint32_t context = 0;  ///< of a message: the lower half, and above it what it is made of
    std::int32_t source = 0;    ///< the sender's rank in the communicator
    std::int32_t tag = 0;
    std::uint32_t length = 0;  ///< of what follows the header
    std::uint16_t freed = 0;   ///< piggybacked credits. Send/receive: buffers that the peer may
                               ///< count on again; rings: see RingReader::tell_shortly
    PacketKind kind = PacketKind::eager;
    Way advice = Way::stream;  ///< of a CTS or FIN: which way the next such message should take
};
static_assert(sizeof(Header) == 20);

/// First in the payload of an RTS. With Way::read a RemoteBuffer follows, then the first bytes.
struct Rts {
    std::uint64_t total = 0;
    std::uint32_t request = 0;  ///< the sender's
    Way way = Way::stream;
    bool wants_fin = true;  ///< the sender waits for read_fin though it has sent all bytes
    bool eager = false;     ///< segmented eager: all bytes come without a CTS
    std::uint8_t unused = 0;
};
static_assert(sizeof(Rts) == 16);

/// Registered memory of a peer.
struct RemoteBuffer {
    fabric::RegionBlob blob;
    std::uint64_t offset = 0;
};

/// The payload of a CTS. With Way::write a RemoteBuffer follows.
struct Cts {
    std::uint32_t sender_request = 0;
    std::uint32_t receiver_request = 0;
    std::uint64_t wanted = 0;  ///< bytes in all: fewer than announced if the buffer is too small
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
