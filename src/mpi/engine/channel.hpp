#pragma once
/// All there is between this rank and one peer: the state of the connection, its rails, how packets
/// go and come (a ring each way, or send/receive), what waits to be sent, and flow control. Exists
/// only for peers that were talked to. A connection may be closed for others and made anew; what
/// belongs to messages stays, and goes on over the next one.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/lazy_queue.hpp"
#include "mpi/engine/bulk_choice.hpp"
#include "mpi/engine/eager_buffers.hpp"
#include "mpi/engine/matcher.hpp"
#include "mpi/engine/netmod.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/engine/ring.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

/// A message cut into equal stripes, one a rail, the first ones a little longer.
struct Stripes {
    std::uint64_t total;
    std::uint64_t count;
    std::uint64_t length(std::uint64_t i) const { return total / count + (i < total % count); }
};
inline Stripes stripes_of(std::uint64_t total, std::size_t rails, const Settings& settings) {
    const bool striped = rails > 1 && settings.rails == RailPolicy::striping &&
                         total > settings.striping_threshold.count();
    return {total, striped ? rails : 1};
}
/// The rail that carries a message whole. Bound, the two directions of a pair take different ones,
/// and so do neighbouring ranks (MP-4).
inline std::size_t single_rail(int self, int peer, std::size_t rails, const Settings& settings) {
    if (settings.rails != RailPolicy::binding) return 0;
    return static_cast<std::size_t>(std::min(self, peer) + (self < peer ? 0 : 1)) % rails;
}

/// From connected on, a connection that is closed goes down the list, and back to the first.
enum class ChannelState : std::uint8_t {
    closed,   ///< there is no connection; it is made on demand
    waiting,  ///< for room for one
    connecting,
    connected,
    draining,  ///< nothing new begins on it
    asked,     ///< the peer was asked to close; nothing leaves any more but credits
    ended,     ///< the peer has answered: it knows of no more
    answered,  ///< the peer had asked, and ends it
    failed,
};

/// What waits to be sent, in order: a message's first packet, or a packet of the library's own (no
/// request), whose payload is copied here.
struct Pending {
    Request* request = nullptr;
    Header header{};
    std::vector<std::byte> payload{};
};

class Channel {
  public:
    Channel(int peer_rank, Netmod& its_netmod)
        : peer(peer_rank),
          eager_limit(its_netmod.settings.eager_limit.count()),
          copied_limit(its_netmod.settings.coalescing
                           ? std::min(eager_limit, its_netmod.settings.copied_limit.count())
                           : eager_limit),
          coalesces(its_netmod.settings.coalescing),
          netmod(its_netmod),
          buffers(its_netmod.eager.get()) {}

    /// Whether a packet with so many bytes can be put now.
    bool has_room(std::size_t length) {
        if (out.open()) [[likely]]
            return out.has_room(length);
        const bool stands = state == ChannelState::connected || state == ChannelState::draining;
        return stands && credits > 0 && buffers->has_slot();
    }
    /// The same for a packet that must not overtake others that wait, nor the end of a connection.
    bool may_put(std::size_t length) {
        return backlog.empty() && !is_closing() && has_room(length);
    }

    /// Room for a packet's bytes, the channel's until put(). Only after has_room().
    std::byte* reserve(std::size_t length) {
        if (out.open()) [[likely]]
            return out.place(length);
        flush();  // it was first
        return buffers->reserve(length);
    }
    /// Sends the packet whose bytes are where reserve() said, or of which only the header comes.
    void put(Header header, bool stays = false) {
        if (out.open()) [[likely]] {
            if (out.carries_credits()) header.freed = in.tell_shortly();
            return out.put(header);
        }
        --credits;
        send(header, stays);
    }
    /// Zero-copy, by send/receive: the bytes stay the user's, who leaves them alone until
    /// EagerBuffers::sent() names `request`.
    void put_zero_copy(Header header, const fabric::Slice& bytes, std::uint32_t request,
                       bool stays) {
        flush();
        --credits;
        piggyback(header);
        ++sends_under_way;
        buffers->send_zero_copy(*rails[0], header, bytes, request, stays);
    }

    /// Copies a packet into a send that leaves later, with others. By send/receive. False if there
    /// is no room for one.
    bool coalesce(Header header, const std::byte* data) {
        if (coalesced_.used != 0 && !buffers->has_room(coalesced_, header.length)) flush();
        if (coalesced_.used == 0) {
            if (!has_room(header.length)) return false;
            --credits;
            coalesced_ = buffers->begin_coalescing();
            piggyback(header);
        }
        buffers->add(coalesced_, header, data);
        return true;
    }
    /// Sends what was coalesced.
    void flush() {
        if (coalesced_.used == 0) return;
        count(buffers->send(*rails[0], std::exchange(coalesced_, {})));
    }

