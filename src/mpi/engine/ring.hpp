#pragma once
/// The eager way where Traits allow to watch memory: a ring of cells in the receiver's memory, one
/// line each, written by the sender. A packet of few bytes is one cell. Nothing is ever cleared: a
/// cell's last byte is a stamp that tells the lap in which it was written, and only stamps ever
/// stand there.
///
/// Where the memory is mapped, the sender stores the bytes of longer packets into a ring of data
/// beside the cells, then the cell. Where it is not, every cell ends a slot, and bytes stand right
/// before their cell: one RDMA write brings both, and its last byte is the stamp.
///
/// The receiver writes how much it has emptied into the sender's own region, so that credits need
/// no packets. A write by RDMA costs, so there they also travel with the packets that go back.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include "mpi/engine/packet.hpp"
#include "railyard/base/acquire.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

struct RingGeometry {
    std::uint32_t cells = 0;  ///< a power of two
    std::uint32_t bytes = 0;  ///< of the data ring, a power of two; or of each slot
    std::uint32_t slotted = 0;

    std::size_t stride() const { return sizeof(Cell) + (slotted != 0 ? bytes : 0); }
    std::size_t size() const {
        return sizeof(Cell) + cells * stride() + (slotted != 0 ? 0 : bytes);
    }
    friend bool operator==(const RingGeometry&, const RingGeometry&) = default;
};

/// The first line of a region: how much of what this rank sent the peer has emptied. Written by the
/// peer.
struct alignas(cache_line) Ledger {
    std::uint64_t cells;
    std::uint64_t bytes;
};

/// Where the bytes of a packet begin in the data ring: they never wrap around its end.
inline std::uint64_t data_start(std::uint64_t position, std::uint64_t length, std::uint64_t size) {
    const std::uint64_t offset = position & (size - 1);
    return offset + length <= size ? position : position + (size - offset);
}
/// Packets begin on lines of their own.
inline std::uint64_t in_lines(std::uint64_t length) {
    return (length + (cache_line - 1)) & ~std::uint64_t{cache_line - 1};
}
inline std::byte stamp_of(std::uint64_t lap) {
    return static_cast<std::byte>(1 + lap % 255);
}

/// One rank's memory for one peer: what the peer sends, and the peer's ledger entries.
class RingReader {
  public:
    RingReader() = default;
    RingReader(fabric::Nic& nic, RingGeometry geometry);

    bool open() const { return region_ != nullptr; }
    bool was_used() const { return next_ != 0; }
    const fabric::Region& region() const { return *region_; }
    const Ledger& ledger() const { return *reinterpret_cast<const Ledger*>(region_->data()); }

    /// The oldest packet not yet popped, or null.
    const Cell* front() const {
        std::byte& stamp = const_cast<std::byte&>(current_->stamp);
        // Acquire: the rest of the cell, and the data, are read after the stamp.
        return acquire_if_equal(std::atomic_ref(stamp), stamp_) ? current_ : nullptr;
    }
    /// Where the next packet shows first, and how.
    std::byte* next_stamp() const { return const_cast<std::byte*>(&current_->stamp); }
    std::byte next_value() const { return stamp_; }
    const std::byte* payload(const Cell& cell) const {
        const std::uint32_t length = cell.header.length;
        if (length <= Cell::capacity) return cell.payload.data();
        if (data_ == nullptr) return reinterpret_cast<const std::byte*>(&cell) - length;
        return data_ + (data_start(bytes_, length, size_) & (size_ - 1));
    }
    /// Fetches the lines of packets that are likely here already. Not when waiting for one: taking
    /// a line from a sender that is about to write it makes both wait. (Always inlined: GCC takes a
    /// function that only prefetches for one that does nothing, and drops the call.)
    [[gnu::always_inline]] void expect_more() const {
        if (data_ == nullptr) return;
        for (std::uint64_t ahead = 2; ahead < 6; ++ahead)
            __builtin_prefetch(&first_[(next_ + ahead) & mask_]);
    }
    /// True if it is time to tell the peer (RingWriter::publish).
    bool pop(std::uint32_t length) {
        if (length > Cell::capacity && data_ != nullptr)
            bytes_ = data_start(bytes_, length, size_) + in_lines(length);
        current_ =
            reinterpret_cast<const Cell*>(reinterpret_cast<const std::byte*>(current_) + stride_);
        if ((++next_ & mask_) == 0) {
            stamp_ = stamp_of(next_ / (mask_ + 1));
            current_ = first_;
        }
        if (data_ == nullptr) return next_ - told_cells_ > (mask_ + 1) / 2;
        return next_ - told_cells_ >= (mask_ + 1) / 4 || bytes_ - told_bytes_ >= size_ / 4;
    }
    /// For a packet to take along: how many cells were emptied since the beginning, cut short.
    std::uint16_t tell_shortly() {
        told_cells_ = next_;
        return static_cast<std::uint16_t>(next_);
    }
    Ledger tell() {
        told_cells_ = next_;
        told_bytes_ = bytes_;
        return {next_, bytes_};
    }

