#pragma once
/// The parts of an adapter that take time: its processor, and its caches, as far as their timing
/// goes: what is in them, and what it costs that something is not. Pages are counted from the start
/// of their region, never by host address.

#include <cstdint>
#include <deque>
#include <list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/route.hpp"
#include "railyard/base/time.hpp"
#include "sim/action.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

/// The adapter's processor, or one engine of it: does one thing at a time. Sending and receiving go
/// in order of arrival; acknowledgments wait until nothing else is to do, and those of one peer are
/// taken together.
class Processor {
  public:
    Processor(sim::Engine& engine, std::string_view group, std::string_view name)
        : engine_(engine), time_(engine.trace(), group, name) {}

    /// Takes on work that comes then, which is now or known to be the next to come. When `work` of
    /// it is done; the processor stays busy for `rest` after that.
    Time run_from(Time at, Duration work, Duration rest, std::string_view what, std::uint64_t id);

    /// `done` runs when that has been done, which is when nothing else is left to do.
    void run_when_idle(std::uint64_t peer, Duration work, sim::Action done);
    /// What waits to be done for that peer is told as done now; the work stays.
    void tell_now(std::uint64_t peer);

    Duration busy() const { return time_.busy; }

  private:
    struct Chore {
        std::uint64_t peer;
        Duration work;
        std::vector<sim::Action> done;
    };
    void look_for_chores();
    static void tell(Chore& chore);

    sim::Engine& engine_;
    Fifo time_;
    std::deque<Chore> chores_;
    Chore doing_{};
    bool looks_later_ = false;
};

/// Keys, least recently used out first. Serves for page addresses and for connections.
class Cache {
  public:
    /// Zero entries: it holds everything.
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