    /// Tells the peer what it may use again: ring space, or credits.
    void return_credits() {
        if (out.open()) return out.tell(in.tell());
        if (!buffers->has_slot()) return;
        const bool used = used_sends;
        send({.kind = PacketKind::credit});
        used_sends = used;  // it carries nothing
    }

    /// Whether anything but the connection's making has gone over it, either way.
    bool was_used() const { return out.was_used() || in.was_used() || used_sends || was_closed; }

    /// Whether it is on its way down from connected.
    bool is_closing() const {
        return state > ChannelState::connected && state < ChannelState::failed;
    }
    /// Whether both sides have had each other's last packet, and one of them ends it.
    bool is_over() const { return state == ChannelState::ended || state == ChannelState::answered; }
    /// Whether nothing waits for this connection, or for the next.
    bool is_idle() const {
        return backlog.empty() && streams.empty() && rdma_waiting.empty() && rdma_active == 0;
    }

    // On every message's way.
    const int peer;  ///< world rank
    const std::size_t eager_limit;
    const std::size_t copied_limit;  ///< longer eager messages go by zero-copy
    const bool coalesces;            ///< small messages that are started together
    bool in_burst = false;           ///< one was started, and its sender has not polled since
    ChannelState state = ChannelState::closed;
    bool lost = false;            ///< its connection has failed, and so has all that needed it
    bool eager_stopped = false;   ///< by the peer, where too much of ours waits unexpected
    std::uint64_t last_used = 0;  ///< by the connector's count of uses
    RingWriter out;
    RingReader in;
    LazyQueue<Pending> backlog;  ///< the FIFO of OD-2
    Netmod& netmod;

    // Before the rails, which take receives from them.
    std::unique_ptr<EagerBuffers> own_buffers;  ///< where receives cannot be shared
    EagerBuffers* buffers;                      ///< those, or the netmod's

    /// Connected, but for the first while the channel connects. Further ones come when there is
    /// something to stripe over them.
    std::vector<std::unique_ptr<fabric::QueuePair>> rails;
    std::unique_ptr<fabric::QueuePair> next_rail;  ///< being connected
    bool wants_rails = false;                      ///< all that there are ports for

    BulkChoice bulk;              ///< where the way is chosen by measuring
    LazyQueue<Request*> streams;  ///< sends whose CTS is here and whose segments are being sent
    /// Messages whose RDMA may begin, but waits until others have ended: adapters keep the order of
    /// a rail, and packets must not wait behind all that was ever cleared to send.
    struct WaitingRdma {
        Request* request;
        RemoteBuffer remote;
    };
    LazyQueue<WaitingRdma> rdma_waiting;
    std::uint32_t rdma_active = 0;  ///< messages whose RDMA is under way
    bool is_busy = false;           ///< in the transport's list of channels with work to do

    // Flow control of send/receive.
    std::uint32_t credits = 0;          ///< packets that we may still send
    std::uint16_t owed_credits = 0;     ///< packets of the peer's that it was not told of yet
    bool used_sends = false;            ///< either way
    std::uint32_t sends_under_way = 0;  ///< whose completions are awaited

    // Closing (closing.cpp).
    bool peer_asked = false;  ///< to close: we answer
    bool peer_waits = false;  ///< it asks for a connection again
    bool was_closed = false;  ///< once at least

    // Segmented eager: where the next segment belongs, a receive or an unexpected message.
    Request* segmented_receive = nullptr;
    Unexpected* segmented_message = nullptr;

    /// Sends of which the peer was asked whether they can be taken back. Answers come in order.
    struct AskedCancel {
        Request* send = nullptr;
        std::uint32_t number = 0;  ///< Request::cancelling, unless the send has ended meanwhile
    };
    LazyQueue<AskedCancel> cancels;
    std::uint32_t cancels_asked = 0;

    std::uint64_t unexpected_bytes = 0;  ///< of the peer's, waiting for receives
    bool told_to_stop = false;           ///< we told the peer to send nothing eager

  private:
    void send(Header header, bool stays = false) {
        piggyback(header);
        count(buffers->send(*rails[0], header, stays));
    }
    void count(bool signalled) { sends_under_way += signalled ? 1 : 0; }
    void piggyback(Header& header) {
        header.freed = std::exchange(owed_credits, 0);
        used_sends = true;
    }
    EagerBuffers::Coalesced coalesced_;
};

}  // namespace railyard::mpi
