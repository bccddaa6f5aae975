#pragma once
/// Where the regions of a process lie in its adapter's address space. Railyard moves their bytes
/// itself when the machine says that they have arrived, so of these pages only the timing counts:
/// which of the two memories they are in, when they are bound, what the adapter's translation
/// buffer knows of them. They are counted from where a region begins, and never tell where the host
/// has it.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::quadrics {

class MemoryMap {
  public:
    using RegionId = std::uint64_t;  ///< Extent::region

    explicit MemoryMap(elan::AddressSpace& space) : space_(space) {}

    /// Of an extent in which a DMA is going to be under way; its region stays mapped until
    /// let_go().
    elan::Address take(const virtual_time::Extent& extent);
    void let_go(RegionId region);
    /// The region is gone; its pages go when the last DMA has done with them.
    void forget(RegionId region);

    /// Main memory of the system's, for data that have no place of their own (yet).
    elan::Address system_buffer(Bytes size);

  private:
    struct Region {
        elan::Address address = elan::null_address;
        std::uint32_t size = 0;
        unsigned uses = 0;
        bool forgotten = false;
    };
    struct Zone {
        std::uint64_t size = 0;
        elan::Address address = elan::null_address;
    };
    using Regions = std::unordered_map<RegionId, Region>;
    Region& find_or_map(const virtual_time::Extent& extent);
    void drop(Regions::iterator region);

    elan::AddressSpace& space_;
    Regions regions_;          ///< looked up only
    std::vector<Zone> zones_;  ///< from small to large, each four times as large as the one before
};

}  // namespace railyard::quadrics
