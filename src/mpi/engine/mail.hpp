#pragma once
/// The eager way for everybody else: letters are sent into receives that all peers share, so that a
/// peer costs no buffers of its own. Buffers are made when the first such peer appears. A letter
/// holds one packet, or several that were bundled.

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/engine/packet.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

/// What a completion is about: the upper half of its id; the lower half says which.
enum class Job : std::uint32_t { mail_came = 1, mail_sent = 2, moved = 3 };
constexpr std::uint64_t job_id(Job job, std::uint32_t which) {
    return static_cast<std::uint64_t>(job) << 32 | which;
}

class PostOffice {
  public:
    /// `counts`: has_sent_all() is of interest, so every letter has to tell when it has left.
    PostOffice(fabric::Nic& nic, std::uint32_t buffers, std::size_t packet_limit, bool counts);

    /// For queue pairs to take from.
    fabric::ReceiveQueue& receives() { return *receives_; }
    /// Posts all receives, at the first call.
    void open();
    std::size_t memory() const;

    // Out.

    bool has_slot() const { return !free_.empty(); }
    /// Where the bytes of the next packet are to be put. Only after has_slot().
    std::byte* place() { return out(free_.back()) + sizeof(Header); }
    /// Sends the packet whose bytes are at place().
    void send(fabric::QueuePair& queue_pair, const Header& header);
    /// The same, but the packet's bytes stay where they are until sent() names `request`.
    void send_straight(fabric::QueuePair& queue_pair, const Header& header,
                       const fabric::Slice& bytes, std::uint32_t request);

    /// A letter that is being written.
    struct Bundle {
        std::uint32_t slot = 0;
        std::uint32_t used = 0;  ///< bytes; nought: there is none
    };
    /// Only after has_slot().
    Bundle begin_bundle() {
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        return {slot, 0};
    }
    bool has_room(const Bundle& bundle, std::size_t length) const {
        return bundle.used + sizeof(Header) + length <= bundle_size_;
    }
    void add(Bundle& bundle, const Header& header, const std::byte* data);
    void send(fabric::QueuePair& queue_pair, const Bundle& bundle);

    /// A letter has left. The request that waited for that, if any.
    std::optional<std::uint32_t> sent(std::uint32_t slot);
    /// Whether no letter is known to be under way.
    bool has_sent_all() const { return !counts_ || under_way_ == 0; }

    // In.

    struct Packet {
        Header header;
        const std::byte* payload;
    };
    /// The packets of a letter of so many bytes that came there, one after the other; `at` is
    /// nought at first, and then where the next one is.
    std::optional<Packet> next_packet(std::uint32_t slot, std::size_t length,
                                      std::size_t& at) const {
        if (at >= length) return std::nullopt;
        Packet packet;
        std::memcpy(&packet.header, in(slot) + at, sizeof packet.header);
        packet.payload = in(slot) + at + sizeof packet.header;
        at += sizeof packet.header + packet.header.length;
        return packet;
    }
    /// The buffer may take the next packet.
    void emptied(std::uint32_t slot);

  private:
    std::byte* in(std::uint32_t slot) const { return inbox_->data() + slot * slot_size_; }
    std::byte* out(std::uint32_t slot) const { return outbox_->data() + slot * slot_size_; }
    void send(fabric::QueuePair& queue_pair, std::uint32_t slot, std::size_t length);
    void post(fabric::QueuePair& queue_pair, const fabric::WorkRequest& work);

    fabric::Nic& nic_;
    std::uint32_t buffers_;
    std::size_t slot_size_;
    std::unique_ptr<fabric::ReceiveQueue> receives_;
    std::unique_ptr<fabric::Region> inbox_;
    std::unique_ptr<fabric::Region> outbox_;
    std::vector<std::uint32_t> free_;

    /// By slot: whose bytes its letter carries. An inlined letter has none of the slots.
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};
    std::vector<std::uint32_t> waiting_;
    std::size_t bundle_size_;
    std::uint32_t under_way_ = 0;
    bool counts_;
};

}  // namespace railyard::mpi
