#pragma once
/// A cache of an adapter, as far as its timing goes: which keys are in it, least recently used out
/// first. Serves for page addresses and for connections.

#include <cstdint>
#include <list>
#include <unordered_map>

namespace railyard::model {

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

}  // namespace railyard::model
