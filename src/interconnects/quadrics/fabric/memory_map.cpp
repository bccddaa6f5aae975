#include "interconnects/quadrics/fabric/memory_map.hpp"

namespace railyard::quadrics {

namespace {

constexpr std::uint64_t smallest_zone = 64 << 10;

elan::Home home_of(const virtual_time::Extent& extent) {
    return extent.home == fabric::Home::adapter ? elan::Home::sdram : elan::Home::main;
}

}  // namespace

elan::Address MemoryMap::take(const Use& use, const virtual_time::Extent& extent) {
    auto found = regions_.find({use.nic, use.region});
    if (found == regions_.end()) {
        Region fresh;
        fresh.size = static_cast<std::uint32_t>(extent.region_size.count());
        fresh.address = space_.reserve(home_of(extent), extent.region_size.count());
        found = regions_.emplace(std::pair(use.nic, use.region), fresh).first;
    }
    Region& region = found->second;
    ++region.uses;
    return region.address + static_cast<elan::Address>(extent.offset.count());
}

void MemoryMap::let_go(const Use& use) {
    const auto found = regions_.find({use.nic, use.region});
    if (--found->second.uses == 0 && found->second.forgotten) drop(found);
}

void MemoryMap::forget(const Use& use) {
    const auto found = regions_.find({use.nic, use.region});
    if (found == regions_.end()) return;
    found->second.forgotten = true;
    if (found->second.uses == 0) drop(found);
}

void MemoryMap::drop(Regions::iterator region) {
    space_.unmap(region->second.address, region->second.size);
    regions_.erase(region);
}

elan::Address MemoryMap::somewhere(Bytes size) {
    while (zones_.empty() || zones_.back().size < size.count()) {
        const std::uint64_t next = zones_.empty() ? smallest_zone : zones_.back().size * 4;
        zones_.push_back({next, space_.map(nullptr, next)});
    }
    for (const Zone& zone : zones_)
        if (zone.size >= size.count()) return zone.address;
    return zones_.back().address;
}

}  // namespace railyard::quadrics
