#include "sim/event_queue.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace railyard::sim {

namespace {
constexpr std::size_t arity = 4;
// Below this many keys a sweep is not worth its while.
constexpr std::size_t small_heap = 64;
}  // namespace

std::uint64_t EventQueue::take_slot() {
    if (free_ == no_slot) {
        if (slots_.size() == no_slot)
            throw Error("simulation: more than 4 million events pending at one time");
        slots_.emplace_back();
        return slots_.size() - 1;
    }
    const std::uint64_t slot = free_;
    free_ = slots_[slot].order;
    return slot;
}

void EventQueue::free_slot(std::uint64_t slot) {
    // A free slot's order is below 2^22, and so never equal to that of a key: their sequence
    // numbers begin at 1.
    slots_[slot].order = free_;
    free_ = slot;
    --live_;
}

Event EventQueue::push(Time at, Action action) {
    if (sequence_ == last_sequence)
        throw Error("simulation: more than 4 * 10^12 events in one run");
    const std::uint64_t slot = take_slot();
    const std::uint64_t order = ++sequence_ << slot_bits | slot;
    slots_[slot].action = std::move(action);
    slots_[slot].order = order;
    ++live_;
    heap_.emplace_back();
    sift_up(heap_.size() - 1, Key{at.since_start().picoseconds(), order});
    return Event{order};
}

bool EventQueue::cancel(Event event) {
    const std::uint64_t slot = event.order & slot_mask;
    if (event.order == 0 || slot >= slots_.size() || slots_[slot].order != event.order)
        return false;
    // Moved out before it dies: what it holds may cancel or schedule in its destructor.
    const Action dying = std::move(slots_[slot].action);
    free_slot(slot);
    if (heap_.size() > small_heap && live_ < heap_.size() / 2) sweep();
    return true;
}

bool EventQueue::pop(Time& at, Action& action) {
    while (!heap_.empty()) {
        const Key top = heap_.front();
        const bool alive = live(top);
        remove_top();
        if (!alive) continue;
        const std::uint64_t slot = top.order & slot_mask;
        at = Time::at(Duration::ps(top.at));
        action = std::move(slots_[slot].action);
        free_slot(slot);
        return true;
    }
    return false;
}

void EventQueue::clear() {
    // What the actions hold may schedule more as it dies.
    while (!slots_.empty()) {
        heap_.clear();
        free_ = no_slot;
        live_ = 0;
        const std::vector<Slot> dying = std::exchange(slots_, {});
    }
}

void EventQueue::sift_up(std::size_t hole, Key key) {
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / arity;
        if (!(key < heap_[parent])) break;
        heap_[hole] = heap_[parent];
        hole = parent;
    }
    heap_[hole] = key;
}

void EventQueue::sift_down(std::size_t hole, Key key) {
    const std::size_t size = heap_.size();
    for (;;) {
        const std::size_t first = hole * arity + 1;
        if (first >= size) break;
        const std::size_t last = std::min(first + arity, size);
        std::size_t least = first;
        for (std::size_t child = first + 1; child < last; ++child)
            if (heap_[child] < heap_[least]) least = child;
        if (!(heap_[least] < key)) break;
        heap_[hole] = heap_[least];
        hole = least;
    }
    heap_[hole] = key;
}

void EventQueue::remove_top() {
    const Key last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0, last);
}

void EventQueue::sweep() {
    std::erase_if(heap_, [this](const Key& key) { return !live(key); });
    for (std::size_t i = heap_.size() / arity + 1; i-- > 0;)
        if (i < heap_.size()) sift_down(i, heap_[i]);
}

}  // namespace railyard::sim