  private:
    const Cell* current_ = nullptr;
    std::byte stamp_ = stamp_of(0);
    const Cell* first_ = nullptr;
    const std::byte* data_ = nullptr;  ///< null: slots
    std::uint64_t mask_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t stride_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t told_cells_ = 0;
    std::uint64_t told_bytes_ = 0;
    std::unique_ptr<fabric::Region> region_;
};

/// The other end: writes into the peer's ring.
class RingWriter {
  public:
    RingWriter() = default;
    /// `ledger`: in our own region, where the peer says what it has emptied.
    RingWriter(fabric::Nic& nic, fabric::QueuePair& queue_pair, const fabric::RegionBlob& ring,
               RingGeometry geometry, const Ledger& ledger);

    bool open() const { return remote_ != nullptr; }
    bool was_used() const { return next_ != 0; }
    std::size_t memory() const { return shadow_ ? shadow_->size().count() : 0; }

    /// Whether a packet with so many bytes can be put now.
    bool has_room(std::uint64_t length) { return fits(length) || (look(), fits(length)); }
    /// Whether so many packets with so many bytes in all can be put now, one after the other.
    bool has_room(std::uint64_t length, std::uint64_t packets) {
        return fits(length, packets) || (look(), fits(length, packets));
    }
    /// Where the bytes of the next packet are to be put. Only after has_room().
    std::byte* place(std::uint64_t length) {
        if (length <= Cell::capacity) return current_->payload.data();
        if (!mapped_) return reinterpret_cast<std::byte*>(current_) - length;
        return data_ + (data_start(bytes_, length, size_) & (size_ - 1));
    }
    /// Sends the packet whose bytes are at place(header.length).
    void put(const Header& header) {
        current_->header = header;
        if (mapped_) [[likely]] {
            if (header.length > Cell::capacity)
                bytes_ = data_start(bytes_, header.length, size_) + in_lines(header.length);
            // Release: what was put into the cell and the data ring is seen by who sees the stamp.
            std::atomic_ref(current_->stamp).store(stamp_, std::memory_order_release);
            queue_pair_->nudge();
        } else {
            current_->stamp = stamp_;
            write_slot(header.length);
        }
        current_ = reinterpret_cast<Cell*>(reinterpret_cast<std::byte*>(current_) + stride_);
        if ((++next_ & mask_) == 0) {
            stamp_ = stamp_of(next_ / (mask_ + 1));
            current_ = first_;
        }
    }
    /// Whether packets carry credits (Header::freed).
    bool carries_credits() const { return !mapped_; }
    void credit(std::uint16_t told) {
        // Of what was told by another way since, this may be less.
        const auto more = static_cast<std::uint16_t>(told - emptied_.cells);
        if (more <= mask_ + 1) emptied_.cells += more;
    }
    /// Tells the peer what we have emptied of its packets.
    void publish(const Ledger& emptied);

  private:
    bool fits(std::uint64_t length) const {
        if (next_ - emptied_.cells > mask_) return false;
        return length <= Cell::capacity || !mapped_ ||
               data_start(bytes_, length, size_) + length - emptied_.bytes <= size_;
    }
    bool fits(std::uint64_t length, std::uint64_t packets) const {
        // As one block: cut into packets, it wastes no more at the end of the ring. Each packet
        // begins on a line of its own.
        const std::uint64_t block = length + packets * cache_line;
        return mapped_ && block <= size_ && next_ + packets - 1 - emptied_.cells <= mask_ &&
               data_start(bytes_, block, size_) + block - emptied_.bytes <= size_;
    }
    void look();
    void write_slot(std::size_t length);
    void write(std::size_t offset, std::size_t length);

    Cell* current_ = nullptr;  ///< the peer's, or our shadow of it
    Cell* first_ = nullptr;
    std::byte* data_ = nullptr;
    std::uint64_t stride_ = 0;
    std::uint64_t mask_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t bytes_ = 0;
    Ledger emptied_{};  ///< as last seen
    std::byte stamp_ = stamp_of(0);
    bool mapped_ = false;
    fabric::Nic* nic_ = nullptr;
    fabric::QueuePair* queue_pair_ = nullptr;
    const Ledger* ledger_ = nullptr;
    std::unique_ptr<fabric::RemoteRegion> remote_;
    std::unique_ptr<fabric::Region> shadow_;  ///< what RDMA writes are made from
};

}  // namespace railyard::mpi
