#pragma once
/// The eager way where Traits allow to watch memory: a ring of cells, one line each, and a ring of
/// data beside it, both in the receiver's memory and written by the sender, by plain stores where
/// the memory is mapped and by RDMA where it is not. A packet of few bytes is one line; a longer
/// one puts its bytes into the data ring first. Nothing is ever cleared: a cell's stamp tells the
/// lap in which it was written, and only stamps ever stand at its place.
///
/// The receiver writes how much it has emptied into the sender's own region, so that credits need
/// no packets.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/acquire.hpp"
#include "fabric/nic.hpp"
#include "mpi/engine/packet.hpp"

namespace railyard::mpi {

struct RingGeometry {
    std::uint32_t cells = 0;
    std::uint32_t bytes = 0;

    std::size_t size() const { return sizeof(Cell) * (cells + std::size_t{1}) + bytes; }
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
    const fabric::Region& region() const { return *region_; }
    const Ledger& ledger() const { return *reinterpret_cast<const Ledger*>(region_->data()); }

    /// The oldest packet not yet popped, or null.
    const Cell* front() const {
        const Cell& cell = cells_[next_ & mask_];
        std::byte& stamp = const_cast<std::byte&>(cell.stamp);
        // Acquire: the rest of the cell, and the data ring, are read after the stamp.
        return acquire_if_equal(std::atomic_ref(stamp), stamp_) ? &cell : nullptr;
    }
    /// Where the next packet shows first, and how.
    std::byte* next_stamp() const { return const_cast<std::byte*>(&cells_[next_ & mask_].stamp); }
    std::byte next_value() const { return stamp_; }
    const std::byte* payload(const Cell& cell) const {
        if (cell.header.length <= Cell::capacity) return cell.payload.data();
        return data_ + (data_start(bytes_, cell.header.length, size_) & (size_ - 1));
    }
    /// Fetches the lines of packets that are likely here already. Not when waiting for one: taking
    /// a line from a sender that is about to write it makes both wait.
    void expect_more() const {
        for (std::uint64_t ahead = 2; ahead < 6; ++ahead)
            __builtin_prefetch(&cells_[(next_ + ahead) & mask_]);
    }
    /// True if it is time to tell the peer (RingWriter::publish).
    bool pop(std::uint32_t length) {
        if (length > Cell::capacity) bytes_ = data_start(bytes_, length, size_) + in_lines(length);
        if ((++next_ & mask_) == 0) stamp_ = stamp_of(next_ / (mask_ + 1));
        return next_ - told_cells_ >= (mask_ + 1) / 4 || bytes_ - told_bytes_ >= size_ / 4;
    }
    Ledger tell() {
        told_cells_ = next_;
        told_bytes_ = bytes_;
        return {next_, bytes_};
    }

  private:
    const Cell* cells_ = nullptr;
    const std::byte* data_ = nullptr;
    std::uint64_t mask_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t bytes_ = 0;
    std::byte stamp_ = stamp_of(0);
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
    std::size_t memory() const { return shadow_ ? shadow_->size().count() : 0; }

    /// Whether a packet with so many bytes can be put now.
    bool has_room(std::uint64_t length) { return fits(length) || (look(), fits(length)); }
    /// Where the bytes of the next packet are to be put. Only after has_room().
    std::byte* place(std::uint64_t length) {
        if (length <= Cell::capacity) return cells_[next_ & mask_].payload.data();
        return data_ + (data_start(bytes_, length, size_) & (size_ - 1));
    }
    /// Sends the packet whose bytes are at place(header.length).
    void put(const Header& header) {
        if (header.length > Cell::capacity) [[unlikely]] {
            if (!mapped_) write(place(header.length), header.length);
            bytes_ = data_start(bytes_, header.length, size_) + in_lines(header.length);
        }
        Cell& cell = cells_[next_ & mask_];
        cell.header = header;
        send(cell);
    }
    /// Tells the peer what we have emptied of its packets.
    void publish(const Ledger& emptied);

  private:
    bool fits(std::uint64_t length) const {
        if (next_ - emptied_.cells > mask_) return false;
        return length <= Cell::capacity ||
               data_start(bytes_, length, size_) + length - emptied_.bytes <= size_;
    }
    void look();
    void send(Cell& cell) {
        if (mapped_) [[likely]] {
            // Release: what was put into the cell and the data ring is seen by who sees the stamp.
            std::atomic_ref(cell.stamp).store(stamp_, std::memory_order_release);
            queue_pair_->nudge();
        } else {
            cell.stamp = stamp_;
            post(cell);
        }
        if ((++next_ & mask_) == 0) stamp_ = stamp_of(next_ / (mask_ + 1));
    }
    void post(const Cell& cell);
    void write(const std::byte* from, std::size_t length);

    Cell* cells_ = nullptr;  ///< the peer's, or our shadow of them
    std::byte* data_ = nullptr;
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
