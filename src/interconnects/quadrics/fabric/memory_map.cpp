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
    region.address = space_.reserve(home_of(extent), extent.region_size.count());
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
    space_.unmap(region->second.address, region->second.size);
    regions_.erase(region);
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
