#include "mpi/collectives/scratch.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "mpi/collectives/buffers.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t page = 4096;

std::byte* allocate(std::size_t size) {
    void* const memory = std::aligned_alloc(page, size);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<std::byte*>(memory);
}

/// Where the data of elements at address 0 are: from `low` on, rounded down so that what is aligned
/// there is aligned in scratch.
struct Footprint {
    std::ptrdiff_t low = 0;
    std::size_t bytes = 0;
};

Footprint footprint(std::size_t count, const Datatype& type, std::size_t alignment) {
    if (count == 0) return {};
    const auto grain = static_cast<std::ptrdiff_t>(alignment);
    const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(count - 1) * type.extent();
    std::ptrdiff_t low = type.true_lower_bound() + std::min<std::ptrdiff_t>(reach, 0);
    const std::ptrdiff_t high =
        type.true_lower_bound() + type.true_extent() + std::max<std::ptrdiff_t>(reach, 0);
    low -= ((low % grain) + grain) % grain;
    return {low, static_cast<std::size_t>(high - low)};
}

}  // namespace

void ScratchPool::Free::operator()(std::byte* p) const {
    std::free(p);
}

ScratchPool::Block ScratchPool::take(std::size_t size) {
    const auto fits = std::ranges::lower_bound(free_, size, {}, &Block::size);
    if (fits != free_.end()) {
        Block block = std::move(*fits);
        free_.erase(fits);
        return block;
    }
    // Few sizes, so that blocks serve more than one kind of call.
    const std::size_t rounded =
        size > largest_kept ? (size + page - 1) / page * page : std::bit_ceil(std::max(size, page));
    return {std::unique_ptr<std::byte, Free>(allocate(rounded)), rounded};
}

void ScratchPool::give_back(Block block) {
    if (lasting_)
        held_.push_back(std::move(block));
    else
        put(std::move(block));
}

void ScratchPool::reclaim() {
    for (Block& block : held_)
        put(std::move(block));
    held_.clear();
}

void ScratchPool::put(Block block) {
    if (block.size > largest_kept) return;
    const auto place = std::ranges::upper_bound(free_, block.size, {}, &Block::size);
    free_.insert(place, std::move(block));
}

std::size_t Scratch::room(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

std::size_t Scratch::room(std::size_t count, const Datatype& type) {
    return room(footprint(count, type, alignment).bytes);
}

Scratch::Scratch(ScratchPool& pool, std::size_t room) : pool_(pool) {
    if (room > small_.size() || (pool.is_lasting() && room > 0)) large_ = pool_.take(room);
    next_ = large_.memory ? large_.memory.get() : small_.data();
}

std::span<std::byte> Scratch::bytes(std::size_t size) {
    std::byte* const start = next_;
    next_ += room(size);
    return {start, size};
}

Buffer Scratch::elements(std::size_t count, const Datatype& type) {
    const Footprint needed = footprint(count, type, alignment);
    return {moved(bytes(needed.bytes).data(), -needed.low), count, &type};
}

}  // namespace railyard::mpi
