#pragma once
/// Where the memory of a node's Nics lies in its adapter's address space. Railyard moves the bytes
/// itself when the machine says that they have arrived, so of these pages only the timing counts:
/// which of the two memories they are in, when they are bound, what the adapter's translation
/// buffer knows of them.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interconnects/quadrics/elan/context.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::quadrics {

class MemoryMap {
  public:
    explicit MemoryMap(elan::AddressSpace& space) : space_(space) {}

    /// A region of one of the node's Nics, in which a DMA may be under way.
    class Use {
      public:
        std::uint32_t nic = 0;
        std::uint64_t region = 0;
    };
    /// Of an extent of that Nic's; the region stays mapped until let_go().
    elan::Address take(const Use& use, const virtual_time::Extent& extent);
    void let_go(const Use& use);
    /// The region is gone; its pages go when the last DMA has done with them.
    void forget(const Use& use);

    /// Main memory for data whose place nobody has said: of no region, or known only when the
    /// message has been judged.
    elan::Address somewhere(Bytes size);

  private:
    struct Region {
        elan::Address address = elan::null_address;
        std::uint32_t size = 0;
        unsigned uses = 0;
        bool forgotten = false;
    };
    struct Hash {
        std::size_t operator()(const std::pair<std::uint32_t, std::uint64_t>& key) const {
            return (std::size_t{key.first} << 48 ^ key.second) * 0x9e3779b97f4a7c15u;
        }
    };
    struct Zone {
        std::uint64_t size = 0;
        elan::Address address = elan::null_address;
    };
    using Regions = std::unordered_map<std::pair<std::uint32_t, std::uint64_t>, Region, Hash>;
    void drop(Regions::iterator region);

    elan::AddressSpace& space_;
    Regions regions_;          ///< by Nic and number; looked up only
    std::vector<Zone> zones_;  ///< from small to large, each four times as large as the one before
};

}  // namespace railyard::quadrics
