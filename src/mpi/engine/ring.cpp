#include "mpi/engine/ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "mpi/engine/posting.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t cells_at = sizeof(Ledger);
static_assert(sizeof(Ledger) == sizeof(Cell));

/// A cell is the last line of its slot; where there are no slots, it is all of it.
template <class Byte>
auto first_cell(Byte* base, const RingGeometry& geometry) {
    using To = std::conditional_t<std::is_const_v<Byte>, const Cell, Cell>;
    return reinterpret_cast<To*>(base + cells_at + geometry.stride() - sizeof(Cell));
}
template <class Byte>
Byte* data_ring(Byte* base, const RingGeometry& geometry) {
    return geometry.slotted != 0 ? nullptr : base + cells_at + sizeof(Cell) * geometry.cells;
}

void post_or_throw(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                   const fabric::WorkRequest& work) {
    if (const railyard::Status status = post_blocking(nic, queue_pair, work); !status.ok())
        throw Error(fmt::format("cannot write into a peer's ring: {}", status.name()));
}

}  // namespace

RingReader::RingReader(fabric::Nic& nic, RingGeometry geometry)
    : mask_(geometry.cells - 1),
      size_(geometry.bytes),
      stride_(geometry.stride()),
      region_(nic.allocate(Bytes(geometry.size()), fabric::Access::remote_write)) {
    const std::byte* base = region_->data();
    current_ = first_ = first_cell(base, geometry);
    data_ = data_ring(base, geometry);
}

RingWriter::RingWriter(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                       const fabric::RegionBlob& ring, RingGeometry geometry, const Ledger& ledger)
    : stride_(geometry.stride()),
      mask_(geometry.cells - 1),
      size_(geometry.bytes),
      mapped_(geometry.slotted == 0),
      nic_(&nic),
      queue_pair_(&queue_pair),
      ledger_(&ledger),
      remote_(nic.import_region(ring)) {
    if (!mapped_) shadow_ = nic.allocate(Bytes(geometry.size()), fabric::Access::local);
    std::byte* base = mapped_ ? remote_->mapped() : shadow_->data();
    if (base == nullptr) throw Error("a peer's ring is not mapped, though the fabric maps memory");
    current_ = first_ = first_cell(base, geometry);
    data_ = data_ring(base, geometry);
}

void RingWriter::look() {
    // Acquire: the peer has read what it says it has emptied before we write there again. Of two
    // counters an older one is only cautious.
    auto& ledger = const_cast<Ledger&>(*ledger_);
    // What came with packets may be newer.
    emptied_.cells =
        std::max(emptied_.cells, std::atomic_ref(ledger.cells).load(std::memory_order_acquire));
    emptied_.bytes = std::atomic_ref(ledger.bytes).load(std::memory_order_acquire);
}

void RingWriter::write_slot(std::size_t length) {
    const std::size_t before = length > Cell::capacity ? length : 0;
    const std::byte* from = reinterpret_cast<const std::byte*>(current_) - before;
    write(static_cast<std::size_t>(from - shadow_->data()), before + sizeof(Cell));
}

/// That piece of the shadow, to the same place of the peer's region.
void RingWriter::write(std::size_t offset, std::size_t length) {
    const fabric::Slice slice(*shadow_, Bytes(offset), Bytes(length));
    fabric::WorkRequest work;
    work.op = fabric::Op::rdma_write;
    work.flags = fabric::Flags::unsignalled;
    work.local = std::span(&slice, 1);
    work.remote = {remote_.get(), Bytes(offset)};
    post_or_throw(*nic_, *queue_pair_, work);
}

void RingWriter::publish(const Ledger& emptied) {
    if (mapped_) {
        auto& ledger = *reinterpret_cast<Ledger*>(remote_->mapped());
        // Release: our reads of what we have emptied come before the peer's writing there.
        std::atomic_ref(ledger.cells).store(emptied.cells, std::memory_order_release);
        std::atomic_ref(ledger.bytes).store(emptied.bytes, std::memory_order_release);
        queue_pair_->nudge();
        return;
    }
    // In the first line of the shadow, which is not the ring's.
    std::memcpy(shadow_->data(), &emptied, sizeof(std::uint64_t) * 2);
    write(0, sizeof(std::uint64_t) * 2);
}

}  // namespace railyard::mpi
