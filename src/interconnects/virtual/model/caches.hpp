#pragma once
/// The caches of an adapter, as far as their timing goes: what is in them, and what it costs that
/// something is not. Pages are counted from the start of their region, never by host address.

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"

namespace railyard::model {

/// Keys, least recently used out first. Serves for page addresses and for connections.
class Cache {
  public:
    /// Nought entries: it holds everything.
    explicit Cache(unsigned entries) : entries_(entries) {}

    /// Uses that key; true if it was not there and had to be fetched.
    bool misses(std::uint64_t key);
    void forget(std::uint64_t key);

  private:
    using Order = std::list<std::uint64_t>;  ///< most recently used first
    unsigned entries_;
    Order order_;
    std::unordered_map<std::uint64_t, Order::iterator> found_;  ///< looked up only
};

/// Address translation: which pages of a message cost more than the others.
class PageTable {
  public:
    explicit PageTable(const hardware::Translation& parameters)
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

    hardware::Translation parameters_;
    Cache cache_;
    // Pages known to the system, by region; looked up only.
    std::unordered_map<std::uint64_t, std::vector<bool>> known_;
};

}  // namespace railyard::model
