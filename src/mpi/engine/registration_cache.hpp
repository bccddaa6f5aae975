#pragma once
/// Registered user memory, kept for the next use of the same buffer (RC-1). Beyond its capacity the
/// longest unused is given up (RC-2). Fabrics here reach memory by its address, so a buffer that
/// was freed and came back is found as it is now; nothing is patched to hear of frees.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "mpi/engine/counters.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

/// Registered memory that somebody may be using.
class CachedRegion {
  public:
    explicit CachedRegion(std::unique_ptr<fabric::Region> region) : region_(std::move(region)) {}

    /// The piece of it that begins at `address`.
    fabric::Slice slice(const std::byte* address, std::size_t length) const {
        return {*region_, Bytes(static_cast<std::uint64_t>(address - region_->data())),
                Bytes(length)};
    }
    const fabric::Region& region() const { return *region_; }

  private:
    std::unique_ptr<fabric::Region> region_;
};

class RegistrationCache {
  public:
    RegistrationCache(fabric::Nic& nic, Bytes capacity, Counters& counters)
        : nic_(nic), capacity_(capacity), counters_(counters) {}

    /// Memory that peers may read and write, registered now or before.
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

}  // namespace railyard::mpi
