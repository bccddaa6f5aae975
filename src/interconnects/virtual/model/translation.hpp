#pragma once
/// Address translation in the adapter: which pages of a message cost more than the others. Pages
/// are counted from the start of their region, never by host address.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/model/cache.hpp"
#include "interconnects/virtual/model/parameters.hpp"

namespace railyard::model {

class PageTable {
  public:
    explicit PageTable(const Translation& parameters)
        : parameters_(parameters), cache_(parameters.entries) {}

    /// The adapter uses these pieces of that Nic's regions, in packets of that size: what each
    /// packet has to wait for. Left empty if none has to.
    void use(std::uint32_t nic, std::span<const virtual_time::Extent> extents, Bytes packet,
             std::vector<Duration>& extra);
    /// A region is gone; its number is never used again.
    void forget(std::uint32_t nic, std::uint64_t region);

    /// The adapter has been reset.
    void forget_all() { cache_ = Cache(parameters_.entries); }

  private:
    Duration touch(std::uint64_t region, std::uint64_t page);

    Translation parameters_;
    Cache cache_;
    // Pages known to the system, by region; looked up only.
    std::unordered_map<std::uint64_t, std::vector<bool>> known_;
};

}  // namespace railyard::model
