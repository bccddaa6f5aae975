#pragma once
/// Packets through a ring of cells (base/cell_ring.hpp) in the receiver's memory: the eager way
/// where Traits allow to watch memory. A packet of few bytes is one cell.
///
/// Where the memory is mapped, the sender stores into it. Where it is not, every cell ends a slot,
/// and one RDMA write brings the slot, its last byte being the stamp. Where it is but addresses
/// (railyard/parcel.hpp), such a write brings a parcel, and a ring takes no more memory than what
/// is on its way.
///
/// The receiver writes how much it has emptied into the sender's own region, so that credits need
/// no packets. A write by RDMA costs, so there they also travel with the packets that go back.

#include <cstdint>
#include <memory>

#include "base/cell_ring.hpp"
#include "base/lazy_queue.hpp"
#include "mpi/engine/packet.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

/// A ring's region: a line of RingCounts, which tells how much of what the owner sent the peer has
/// emptied and is written by the peer; then the ring.
struct RingGeometry {
    std::uint32_t cells = 0;  ///< a power of two
    std::uint32_t bytes = 0;  ///< of the data ring, or of each slot; whole lines
    std::uint32_t slotted = 0;

    std::size_t stride() const { return sizeof(Cell) + (slotted != 0 ? bytes : 0); }
    std::size_t size() const {
        return sizeof(RingCounts) + cells * stride() + (slotted != 0 ? 0 : bytes);
    }
    RingMemory<Cell> in(std::byte* region) const;
    friend bool operator==(const RingGeometry&, const RingGeometry&) = default;
};

/// Bytes of a packet that do not fit into its cell: all of them, or none.
constexpr std::uint64_t beyond_cell(std::uint64_t length) {
    return length > Cell::capacity ? length : 0;
}

/// What comes for a ring that is but addresses. The ring has one cell, in which the oldest packet
/// is shown.
class RingInbox final : public fabric::Inbox {
  public:
    void put(Bytes offset, fabric::Parcel parcel) override;
    /// The packet that is shown has been looked at: shows the next one, if it is here.
    void pop();

    RingMemory<Cell> memory(std::uint64_t count) { return {&shown_, count, nullptr, 0, 0}; }
    /// The bytes of the packet that is shown.
    const std::byte* payload() { return packets_.front().data(); }
    const RingCounts& counts() const { return counts_; }

  private:
    void show();

    RingCounts counts_;  ///< what the peer has emptied
    Cell shown_{};
    LazyQueue<fabric::Parcel> packets_;  ///< beginning with the one that is shown
};

/// One rank's memory for one peer: what the peer sends.
class RingReader {
  public:
    RingReader() = default;
    RingReader(fabric::Nic& nic, RingGeometry geometry);

    bool open() const { return region_ != nullptr; }
    bool was_used() const { return ring_.cells() != 0; }
    const fabric::Region& region() const { return *region_; }
    /// What the peer says it has emptied of our packets.
    const RingCounts& peers_counts() const {
        return inbox_ ? inbox_->counts() : *reinterpret_cast<const RingCounts*>(region_->data());
    }

    /// The oldest packet not yet popped, or null.
    const Cell* front() { return ring_.front(); }
    /// Where the next packet shows first, and how.
    std::byte* next_stamp() const { return &ring_.next().cell()->stamp; }
    std::byte next_value() const { return ring_.next().stamp(); }
    /// Of the packet at the front.
    const std::byte* payload(const Cell& cell) const {
        const std::uint32_t length = cell.header.length;
        if (length <= Cell::capacity) return cell.payload.data();
        return inbox_ ? inbox_->payload() : ring_.data(length);
    }
    [[gnu::always_inline]] void expect_more() const { ring_.expect_more(); }
    /// True if it is time to tell the peer (RingWriter::tell).
    bool pop(std::uint32_t length) {
        if (length > Cell::capacity) ring_.pop_data(length);
        ring_.pop();
        const std::uint64_t untold = ring_.cells() - told_cells_;
        const std::uint64_t count = ring_.next().count();
        if (ring_.slotted()) {
            if (inbox_) inbox_->pop();
            return untold > count / 2;
        }
        return untold >= count / 4 || ring_.bytes() - told_bytes_ >= ring_.data_size() / 4;
    }
    /// For a packet to take along: how many cells were emptied since the beginning, cut short.
    std::uint16_t tell_shortly() {
        told_cells_ = ring_.cells();
        return static_cast<std::uint16_t>(told_cells_);
    }
    RingCounts tell() {
        told_cells_ = ring_.cells();
        told_bytes_ = ring_.bytes();
        return {told_cells_, told_bytes_};
    }

