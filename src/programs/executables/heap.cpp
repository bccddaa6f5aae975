#include "programs/executables/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "railyard/base/error.hpp"

namespace railyard::executables {

namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

}  // namespace

Heap::Heap(std::size_t wanted) : top_(small_step), clean_(small_step) {
    constexpr std::size_t least = 1 << 20;
    for (reserved_ = wanted;; reserved_ /= 2) {
        void* const memory = ::mmap(nullptr, reserved_, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            begin_ = static_cast<std::byte*>(memory);
            return;
        }
        if (reserved_ <= least) throw system_error("addresses for the heap of a rank");
    }
}

Heap::~Heap() {
    ::munmap(begin_, reserved_);
}

void* Heap::allocate(std::size_t bytes, std::size_t alignment) {
    if (bytes > reserved_ || alignment > reserved_) return nullptr;
    const std::size_t more = alignment > alignof(Header) ? alignment : 0;
    const std::size_t size = round_up(bytes + sizeof(Header) + more, small_step);
    Offset block = 0;
    if (!take(size, block)) return nullptr;
    const auto first = reinterpret_cast<std::uintptr_t>(begin_ + block) + sizeof(Header);
    auto* const memory =
        reinterpret_cast<std::byte*>(round_up(first, std::max(alignment, alignof(Header))));
    header_of(memory) = {block, size};
    return memory;
}

void* Heap::allocate_clear(std::size_t bytes) {
    const Offset clean = clean_;
    auto* const memory = static_cast<std::byte*>(allocate(bytes));
    if (memory == nullptr) return nullptr;
    // Pages that nobody has written are zero already, and need not be touched.
    const auto at = static_cast<Offset>(memory - begin_);
    const std::size_t used = at >= clean ? 0 : std::min<std::size_t>(bytes, clean - at);
    std::memset(memory, 0, used);
    return memory;
}

std::size_t Heap::usable(const void* memory) const {
    const Header& header = header_of(memory);
    return header.block + header.size -
           static_cast<Offset>(static_cast<const std::byte*>(memory) - begin_);
}

void Heap::free(void* memory) {
    const Header header = header_of(memory);
    put_back(header.block, header.size);
}

bool Heap::take(std::size_t size, Offset& block) {
    if (size <= small_limit) {
        Offset& first = small_[size / small_step];
        if (first != 0) {
            block = first;
            std::memcpy(&first, begin_ + block, sizeof first);
            return true;
        }
    } else if (const auto found = by_size_.lower_bound({size, 0}); found != by_size_.end()) {
        const auto [free_size, at] = *found;
        by_size_.erase(found);
        large_.erase(at);
        if (free_size > size) {
            large_.emplace(at + size, free_size - size);
            by_size_.emplace(free_size - size, at + size);
        }
        block = at;
        return true;
    }
    if (size > reserved_ - top_) return false;
    block = top_;
    top_ += size;
    clean_ = std::max(clean_, top_);
    return true;
}

void Heap::put_back(Offset block, std::size_t size) {
    if (size <= small_limit) {
        Offset& first = small_[size / small_step];
        std::memcpy(begin_ + block, &first, sizeof first);
        first = block;
        return;
    }
    auto next = large_.lower_bound(block);
    if (next != large_.end() && block + size == next->first) {
        size += next->second;
        by_size_.erase({next->second, next->first});
        next = large_.erase(next);
    }
    if (next != large_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == block) {
            block = before->first;
            size += before->second;
            by_size_.erase({before->second, before->first});
            large_.erase(before);
        }
    }
    if (size >= give_back) {
        const Offset from = round_up(block, page);
        const Offset to = (block + size) / page * page;
        ::madvise(begin_ + from, to - from, MADV_DONTNEED);
    }
    if (block + size == top_) {
        top_ = block;
        return;
    }
    large_.emplace(block, size);
    by_size_.emplace(size, block);
}

}  // namespace railyard::executables
