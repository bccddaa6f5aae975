#include "mpi/engine/registration_cache.hpp"

namespace railyard::mpi {

std::shared_ptr<CachedRegion> RegistrationCache::get(std::byte* address, std::size_t length) {
    // Users' buffers seldom overlap: the nearest one that begins at or before is the one, if any.
    if (auto found = by_address_.upper_bound(address); found != by_address_.begin()) {
        --found;
        const Entry& entry = *found->second;
        if (address + length <= entry.address + entry.length) {
            ++counters_.registration_hits;
            entries_.splice(entries_.end(), entries_, found->second);
            return entry.region;
        }
    }
    auto region = get_once(address, length);
    if (length > capacity_.count()) return region;
    evict(capacity_.count() - length);
    entries_.push_back({address, length, region});
    by_address_.emplace(address, std::prev(entries_.end()));
    held_ += length;
    return region;
}

std::shared_ptr<CachedRegion> RegistrationCache::get_once(std::byte* address, std::size_t length) {
    ++counters_.registrations;
    return std::make_shared<CachedRegion>(
        nic_.register_memory({address, length}, fabric::Access::all));
}

void RegistrationCache::evict(std::size_t room) {
    while (held_ > room) {
        const auto oldest = entries_.begin();
        const auto range = by_address_.equal_range(oldest->address);
        for (auto at = range.first; at != range.second; ++at)
            if (at->second == oldest) {
                by_address_.erase(at);
                break;
            }
        held_ -= oldest->length;
        entries_.erase(oldest);
    }
}

}  // namespace railyard::mpi
