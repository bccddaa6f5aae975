#include "interconnects/quadrics/fabric/program_memory.hpp"

#include <algorithm>
#include <iterator>

namespace railyard::quadrics {

using elan::Address;
using elan::page_size;

namespace {

const std::byte* end_of(const std::byte* begin, Bytes size) {
    return begin + size.count();
}

/// What is sent is only read.
std::span<std::byte> writable(std::span<const std::byte> buffer) {
    return {const_cast<std::byte*>(buffer.data()), buffer.size()};
}

}  // namespace

/// The first that ends behind that place.
ProgramMemory::Stretches::iterator ProgramMemory::find(const std::byte* begin) {
    auto found = stretches_.upper_bound(begin);
    if (found == stretches_.begin()) return found;
    const auto before = std::prev(found);
    return end_of(before->first, before->second.size) > begin ? before : found;
}

ProgramMemory::Use ProgramMemory::take(std::span<const std::byte> buffer) {
    if (buffer.empty()) return {};
    const std::byte* const begin = buffer.data();
    const std::byte* const end = begin + buffer.size();
    auto found = find(begin);
    if (found == stretches_.end() || found->first > begin ||
        end_of(found->first, found->second.size) < end)
        found = add(begin, end);
    Stretch& stretch = found->second;
    stretch.used = ++uses_;
    return use(mappings_.find(stretch.mapping), static_cast<std::uint64_t>(begin - found->first));
}

ProgramMemory::Use ProgramMemory::use(Mappings::iterator mapping, std::uint64_t offset) {
    if (mapping->second.uses++ == 0) space_.lend(mapping->first, mapping->second.memory);
    return {mapping->first + static_cast<Address>(offset), mapping->first};
}

/// With all that it overlaps, unless that is too much: then it stands for itself.
ProgramMemory::Stretches::iterator ProgramMemory::add(const std::byte* begin,
                                                      const std::byte* end) {
    const auto first = find(begin);
    const std::byte* whole_begin = begin;
    const std::byte* whole_end = end;
    auto behind = first;
    for (; behind != stretches_.end() && behind->first < end; ++behind)
        whole_end = std::max(whole_end, end_of(behind->first, behind->second.size));
    if (first != behind) whole_begin = std::min(begin, first->first);
    const bool joined =
        Bytes(static_cast<std::uint64_t>(whole_end - whole_begin)) <= largest_joined;
    if (joined) {
        begin = whole_begin;
        end = whole_end;
    }
    const std::vector<std::pair<const std::byte*, Stretch>> parts(first, behind);
    stretches_.erase(first, behind);
    for (const auto& part : parts)
        named_ = named_ - part.second.size;
    const Bytes size(static_cast<std::uint64_t>(end - begin));
    make_room(size);
    const Stretch made{size, map(writable({begin, size.count()})), 0};
    for (const auto& [at, part] : parts) {
        if (joined) bind_as_in(part, static_cast<std::uint64_t>(at - begin), made);
        forget(part.mapping);
    }
    named_ += made.size;
    return stretches_.emplace(begin, made).first;
}

/// Pages are bound when first touched.
Address ProgramMemory::map(std::span<std::byte> memory) {
    auto size = static_cast<std::uint32_t>(memory.size());
    const bool small = size < page_size;
    if (small) size = (size + elan::block_size - 1) / elan::block_size * elan::block_size;
    const Address address = small ? part_of_page(size) : space_.reserve(elan::Home::main, size);
    const auto kind = small ? Mapping::Kind::part_of_page : Mapping::Kind::pages;
    mappings_.emplace(address, Mapping{size, memory, 0, kind});
    return address;
}

/// Whole blocks.
Address ProgramMemory::part_of_page(std::uint32_t size) {
    if (auto& free = free_parts_[size]; !free.empty()) {
        const Address address = free.back();
        free.pop_back();
        return address;
    }
    if (page_size - used_of_last_ < size) {
        shared_pages_.push_back(space_.reserve(elan::Home::main, page_size));
        used_of_last_ = 0;
    }
    const Address address = shared_pages_.back() + used_of_last_;
    used_of_last_ += size;
    return address;
}

/// What is known of the pages of a part is known in the whole.
void ProgramMemory::bind_as_in(const Stretch& part, std::uint64_t offset, const Stretch& whole) {
    for (std::uint64_t at = 0; at < whole.size.count(); at += page_size) {
        if (at + page_size <= offset || at >= offset + part.size.count()) continue;
        // The first byte that both have decides.
        const std::uint64_t within = at < offset ? 0 : at - offset;
        const elan::Page* const page = space_.find(part.mapping + static_cast<Address>(within));
        if (page && page->state == elan::Page::State::bound)
            space_.bind(whole.mapping + static_cast<Address>(at));
    }
}

void ProgramMemory::make_room(Bytes size) {
    while (named_ + size > capacity && !stretches_.empty()) {
        const auto oldest = std::min_element(
            stretches_.begin(), stretches_.end(),
            [](const auto& one, const auto& other) { return one.second.used < other.second.used; });
        forget(oldest->second.mapping);
        named_ = named_ - oldest->second.size;
        stretches_.erase(oldest);
    }
}

ProgramMemory::Use ProgramMemory::take_scratch(std::span<const std::byte> buffer) {
    if (buffer.empty()) return {};
    std::uint32_t size = page_size;
    while (size < buffer.size())
        size *= 4;
    auto& free = free_scratch_[size];
    if (free.empty()) free.push_back(space_.map(nullptr, size));
    const Mapping made{size, writable(buffer), 0, Mapping::Kind::scratch};
    const auto mapping = mappings_.emplace(free.back(), made).first;
    free.pop_back();
    return use(mapping, 0);
}

void ProgramMemory::let_go(const Use& use) {
    if (use.mapping == elan::null_address) return;
    const auto mapping = mappings_.find(use.mapping);
    if (--mapping->second.uses > 0) return;
    space_.take_back(mapping->first);
    if (mapping->second.forgotten || mapping->second.kind == Mapping::Kind::scratch) drop(mapping);
}

void ProgramMemory::forget(Address address) {
    const auto mapping = mappings_.find(address);
    mapping->second.forgotten = true;
    if (mapping->second.uses == 0) drop(mapping);
}

void ProgramMemory::drop(Mappings::iterator mapping) {
    const auto& [address, gone] = *mapping;
    switch (gone.kind) {
        case Mapping::Kind::pages:
            space_.unmap(address, gone.size);
            break;
        case Mapping::Kind::part_of_page:
            free_parts_[gone.size].push_back(address);
            break;
        case Mapping::Kind::scratch:
            free_scratch_[gone.size].push_back(address);
            break;
    }
    mappings_.erase(mapping);
}

void ProgramMemory::close() {
    for (const auto& [address, mapping] : mappings_) {
        if (mapping.uses > 0) space_.take_back(address);
        if (mapping.kind != Mapping::Kind::part_of_page) space_.unmap(address, mapping.size);
    }
    for (const Address page : shared_pages_)
        space_.unmap(page, page_size);
    mappings_.clear();
    stretches_.clear();
}

}  // namespace railyard::quadrics
