#pragma once
/// Eager packets by send/receive, for peers without rings. Where a fabric can share receives, all
/// peers are served by one pool and its shared receive queue, so that a peer costs no buffers of
/// its own; where it cannot, as in VIA, each connection has a pool (VC-6). A send carries one
/// packet, or several that were coalesced. Where memory may be but addresses
/// (railyard/parcel.hpp), a buffer takes none until something is in it.

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/engine/packet.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

class EagerBuffers final : fabric::Inbox {
  public:
    using Sharing = fabric::ReceiveQueue::Sharing;
    /// So many buffers for packets in, and as many for packets out. `signals_all`: has_sent_all()
    /// is of interest, so every send is signalled.
    EagerBuffers(fabric::Nic& nic, Sharing sharing, std::uint32_t buffers, std::size_t packet_limit,
                 bool signals_all);

    /// For queue pairs to take from: one, or all.
    fabric::ReceiveQueue& receives() { return *receives_; }
    /// Makes the buffers and posts all receives, at the first call.
    void open();
    bool is_open() const { return receive_buffers_ != nullptr; }
    std::size_t memory() const;

    // Out.

    bool has_slot() const { return !free_.empty(); }
    /// Room for the bytes of the next packet, the pool's until send(), which is to come before
    /// anything else happens. Only after has_slot().
    std::byte* reserve(std::size_t length) {
        if (stores_sends()) return out(free_.back()) + sizeof(Header);
        packet_ = nic_.take_parcel(sizeof(Header) + length);
        return packet_.data() + sizeof(Header);
    }
    /// Sends the packet whose bytes are where reserve() said. True: its completion will tell.
    /// `stays`: only its header has to come.
    bool send(fabric::QueuePair& queue_pair, const Header& header, bool stays = false);
    /// Zero-copy: the packet's bytes stay the user's, who leaves them alone until sent() names
    /// `request`.
    void send_zero_copy(fabric::QueuePair& queue_pair, const Header& header,
                        const fabric::Slice& bytes, std::uint32_t request, bool stays);

    /// A send that is being filled.
    struct Coalesced {
        std::uint32_t slot = 0;
        std::uint32_t used = 0;  ///< bytes; zero: there is none
    };
    /// Only after has_slot().
    Coalesced begin_coalescing() {
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        return {slot, 0};
    }
    bool has_room(const Coalesced& coalesced, std::size_t length) const {
        return coalesced.used + sizeof(Header) + length <= coalesced_limit_;
    }
    /// Copies a packet; `data` stays the caller's.
    void add(Coalesced& coalesced, const Header& header, const std::byte* data);
    bool send(fabric::QueuePair& queue_pair, const Coalesced& coalesced);

    /// A send is complete, and its slot free. Returns the request that waited for that, if any.
    std::optional<std::uint32_t> sent(std::uint32_t slot);
    /// Whether no send is known to be under way.
    bool has_sent_all() const { return !signals_all_ || under_way_ == 0; }

    // In.

    struct Packet {
        Header header;
        const std::byte* payload;
    };
    /// The packets of a receive of so many bytes, one after the other; `at` is zero at first, and
    /// then where the next one is. Payloads are the pool's until repost().
    std::optional<Packet> next_packet(std::uint32_t slot, std::size_t length,
                                      std::size_t& at) const {
        if (at >= length) return std::nullopt;
        Packet packet;
        std::memcpy(&packet.header, in(slot) + at, sizeof packet.header);
        packet.payload = in(slot) + at + sizeof packet.header;
        at += sizeof packet.header + packet.header.length;
        return packet;
    }
    /// Gives the buffer back to the receive queue.
    void repost(std::uint32_t slot);

  private:
    std::byte* in(std::uint32_t slot) const {
        if (!came_.empty()) return came_[slot].data();
        return receive_buffers_->data() + slot * slot_size_;
    }
    std::byte* out(std::uint32_t slot) const { return send_buffers_->data() + slot * slot_size_; }
    bool stores_sends() const { return send_buffers_->data() != nullptr; }
    bool send(fabric::QueuePair& queue_pair, std::uint32_t slot, std::span<const std::byte> bytes,
              fabric::Parcel* parcel, bool stays = false);
    void put(Bytes offset, fabric::Parcel parcel) override;
    void post(fabric::QueuePair& queue_pair, const fabric::WorkRequest& work);

    fabric::Nic& nic_;
    std::uint32_t buffers_;
    std::size_t slot_size_;
    std::unique_ptr<fabric::ReceiveQueue> receives_;
    std::unique_ptr<fabric::Region> receive_buffers_;
    std::unique_ptr<fabric::Region> send_buffers_;
    // Where they are but addresses.
    std::vector<fabric::Parcel> came_;  ///< in each receive buffer
    fabric::Parcel packet_;             ///< that is being made
    std::vector<std::uint32_t> free_;

    static constexpr std::uint32_t none =
        ~std::uint32_t{0};  ///< no request; of an inlined send: no slot
    /// By slot: the request whose bytes its send carries.
    std::vector<std::uint32_t> waiting_;
    std::size_t coalesced_limit_;
    std::uint32_t under_way_ = 0;
    bool signals_all_;
};

}  // namespace railyard::mpi
