#pragma once
/// All there is between this rank and one peer: the state of the connection, its rails, how packets
/// go and come (a ring each way, or mail), what waits to be sent, and what is held back. Exists
/// only for peers that were talked to.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/lazy_queue.hpp"
#include "fabric/nic.hpp"
#include "mpi/engine/mail.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/engine/ring.hpp"
#include "mpi/engine/route.hpp"

namespace railyard::mpi {

enum class ChannelState : std::uint8_t { connecting, connected, failed };

/// A packet of the library's own that found no room.
struct ControlPacket {
    Header header;
    std::vector<std::byte> payload;
};
/// What waits, in order: a message's first packet, or a control packet (no request).
struct Waiting {
    Request* request = nullptr;
    ControlPacket control{};
};

class Channel {
  public:
    Channel(int peer_rank, Route& its_route)
        : peer(peer_rank),
          eager_limit(its_route.settings.eager_limit.count()),
          route(its_route),
          office_(its_route.office) {}

    /// Whether a packet with so many bytes can be put now.
    bool has_room(std::size_t length) {
        if (out.open()) [[likely]]
            return out.has_room(length);
        return state == ChannelState::connected && mail_credits > 0 && office_.has_slot();
    }
    /// The same for a packet that must not wait behind others that do.
    bool may_put(std::size_t length) { return backlog.empty() && has_room(length); }

    std::byte* place(std::size_t length) {
        return out.open() ? out.place(length) : office_.place();
    }
    void put(Header header) {
        if (out.open()) [[likely]] {
            if (out.carries_credits()) header.freed = in.tell_shortly();
            return out.put(header);
        }
        --mail_credits;
        mail(header);
    }
    /// Gives back what the peer has no use for until it is told: ring space, or credits.
    void return_credits() {
        if (out.open())
            out.publish(in.tell());
        else if (office_.has_slot())
            mail({.kind = PacketKind::credit});
    }

    /// Whether anything but a connection's making has gone over it, either way.
    bool was_used() const { return out.was_used() || in.was_used() || has_mailed; }

    // On every message's way.
    const int peer;  ///< world rank
    const std::size_t eager_limit;
    ChannelState state = ChannelState::connecting;
    bool must_offer = false;  ///< the peer holds too much unexpected of ours
    RingWriter out;
    RingReader in;
    LazyQueue<Waiting> backlog;  ///< the FIFO of OD-2
    Route& route;

    /// Connected, but for the first while the channel connects. Further ones come when there is
    /// something to cut over them.
    std::vector<std::unique_ptr<fabric::QueuePair>> rails;
    std::unique_ptr<fabric::QueuePair> next_rail;  ///< being connected
    bool wants_rails = false;                      ///< all that there are ports for

    LazyQueue<Request*> streams;  ///< accepted messages whose pieces are being sent
    /// Messages whose RDMA may begin, but whose place is taken by others: adapters keep the order
    /// of a rail, and packets must not wait behind all that was ever accepted.
    struct Accepted {
        Request* request;
        RemotePlace place;
    };
    LazyQueue<Accepted> accepted;
    std::uint32_t moving = 0;  ///< messages whose RDMA is under way
    bool is_busy = false;      ///< in the transport's list of channels with work to do

    std::uint32_t mail_credits = 0;  ///< packets that we may still send
    std::uint16_t mail_freed = 0;    ///< packets of the peer's that it was not told of yet
    bool has_mailed = false;         ///< either way

    // Whose followers come next: a receive's, or those of a message that waits for one.
    Request* followed_receive = nullptr;
    Unexpected* followed_message = nullptr;

    std::uint64_t held = 0;     ///< bytes of the peer's that wait unexpected
    bool told_to_hold = false;  ///< we told the peer to offer first

  private:
    void mail(Header header) {
        header.freed = mail_freed;
        mail_freed = 0;
        has_mailed = true;
        office_.send(*rails[0], header);
    }
    PostOffice& office_;
};

}  // namespace railyard::mpi
