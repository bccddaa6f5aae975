#include "mpi/collectives/scratch_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

namespace railyard::mpi {

namespace {

constexpr std::size_t page = 4096;

std::byte* allocate(std::size_t size) {
    void* const memory = std::aligned_alloc(page, size);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<std::byte*>(memory);
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
    if (block.size > largest_kept) return;
    const auto place = std::ranges::upper_bound(free_, block.size, {}, &Block::size);
    free_.insert(place, std::move(block));
}

}  // namespace railyard::mpi
