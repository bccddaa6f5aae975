#include "interconnects/virtual/common/region.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "interconnects/virtual/common/network.hpp"

namespace railyard::virtual_time {

Bytes total(std::span<const Piece> pieces) {
    Bytes sum;
    for (const Piece& piece : pieces)
        sum += piece.length;
    return sum;
}

Status usable(std::span<const Piece> pieces) {
    for (const Piece& piece : pieces) {
        if (!piece.in_bounds()) return Code::out_of_bounds;
        if (!piece.region->registered) return Code::region_gone;
    }
    return {};
}

bool stored(std::span<const Piece> pieces) {
    return std::ranges::all_of(pieces, [](const Piece& piece) { return piece.region->stored; });
}

void extents_of(std::span<const Piece> pieces, std::vector<Extent>& out) {
    out.clear();
    for (const Piece& piece : pieces)
        out.push_back(piece.extent());
}

void Scatter::put(std::span<const Piece> pieces, Bytes content) {
    for (const Piece& piece : pieces) {
        const Bytes comes = std::min(piece.length, content);
        put(piece.span().first(comes.count()));
        pass(piece.length - comes);
        content -= comes;
    }
}

/// From nowhere: the room stays as it is, and counts as written.
void Scatter::advance(const std::byte* from, std::size_t left) {
    while (left != 0) {
        const std::span<std::byte> room = into_.front().span().subspan(filled_);
        const std::size_t n = std::min(room.size(), left);
        // A queue pair may be connected to one of the same rank: source and target may overlap.
        if (n > 0 && from != nullptr) std::memmove(room.data(), from, n);
        if (nic_.host) nic_.host->overwritten(room.data(), n);
        if (from != nullptr) from += n;
        left -= n;
        filled_ += n;
        if (n == room.size()) {
            into_ = into_.subspan(1);
            filled_ = 0;
        }
    }
}

namespace {
// From here on a piece comes from the kernel. calloc would clear what was in use before, and so
// touch all of it: most of a ring is never reached.
constexpr std::size_t large_piece = 32 << 10;
}  // namespace

void ReleaseMemory::operator()(std::byte* memory) const {
    if (mapped == 0) return std::free(memory);
    // A process may have only so many mappings, and this may cut one in two: then at least the
    // memory goes, if not the addresses.
    if (munmap(memory, mapped) != 0) madvise(memory, mapped, MADV_DONTNEED);
}

ZeroedMemory zeroed_memory(std::size_t size) {
    void* const piece = size < large_piece ? MAP_FAILED
                                           : mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) return ZeroedMemory(static_cast<std::byte*>(std::calloc(size, 1)));
    return ZeroedMemory(static_cast<std::byte*>(piece), ReleaseMemory{size});
}

Region::Region(std::shared_ptr<NicState> nic, Bytes size, fabric::Access access,
               fabric::Inbox* inbox)
    : Region(std::move(nic), nullptr, size, access, fabric::Home::host, nullptr) {
    state_->stored = false;
    state_->inbox = inbox;
}

Region::Region(std::shared_ptr<NicState> nic, std::byte* data, Bytes size, fabric::Access access,
               fabric::Home home, ZeroedMemory owned)
    : fabric::Region(nic.get(), data, size, access),
      nic_(std::move(nic)),
      state_(std::make_shared<RegionState>()),
      owned_(std::move(owned)) {
    *state_ = {.id = nic_->next_region++,
               .data = data_,
               .size = size_,
               .access = access,
               .home = home,
               .region = this};
    nic_->regions.emplace(state_->id, state_);
}

Region::~Region() {
    nic_->owe(HostStep::deregister_memory, size_);
    nic_->network->wire->forgotten(nic_->end(), state_->id);
    nic_->regions.erase(state_->id);
    state_->registered = false;
    state_->data = nullptr;
    state_->region = nullptr;
    state_->inbox = nullptr;
}

fabric::RegionBlob Region::export_blob() const {
    return RegionKey{nic_->name, state_->id, size_}.blob();
}

bool to_pieces(std::span<const fabric::Slice> slices, const NicState& nic,
               std::vector<Piece>& out) {
    out.clear();
    for (const fabric::Slice& slice : slices) {
        if (!slice.region || !slice.region->made_by(&nic)) return false;
        out.push_back(
            {static_cast<const Region&>(*slice.region).state(), slice.offset, slice.length});
    }
    return true;
}

}  // namespace railyard::virtual_time
