#include "interconnects/quadrics/elanlib/symmetric_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "railyard/base/error.hpp"

namespace railyard::elanlib {

SymmetricHeap::SymmetricHeap(elan3::Process& process, elan3::Home home, std::uint32_t size)
    : begin_(process.allocate(home, size)), size_(size), holes_{{begin_, size}} {}

elan3::Address SymmetricHeap::allocate(std::uint32_t size) {
    constexpr std::uint32_t block = elan::block_size;
    const std::uint32_t whole =
        size > size_ ? size : std::max((size + block - 1) / block, 1U) * block;
    const auto hole =
        std::ranges::find_if(holes_, [whole](const auto& its) { return its.second >= whole; });
    if (hole == holes_.end())
        throw UsageError(fmt::format(
            "{} bytes of a symmetric heap of {}, and no hole of it is as large; ask for "
            "a larger heap when Shmem begins",
            size, size_));
    const auto [address, room] = *hole;
    holes_.erase(hole);
    if (room > whole) holes_.emplace(address + whole, room - whole);
    taken_.emplace(address, whole);
    return address;
}

std::uint32_t SymmetricHeap::size_of(Address address) const {
    const auto found = taken_.find(address);
    if (found == taken_.end())
        throw UsageError(
            fmt::format("nothing of the symmetric heap begins at {:#x}; it was never given out, or "
                        "was released",
                        address));
    return found->second;
}

void SymmetricHeap::release(Address address) {
    std::uint32_t size = size_of(address);
    taken_.erase(address);
    const auto next = holes_.lower_bound(address);
    if (next != holes_.end() && next->first == address + size) {
        size += next->second;
        holes_.erase(next);
    }
    const auto behind = holes_.lower_bound(address);
    if (behind != holes_.begin()) {
        const auto before = std::prev(behind);
        if (before->first + before->second == address) {
            before->second += size;
            return;
        }
    }
    holes_.emplace(address, size);
}

}  // namespace railyard::elanlib
