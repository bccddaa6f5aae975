#pragma once
/// All there is between this rank and one peer: the state of the connection, its rails, how packets
/// go and come (a ring each way, or mail), what waits to be sent, and what is held back. Exists
/// only for peers that were talked to.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/lazy_queue.hpp"
#include "mpi/engine/mail.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/engine/ring.hpp"
#include "mpi/engine/route.hpp"
#include "railyard/nic.hpp"

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
          copied_limit(its_route.settings.gather
                           ? std::min(eager_limit, its_route.settings.copied_limit.count())
                           : eager_limit),
          gathers(its_route.settings.gather),
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
        if (out.open()) [[likely]]
            return out.place(length);
        send_bundle();  // it was first
        return office_.place();
    }
    void put(Header header) {
        if (out.open()) [[likely]] {
            if (out.carries_credits()) header.freed = in.tell_shortly();
            return out.put(header);
        }
        --mail_credits;
        mail(header);
    }
    /// Sends a packet whose bytes stay where they are until the office names `request`. By mail.
    void put_straight(Header header, const fabric::Slice& bytes, std::uint32_t request) {
        send_bundle();
        --mail_credits;
        sign(header);
        office_.send_straight(*rails[0], header, bytes, request);
    }

    /// Adds a packet to a letter that leaves later. False if there is no room for one. By mail.
    bool bundle(Header header, const std::byte* data) {
        if (bundle_.used != 0 && !office_.has_room(bundle_, header.length)) send_bundle();
        if (bundle_.used == 0) {
            if (!has_room(header.length)) return false;
            --mail_credits;
            bundle_ = office_.begin_bundle();
            sign(header);
        }
        office_.add(bundle_, header, data);
        return true;
    }
    void send_bundle() {
        if (bundle_.used != 0) office_.send(*rails[0], std::exchange(bundle_, {}));
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
    const std::size_t copied_limit;  ///< longer eager messages leave from where they lie
    const bool gathers;              ///< small messages that are started together
    bool in_burst = false;           ///< one was started, and nobody has looked or waited since
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
        sign(header);
        office_.send(*rails[0], header);
    }
    void sign(Header& header) {
        header.freed = mail_freed;
        mail_freed = 0;
        has_mailed = true;
    }
    PostOffice& office_;
    PostOffice::Bundle bundle_;
};

}  // namespace railyard::mpi
