#include "interconnects/quadrics/fabric/memory_map.hpp"

namespace railyard::quadrics {

namespace {

constexpr std::uint64_t smallest_zone = 64 << 10;

elan::Home home_of(const virtual_time::Extent& extent) {
    return extent.home == fabric::Home::adapter ? elan::Home::sdram : elan::Home::main;
}

}  // namespace

MemoryMap::Region& MemoryMap::find_or_map(const virtual_time::Extent& extent) {
    const auto [found, is_new] = regions_.try_emplace(extent.region);
    Region& region = found->second;
    if (!is_new) return region;
    region.size = static_cast<std::uint32_t>(extent.region_size.count());
    region.packed = extent.shares_pages;
    region.address = region.packed ? space_.allocate(home_of(extent), region.size)
                                   : space_.reserve(home_of(extent), extent.region_size.count());
    return region;
}

elan::Address MemoryMap::take(const virtual_time::Extent& extent) {
    Region& region = find_or_map(extent);
    ++region.uses;
    return region.address + static_cast<elan::Address>(extent.offset.count());
}

void MemoryMap::let_go(RegionId region) {
    const auto found = regions_.find(region);
    if (--found->second.uses == 0 && found->second.forgotten) drop(found);
}

void MemoryMap::forget(RegionId region) {
    const auto found = regions_.find(region);
    if (found == regions_.end()) return;
    found->second.forgotten = true;
    if (found->second.uses == 0) drop(found);
}

void MemoryMap::drop(Regions::iterator region) {
    const Region& gone = region->second;
    gone.packed ? space_.release(gone.address, gone.size) : space_.unmap(gone.address, gone.size);
    regions_.erase(region);
}

void MemoryMap::became_part(RegionId region, const virtual_time::Extent& whole) {
    const auto found = regions_.find(region);
    if (found == regions_.end()) return;
    const Region part = found->second;
    const elan::Address into = find_or_map(whole).address;
    const std::uint64_t begin = whole.offset.count();
    for (std::uint64_t at = 0; at < whole.region_size.count(); at += elan::page_size) {
        if (at + elan::page_size <= begin || at >= begin + part.size) continue;
        // The first byte that both have decides.
        const std::uint64_t within = at < begin ? 0 : at - begin;
        const elan::Page* const page =
            space_.find(part.address + static_cast<elan::Address>(within));
        if (page && page->state == elan::Page::State::bound)
            space_.bind(into + static_cast<elan::Address>(at));
    }
}

elan::Address MemoryMap::system_buffer(Bytes size) {
    while (zones_.empty() || zones_.back().size < size.count()) {
        const std::uint64_t next = zones_.empty() ? smallest_zone : zones_.back().size * 4;
        zones_.push_back({next, space_.map(nullptr, next)});
    }
    for (const Zone& zone : zones_)
        if (zone.size >= size.count()) return zone.address;
    return zones_.back().address;
}

}  // namespace railyard::quadrics
