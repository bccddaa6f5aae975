#pragma once
/// What is still to happen, in order of time; at one time, in the order of the parties that
/// scheduled it, and of one party in the order of scheduling. A party counts only its own events,
/// so that nobody's place depends on what others do meanwhile.
///
/// The few events that are next stand in a sorted list. Those behind them are in a radix heap. No
/// event comes before the one that ran last, so a key is filed by the highest digit, to the base
/// 64, in which its time differs from that of an event that ran, and by that digit's value. The
/// first bucket that is not empty then holds the first of these events; when it is reached, its
/// keys become the list, or are filed anew by their lower digits if they are many. Of a time of n
/// digits, a key is moved at most n times and compared with few others, however many there are.
/// Keys of one time are in one place at every moment.
///
/// The actions lie still in a pool, each in a cache line, and run there. A cancelled event leaves
/// its key behind, which is dropped when it comes first or when such keys are the majority:
/// cancelling is O(1) amortised however far away the event was.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "railyard/base/time.hpp"
#include "sim/action.hpp"

namespace railyard::sim {

/// A scheduled event, to cancel it by. Once it has run, the name means nothing any more.
struct Event {
    std::uint64_t order = 0;  ///< 0: none
    std::uint32_t slot = 0;
};

/// Who schedules events, and in whose name they run: a node of the network, say.
using Party = std::uint32_t;

class EventQueue {
  public:
    EventQueue();
    ~EventQueue() { clear(); }
    EventQueue(const EventQueue&) = delete;
    EventQueue& operator=(const EventQueue&) = delete;

    /// Scheduled by one party, to run in the name of another. A time before that of the event that
    /// ran last means that time.
    Event push(Time at, Party by, Party runs_as, Action&& action) {
        const Place place = make_place(at, by, runs_as);
        place.action = std::move(action);
        return place.event;
    }
    /// The same, to be filled in at once: a callable that is made where it stays is not copied.
    struct Place {
        Event event;
        Action& action;
    };
    Place make_place(Time at, Party by, Party runs_as);
    /// False if it has run or runs, was cancelled, or never was.
    bool cancel(Event event);
    /// What is known of an event when it is about to run.
    struct Running {
        Time now;
        Party by;
        Party as;
    };
    /// Sets `running` to the first event and runs it; false when there is none.
    bool run_next(Running& running);
    void clear();
    /// In an event: nothing else is pending at its time. (A cancelled event may count as one.)
    bool is_last_now() const {
        return crowd_.empty() && (next_ == near_.size() || near_[next_].at != now_);
    }

    /// In an event: its time becomes that one, if nothing else is pending before it or at it, as
    /// far as that is seen at a glance. What would have been an event then may happen at once.
    bool skip_to(Time at) {
        const std::int64_t when = at.since_start().picoseconds();
        if (!crowd_.empty()) return false;
        const bool first =
            next_ != near_.size() ? when < near_[next_].at : occupied_levels_ == 0 || when < limit_;
        if (first) now_ = std::max(now_, when);
        return first;
    }

    std::size_t size() const { return live_; }

  private:
    // Party and sequence number in one word: a million of them, and 10^13 events of each.
    static constexpr unsigned sequence_bits = 44;
    static constexpr std::uint64_t last_sequence = (std::uint64_t{1} << sequence_bits) - 1;
    static constexpr std::uint64_t most_parties = ~std::uint64_t{0} >> sequence_bits;
    static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
    static constexpr std::size_t chunk_size = 256;

    static constexpr unsigned digit_bits = 6;
    static constexpr unsigned digits = 1 << digit_bits;
    static constexpr unsigned levels = (63 + digit_bits - 1) / digit_bits;

    struct Key {
        std::int64_t at;
        std::uint64_t order;
        std::uint32_t slot;
        Party runs_as;
        bool before(const Key& other) const {
            return (at < other.at) | ((at == other.at) & (order < other.order));
        }
    };
    using Keys = std::vector<Key>;
    struct alignas(64) Slot {
        Action action;
        std::uint64_t order = 0;  ///< of the event in it; a free slot has the next free one here
    };
    struct InSlot;

    Slot& slot(std::uint32_t index) { return chunks_[index / chunk_size][index % chunk_size]; }
    bool live(const Key& key) { return slot(key.slot).order == key.order; }
    std::uint32_t make_slot();
    std::uint32_t take_slot();
    void free_slot(std::uint32_t index);
    void add_parties(Party last);
    std::uint64_t next_order(Party by);
    void insert_near(std::int64_t at, std::uint64_t order, std::uint32_t slot, Party runs_as);
    void join_crowd(const Key& key);
    Key take_from_crowd();
    void spill();
    void file(const Key& key);
    void refill();
    Key take_first();
    const Key* ahead(std::size_t events) const;
    void fetch_ahead();
    template <class Keep>
    void keep_keys(Keep keep);

    std::vector<Keys> buckets_;                     ///< by level and digit
    std::array<std::uint64_t, levels> occupied_{};  ///< a bit a digit
    std::uint64_t occupied_levels_ = 0;             ///< a bit a level
    std::int64_t filed_by_ = 0;  ///< the time by which keys in buckets are filed; none is earlier
    Keys near_;                  ///< those before `limit_`, sorted, from `next_` on
    std::size_t next_ = 0;
    /// Those that are due now and found very many others that are: a heap, the first one on top.
    Keys crowd_;
    std::int64_t limit_ = 0;
    std::int64_t now_ = 0;  ///< the time of the event that ran last
    std::size_t keys_ = 0;  ///< not taken yet, cancelled ones included

    std::vector<std::unique_ptr<Slot[]>> chunks_;
    std::uint32_t slots_made_ = 0;
    std::uint32_t free_ = no_slot;
    std::vector<std::uint64_t> orders_;  ///< by party: that of its last event
    std::size_t live_ = 0;
};

}  // namespace railyard::sim
