#pragma once
/// What is still to happen, in order of time and, at one time, in order of scheduling.
///
/// A four-ary heap of 16-byte keys, so that the four children of a node fill one cache line; the
/// actions themselves lie still in a pool. A cancelled event leaves its key behind, which is swept
/// out when it comes to the top or when such keys are the majority: cancelling is O(1) amortised
/// however far away the event was.

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "sim/action.hpp"

namespace railyard::sim {

/// A scheduled event, to cancel it by. Once it has run, the name means nothing any more.
struct Event {
    std::uint64_t order = 0;  ///< 0: none
};

class EventQueue {
  public:
    Event push(Time at, Action action);
    /// False if it has run, was cancelled, or never was.
    bool cancel(Event event);
    /// Takes out the first event; false when there is none.
    bool pop(Time& at, Action& action);
    void clear();

    std::size_t size() const { return live_; }

  private:
    // Sequence number and pool slot in one word: 4 * 10^12 events in all, 4 million at a time.
    static constexpr unsigned slot_bits = 22;
    static constexpr std::uint64_t slot_mask = (std::uint64_t{1} << slot_bits) - 1;
    static constexpr std::uint64_t last_sequence = ~std::uint64_t{0} >> slot_bits;

    struct Key {
        std::int64_t at;
        std::uint64_t order;
        friend bool operator<(const Key& a, const Key& b) {
            return a.at != b.at ? a.at < b.at : a.order < b.order;
        }
    };
    struct Slot {
        Action action;
        std::uint64_t order = 0;  ///< of the event in it; a free slot has the next free one here
    };

    bool live(const Key& key) const { return slots_[key.order & slot_mask].order == key.order; }
    std::uint64_t take_slot();
    void free_slot(std::uint64_t slot);
    void sift_up(std::size_t hole, Key key);
    void sift_down(std::size_t hole, Key key);
    void remove_top();
    void sweep();

    std::vector<Key> heap_;
    std::vector<Slot> slots_;
    std::uint64_t free_ = no_slot;
    std::uint64_t sequence_ = 0;
    std::size_t live_ = 0;

    static constexpr std::uint64_t no_slot = slot_mask;
};

}  // namespace railyard::sim
