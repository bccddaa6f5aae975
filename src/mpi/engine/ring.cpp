#include "mpi/engine/ring.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "mpi/engine/netmod.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

static_assert(sizeof(RingCounts) == sizeof(Cell));

RingMemory<Cell> RingGeometry::in(std::byte* region) const {
    std::byte* const ring = region + sizeof(RingCounts);
    RingMemory<Cell> memory;
    // A cell is the last line of its slot; where there are no slots, it is all of it.
    memory.cells = reinterpret_cast<Cell*>(ring + stride() - sizeof(Cell));
    memory.count = cells;
    memory.stride = stride();
    if (slotted == 0) {
        memory.data = ring + sizeof(Cell) * cells;
        memory.data_size = bytes;
    }
    return memory;
}

void RingInbox::put(Bytes offset, fabric::Parcel parcel) {
    if (offset == Bytes()) {
        std::memcpy(&counts_, parcel.data(), parcel.size());
        return;
    }
    packets_.push_back(std::move(parcel));
    if (packets_.size() == 1) show();
}

void RingInbox::pop() {
    packets_.pop_front();
    if (packets_.empty())
        shown_.stamp = {};  // which no packet has
    else
        show();
}

void RingInbox::show() {
    const fabric::Parcel& packet = packets_.front();
    std::memcpy(&shown_, packet.data() + packet.size() - sizeof shown_, sizeof shown_);
}

RingReader::RingReader(fabric::Nic& nic, RingGeometry geometry) {
    constexpr fabric::Access access = fabric::Access::remote_write;
    const Bytes size(geometry.size());
    if (geometry.slotted != 0) {
        inbox_ = std::make_unique<RingInbox>();
        region_ = nic.reserve_addresses(size, access, inbox_.get());
        if (region_) {
            ring_ = CellRingReader<Cell>(inbox_->memory(geometry.cells));
            return;
        }
        inbox_.reset();
    }
    region_ = nic.allocate(size, access);
    ring_ = CellRingReader<Cell>(geometry.in(region_->data()));
}

PeerRing::PeerRing(fabric::Nic& nic, fabric::QueuePair& queue_pair, const fabric::RegionBlob& ring,
                   RingGeometry geometry)
    : queue_pair_(&queue_pair), remote_(nic.import_region(ring)), nic_(&nic), geometry_(geometry) {
    if (geometry.slotted == 0) {
        if (remote_->mapped() == nullptr)
            throw Error("a peer's ring is not mapped, though the fabric maps memory");
        return;
    }
    const Bytes size(geometry.size());
    shadow_ = nic.reserve_addresses(size, fabric::Access::local, nullptr);
    if (shadow_)
        made_ = std::make_unique<Cell>();
    else
        shadow_ = nic.allocate(size, fabric::Access::local);
}

RingMemory<Cell> PeerRing::memory() const {
    if (made_) return {made_.get(), geometry_.cells, nullptr, 0, 0};
    return geometry_.in(shadow_ ? shadow_->data() : remote_->mapped());
}

std::byte* PeerRing::in_slot(Cell& cell, std::uint64_t bytes) {
    if (is_stored()) return reinterpret_cast<std::byte*>(&cell) - bytes;
    bytes_ = nic_->take_parcel(bytes + sizeof cell);
    return bytes_.data();
}

void PeerRing::write_slot(Cell& cell, std::byte stamp, std::uint64_t bytes) {
    cell.stamp = stamp;
    const std::size_t length = bytes + sizeof cell;
    if (is_stored()) {
        const auto* const from = reinterpret_cast<const std::byte*>(&cell) - bytes;
        return write(static_cast<std::size_t>(from - shadow_->data()), length, nullptr);
    }
    if (bytes == 0) bytes_ = nic_->take_parcel(sizeof cell);
    std::memcpy(bytes_.data() + bytes, &cell, sizeof cell);
    const std::size_t slot = packets_++ & (geometry_.cells - 1);
    fabric::Parcel packet = std::move(bytes_);
    write(sizeof(RingCounts) + (slot + 1) * geometry_.stride() - length, length, &packet);
}

/// That piece of the shadow, to the same place of the peer's region.
void PeerRing::write(std::size_t offset_in_ring, std::size_t length, fabric::Parcel* parcel) {
    const Bytes offset(offset_in_ring);
    const fabric::Slice slice(*shadow_, offset, Bytes(length));
    fabric::WorkRequest work;
    work.op = fabric::Op::rdma_write;
    work.flags = fabric::Flags::unsignalled;
    work.local = std::span(&slice, 1);
    work.remote = {remote_.get(), offset};
    work.parcel = parcel;
    if (const railyard::Status status = post_blocking(*nic_, *queue_pair_, work); !status.ok())
        throw Error(fmt::format("cannot write into a peer's ring: {}", status.name()));
}

void PeerRing::tell(const RingCounts& emptied) {
    if (!slotted()) {
        auto& counts = *reinterpret_cast<RingCounts*>(remote_->mapped());
        counts.tell_cells(emptied.cells);
        counts.tell_bytes(emptied.bytes);
        return queue_pair_->nudge();
    }
    // In the first line of the shadow, which is not the ring's.
    constexpr std::size_t length = sizeof emptied.cells + sizeof emptied.bytes;
    if (is_stored()) {
        *reinterpret_cast<RingCounts*>(shadow_->data()) = emptied;
        return write(0, length, nullptr);
    }
    fabric::Parcel parcel = nic_->take_parcel(length);
    std::memcpy(parcel.data(), &emptied, length);
    write(0, length, &parcel);
}

RingWriter::RingWriter(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                       const fabric::RegionBlob& ring, RingGeometry geometry,
                       const RingCounts& emptied) {
    PeerRing peer(nic, queue_pair, ring, geometry);
    const RingMemory<Cell> memory = peer.memory();
    ring_ = CellRingWriter<Cell, PeerRing>(memory, emptied, std::move(peer));
}

}  // namespace railyard::mpi
