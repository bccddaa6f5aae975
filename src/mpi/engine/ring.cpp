#include "mpi/engine/ring.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "mpi/engine/patient_post.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t cells_at = sizeof(Ledger);
static_assert(sizeof(Ledger) == sizeof(Cell));

std::size_t data_at(const RingGeometry& geometry) {
    return cells_at + sizeof(Cell) * geometry.cells;
}

void post_or_throw(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                   const fabric::WorkRequest& work) {
    if (const railyard::Status status = patient_post(nic, queue_pair, work); !status.ok())
        throw Error(fmt::format("cannot write into a peer's ring: {}", status.name()));
}

}  // namespace

RingReader::RingReader(fabric::Nic& nic, RingGeometry geometry)
    : mask_(geometry.cells - 1),
      size_(geometry.bytes),
      region_(nic.allocate(Bytes(geometry.size()), fabric::Access::remote_write)) {
    cells_ = reinterpret_cast<const Cell*>(region_->data() + cells_at);
    data_ = region_->data() + data_at(geometry);
}

RingWriter::RingWriter(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                       const fabric::RegionBlob& ring, RingGeometry geometry, const Ledger& ledger)
    : mask_(geometry.cells - 1),
      size_(geometry.bytes),
      nic_(&nic),
      queue_pair_(&queue_pair),
      ledger_(&ledger),
      remote_(nic.import_region(ring)) {
    std::byte* base = remote_->mapped();
    mapped_ = base != nullptr;
    if (!mapped_) {
        shadow_ = nic.allocate(Bytes(geometry.size()), fabric::Access::local);
        base = shadow_->data();
    }
    cells_ = reinterpret_cast<Cell*>(base + cells_at);
    data_ = base + data_at(geometry);
}

void RingWriter::look() {
    // Acquire: the peer has read what it says it has emptied before we write there again. Of two
    // counters an older one is only cautious.
    auto& ledger = const_cast<Ledger&>(*ledger_);
    emptied_.cells = std::atomic_ref(ledger.cells).load(std::memory_order_acquire);
    emptied_.bytes = std::atomic_ref(ledger.bytes).load(std::memory_order_acquire);
}

void RingWriter::post(const Cell& cell) {
    write(reinterpret_cast<const std::byte*>(&cell), sizeof cell);
}

void RingWriter::write(const std::byte* from, std::size_t length) {
    const Bytes offset(static_cast<std::uint64_t>(from - shadow_->data()));
    const fabric::Slice slice(*shadow_, offset, Bytes(length));
    fabric::WorkRequest work;
    work.op = fabric::Op::rdma_write;
    work.flags = fabric::Flags::unsignalled;
    work.local = std::span(&slice, 1);
    work.remote = {remote_.get(), offset};
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
    const fabric::Slice slice(*shadow_, Bytes(0), Bytes(sizeof(std::uint64_t) * 2));
    fabric::WorkRequest work;
    work.op = fabric::Op::rdma_write;
    work.flags = fabric::Flags::unsignalled;
    work.local = std::span(&slice, 1);
    work.remote = {remote_.get(), Bytes(0)};
    post_or_throw(*nic_, *queue_pair_, work);
}

}  // namespace railyard::mpi
