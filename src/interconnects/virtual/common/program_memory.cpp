#include "interconnects/virtual/common/program_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace railyard::virtual_time {

namespace {

constexpr std::uint64_t page = 4096;

const std::byte* end_of(const std::byte* begin, Bytes size) {
    return begin + size.count();
}

}  // namespace

/// The first that ends behind that place.
ProgramMemory::Stretches::iterator ProgramMemory::find(const std::byte* begin) {
    auto found = stretches_.upper_bound(begin);
    if (found == stretches_.begin()) return found;
    const auto before = std::prev(found);
    return end_of(before->first, before->second.size) > begin ? before : found;
}

Extent ProgramMemory::name(std::span<const std::byte> buffer) {
    if (buffer.empty()) return {};
    const std::byte* const begin = buffer.data();
    const std::byte* const end = begin + buffer.size();
    auto found = find(begin);
    if (found == stretches_.end() || found->first > begin ||
        end_of(found->first, found->second.size) < end)
        found = add(begin, end);
    Stretch& stretch = found->second;
    stretch.used = ++uses_;
    const Bytes offset(static_cast<std::uint64_t>(begin - found->first));
    const Extent extent = extent_of(stretch, offset, Bytes(buffer.size()));
    forget_beyond_capacity(stretch);
    return extent;
}

/// With all that it overlaps.
ProgramMemory::Stretches::iterator ProgramMemory::add(const std::byte* begin,
                                                      const std::byte* end) {
    const auto first = find(begin);
    auto behind = first;
    for (; behind != stretches_.end() && behind->first < end; ++behind)
        end = std::max(end, end_of(behind->first, behind->second.size));
    if (first != behind) begin = std::min(begin, first->first);
    const Bytes whole(static_cast<std::uint64_t>(end - begin));
    const Stretch made{whole, nic_.next_region++, whole < Bytes(page), 0};
    Wire& wire = *nic_.network->wire;
    for (auto part = first; part != behind; part = stretches_.erase(part)) {
        const Bytes offset(static_cast<std::uint64_t>(part->first - begin));
        const Bytes size = part->second.size;
        wire.became_part(nic_.end(), part->second.region, extent_of(made, offset, size));
        wire.forgotten(nic_.end(), part->second.region);
        named_ = named_ - size;
    }
    named_ += made.size;
    return stretches_.emplace(begin, made).first;
}

Extent ProgramMemory::extent_of(const Stretch& stretch, Bytes offset, Bytes length) {
    return {stretch.region, offset, length, fabric::Home::host, stretch.size, stretch.shares_pages};
}

void ProgramMemory::forget_beyond_capacity(const Stretch& newest) {
    while (named_ > capacity) {
        const auto oldest = std::min_element(
            stretches_.begin(), stretches_.end(),
            [](const auto& one, const auto& other) { return one.second.used < other.second.used; });
        if (&oldest->second == &newest) return;
        nic_.network->wire->forgotten(nic_.end(), oldest->second.region);
        named_ = named_ - oldest->second.size;
        stretches_.erase(oldest);
    }
}

}  // namespace railyard::virtual_time
