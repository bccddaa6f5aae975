#include "mpi/engine/ring.hpp"

#include <fmt/format.h>

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

RingReader::RingReader(fabric::Nic& nic, RingGeometry geometry)
    : region_(nic.allocate(Bytes(geometry.size()), fabric::Access::remote_write)) {
    ring_ = CellRingReader<Cell>(geometry.in(region_->data()));
}

PeerRing::PeerRing(fabric::Nic& nic, fabric::QueuePair& queue_pair, const fabric::RegionBlob& ring,
                   RingGeometry geometry)
    : queue_pair_(&queue_pair), remote_(nic.import_region(ring)), nic_(&nic) {
    if (geometry.slotted != 0)
        shadow_ = nic.allocate(Bytes(geometry.size()), fabric::Access::local);
    else if (remote_->mapped() == nullptr)
        throw Error("a peer's ring is not mapped, though the fabric maps memory");
}

void PeerRing::write_slot(Cell& cell, std::byte stamp, std::uint64_t bytes) {
    cell.stamp = stamp;
    write(reinterpret_cast<const std::byte*>(&cell) - bytes, bytes + sizeof(Cell));
}

/// That piece of the shadow, to the same place of the peer's region.
void PeerRing::write(const std::byte* from, std::size_t length) {
    const Bytes offset(static_cast<std::size_t>(from - shadow_->data()));
    const fabric::Slice slice(*shadow_, offset, Bytes(length));
    fabric::WorkRequest work;
    work.op = fabric::Op::rdma_write;
    work.flags = fabric::Flags::unsignalled;
    work.local = std::span(&slice, 1);
    work.remote = {remote_.get(), offset};
    if (const railyard::Status status = post_blocking(*nic_, *queue_pair_, work); !status.ok())
        throw Error(fmt::format("cannot write into a peer's ring: {}", status.name()));
}

void PeerRing::tell(const RingCounts& emptied) {
    auto& counts = *reinterpret_cast<RingCounts*>(memory());
    if (!slotted()) {
        counts.tell_cells(emptied.cells);
        counts.tell_bytes(emptied.bytes);
        return queue_pair_->nudge();
    }
    // In the first line of the shadow, which is not the ring's.
    counts = emptied;
    write(shadow_->data(), sizeof emptied.cells + sizeof emptied.bytes);
}

RingWriter::RingWriter(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                       const fabric::RegionBlob& ring, RingGeometry geometry,
                       const RingCounts& emptied) {
    PeerRing peer(nic, queue_pair, ring, geometry);
    const RingMemory<Cell> memory = geometry.in(peer.memory());
    ring_ = CellRingWriter<Cell, PeerRing>(memory, emptied, std::move(peer));
}

}  // namespace railyard::mpi