  private:
    CellRingReader<Cell> ring_;
    std::uint64_t told_cells_ = 0;
    std::uint64_t told_bytes_ = 0;
    std::unique_ptr<RingInbox> inbox_;  ///< null: the region is stored
    std::unique_ptr<fabric::Region> region_;
};

/// The peer's region: how packets get there (a Placement of base/cell_ring.hpp), and counts. Where
/// it is but addresses, the ring has one cell, in which packets are made one after the other.
class PeerRing {
  public:
    PeerRing() = default;
    PeerRing(fabric::Nic& nic, fabric::QueuePair& queue_pair, const fabric::RegionBlob& ring,
             RingGeometry geometry);

    bool open() const { return remote_ != nullptr; }
    bool slotted() const { return shadow_ != nullptr; }
    void show(Cell& cell, std::byte stamp, std::uint64_t bytes) {
        if (slotted()) [[unlikely]]
            return write_slot(cell, stamp, bytes);
        Mapped::show(cell, stamp, bytes);
        queue_pair_->nudge();
    }
    std::byte* in_slot(Cell& cell, std::uint64_t bytes);
    void tell(const RingCounts& emptied);

    /// The memory that packets are made in: the peer's own, or our shadow of it.
    RingMemory<Cell> memory() const;
    std::size_t shadow_size() const { return shadow_ ? shadow_->size().count() : 0; }

  private:
    void write_slot(Cell& cell, std::byte stamp, std::uint64_t bytes);
    void write(std::size_t offset, std::size_t length, fabric::Parcel* parcel);
    bool is_stored() const { return made_ == nullptr; }

    fabric::QueuePair* queue_pair_ = nullptr;
    std::unique_ptr<fabric::Region> shadow_;  ///< what RDMA writes are made from; null: mapped
    std::unique_ptr<fabric::RemoteRegion> remote_;
    fabric::Nic* nic_ = nullptr;
    RingGeometry geometry_;
    // Where it is but addresses.
    std::unique_ptr<Cell> made_;
    fabric::Parcel bytes_;       ///< of the packet that is being made
    std::uint32_t packets_ = 0;  ///< that have left
};

/// The other end: writes into the peer's ring.
class RingWriter {
  public:
    RingWriter() = default;
    /// `emptied`: in our own region, where the peer tells what it has emptied.
    RingWriter(fabric::Nic& nic, fabric::QueuePair& queue_pair, const fabric::RegionBlob& ring,
               RingGeometry geometry, const RingCounts& emptied);

    bool open() const { return ring_.placement().open(); }
    bool was_used() const { return ring_.published() != 0; }
    std::size_t memory() const { return ring_.placement().shadow_size(); }

    /// Whether a packet with so many bytes can be put now.
    bool has_room(std::uint64_t length) {
        if (length <= Cell::capacity || carries_credits()) return ring_.has_room();
        return ring_.has_room(length);
    }
    /// Whether so many packets with so many bytes in all can be put now, one after the other.
    bool has_room(std::uint64_t length, std::uint64_t packets) {
        // As one block: cut into packets, it wastes no more at the end of the ring. Each packet
        // begins on a line of its own.
        return !carries_credits() && ring_.has_room(length + packets * cache_line, packets);
    }
    /// Where the bytes of the next packet are to be put, which then leaves before anything else
    /// happens. Only after has_room().
    std::byte* place(std::uint64_t length) {
        return length <= Cell::capacity ? ring_.cell().payload.data() : ring_.place(length);
    }
    /// Sends the packet whose bytes are at place(header.length).
    void put(const Header& header) {
        ring_.cell().header = header;
        ring_.publish(beyond_cell(header.length));
    }
    /// Whether packets carry credits (Header::freed).
    bool carries_credits() const { return ring_.placement().slotted(); }
    /// Whether packets are stored where the peer looks, and so pass what the queue pair carries.
    bool is_mapped() const { return open() && !carries_credits(); }
    void credit(std::uint16_t told) { ring_.credit(told); }
    /// Tells the peer what we have emptied of its packets.
    void tell(const RingCounts& emptied) { ring_.placement().tell(emptied); }

  private:
    CellRingWriter<Cell, PeerRing> ring_;
};

}  // namespace railyard::mpi
