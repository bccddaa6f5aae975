#pragma once
/// Registered user memory, kept for the next use of the same buffer (RC-1). Beyond its capacity the
/// longest unused is given up (RC-2). Fabrics here reach memory by its address, so a buffer that
/// was freed and came back is found as it is now; nothing is patched to hear of frees.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "mpi/engine/counters.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

/// Registered memory that somebody may be using.
class CachedRegion {
  public:
    CachedRegion(std::unique_ptr<fabric::Region> region, Counters& counters)
        : region_(std::move(region)), counters_(counters) {
        counters_.pin(region_->size().count());
    }
    ~CachedRegion() { counters_.unpin(region_->size().count()); }
    CachedRegion(const CachedRegion&) = delete;
    CachedRegion& operator=(const CachedRegion&) = delete;

    /// The part of it that begins at `address`.
    fabric::Slice slice(const std::byte* address, std::size_t length) const {
        return {*region_, Bytes(static_cast<std::uint64_t>(address - region_->data())),
                Bytes(length)};
    }
    const fabric::Region& region() const { return *region_; }

  private:
    std::unique_ptr<fabric::Region> region_;
    Counters& counters_;
};

class RegistrationCache {
  public:
    RegistrationCache(fabric::Nic& nic, Bytes capacity, Counters& counters)
        : nic_(nic), capacity_(capacity), counters_(counters) {}

    /// Memory that peers may read and write, registered now or before. It stays the user's, and
    /// registered while somebody holds what is returned.
    std::shared_ptr<CachedRegion> get(std::byte* address, std::size_t length);
    /// The same for memory that is given up right after: not kept.
    std::shared_ptr<CachedRegion> get_once(std::byte* address, std::size_t length);

  private:
    struct Entry {
        std::byte* address;
        std::size_t length;
        std::shared_ptr<CachedRegion> region;
    };
    using Entries = std::list<Entry>;  ///< longest unused first

    void evict(std::size_t room);

    fabric::Nic& nic_;
    Bytes capacity_;
    Counters& counters_;
    Entries entries_;
    std::multimap<std::byte*, Entries::iterator> by_address_;
    std::size_t held_ = 0;
};

inline std::shared_ptr<CachedRegion> RegistrationCache::get(std::byte* address,
                                                            std::size_t length) {
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

inline std::shared_ptr<CachedRegion> RegistrationCache::get_once(std::byte* address,
                                                                 std::size_t length) {
    ++counters_.registrations;
    return std::make_shared<CachedRegion>(
        nic_.register_memory({address, length}, fabric::Access::all), counters_);
}

inline void RegistrationCache::evict(std::size_t room) {
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
