#pragma once
/// The parts of an adapter that take time: its processor, and its caches, as far as their timing
/// goes: what is in them, and what it costs that something is not. Pages are counted from the start
/// of their region, never by host address.

#include <cstdint>
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
///
/// What acknowledgments take of it is worked out when it is next used or asked, and needs no event
/// unless somebody waits for one.
class Processor {
  public:
    /// Of that node.
    Processor(sim::Engine& engine, fabric::NodeId node, std::string_view group,
              std::string_view name)
        : engine_(engine), node_(node), time_(engine.trace(), group, name) {}
    Processor(const Processor&) = delete;
    Processor& operator=(const Processor&) = delete;
    ~Processor() {
        if (time_.traced()) advance(Time::never());
    }

    /// Takes on work that comes then, which is now or known to be the next to come. When `work` of
    /// it is done; the processor stays busy for `rest` after that.
    Time run_from(Time at, Duration work, Duration rest, std::string_view what, std::uint64_t id);

    enum class Hearing : std::uint8_t {
        later,  ///< when somebody asks (tell)
        event,  ///< as it is done, by an event
    };
    /// An acknowledgment comes from that peer then. When nothing else is left to do it is dealt
    /// with, and then `done` runs; without work, it does so as it comes.
    void acknowledge(Time at, std::uint64_t peer, Duration work, sim::Action done, Hearing hearing);
    /// `done` of all that is done by now.
    void tell();
    /// From now on, of all that is still to come by events.
    void tell_by_events();
    /// What has come from that peer is told as done now; the work stays.
    void tell_now(std::uint64_t peer);
    /// Nothing is told any more.
    void stop();

    /// Until now.
    Duration busy() {
        advance(engine_.now());
        return time_.busy;
    }

  private:
    struct Chore {
        Time at;
        std::uint64_t peer;
        Duration work;
        sim::Action done;
        Hearing hearing;
    };
    struct Done {
        Time at;
        std::uint64_t peer;
        sim::Action done;
        Hearing hearing;
    };
    void advance(Time until);
    void begin(std::size_t first, Time start);
    void look();
    void look_at(Time at);

    sim::Engine& engine_;
    const fabric::NodeId node_;
    Fifo time_;
    std::vector<Chore> chores_;  ///< in the order of their coming, which may be ahead
    std::vector<Done> done_;     ///< not told yet, in order of time, which may be ahead
    std::size_t told_ = 0;       ///< so many of them are
    unsigned heard_by_event_ = 0;
    Time next_look_ = Time::never();
};

/// Keys, least recently used out first. Serves for page addresses and for connections.
class Cache {
  public:
    /// Zero entries: it holds everything.
    explicit Cache(unsigned entries) : most_(entries) {}

    /// Uses that key; true if it was not there and had to be fetched.
    bool misses(std::uint64_t key);
    void forget(std::uint64_t key);

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Entry {
        std::uint64_t key;
        std::uint32_t newer;
        std::uint32_t older;
    };
    std::size_t home(std::uint64_t key) const;
    std::size_t place_of(std::uint64_t key) const;
    void take_out(std::size_t place);
    void make_newest(std::uint32_t entry);
    void unlink(std::uint32_t entry);
    void grow();

    unsigned most_;
    std::vector<Entry> entries_;         ///< in a list by use
    std::vector<std::uint32_t> places_;  ///< of them, by their hash: a power of two, half empty
    std::uint32_t newest_ = none;
    std::uint32_t oldest_ = none;
    std::uint32_t forgotten_ = none;  ///< entries that are free, by `older`
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
