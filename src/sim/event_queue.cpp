#include "sim/event_queue.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace railyard::sim {

namespace {

// Below this many keys a sweep is not worth its while.
constexpr std::size_t few_keys = 64;
// A bucket of so few keys has its turn now: their actions are fetched into the cache.
constexpr std::size_t soon = 64;
// Of events of one time, those so far ahead are fetched.
constexpr std::size_t ahead = 4;
// With fewer events than this pending, what they work on is in the cache anyway.
constexpr std::size_t many_events = 256;
// A bucket keeps room for this many keys when it is emptied.
constexpr std::size_t kept_room = 512;

template <class Keys>
void empty(Keys& keys) {
    if (keys.capacity() > kept_room)
        Keys().swap(keys);
    else
        keys.clear();
}

/// The lowest bit that is set.
unsigned first(std::uint64_t bits) {
    return static_cast<unsigned>(std::countr_zero(bits));
}

}  // namespace

/// An event while it runs: its slot is its own until its captures have died, too.
struct EventQueue::Running {
    EventQueue& queue;
    std::uint64_t index;
    Slot& slot;
    ~Running() {
        slot.action.reset();
        queue.free_slot(index);
    }
};

EventQueue::EventQueue() : buckets_(std::size_t{levels} * digits) {}

std::uint64_t EventQueue::take_slot() {
    if (free_ != no_slot) {
        const std::uint64_t index = free_;
        free_ = slot(index).order;
        return index;
    }
    if (slots_made_ == no_slot)
        throw Error("simulation: more than 4 million events pending at one time");
    if (slots_made_ % chunk_size == 0) chunks_.push_back(std::make_unique<Slot[]>(chunk_size));
    return slots_made_++;
}

void EventQueue::free_slot(std::uint64_t index) {
    // A free slot's order is below 2^22, and so never equal to that of a key: their sequence
    // numbers begin at 1.
    slot(index).order = free_;
    free_ = index;
}

Event EventQueue::push(Time at, Action&& action) {
    if (sequence_ == last_sequence)
        throw Error("simulation: more than 4 * 10^12 events in one run");
    const std::uint64_t index = take_slot();
    const std::uint64_t order = ++sequence_ << slot_bits | index;
    slot(index).action = std::move(action);
    slot(index).order = order;
    ++live_;
    ++keys_;
    file({std::max(at.since_start().picoseconds(), last_), order});
    return Event{order};
}

void EventQueue::file(const Key& key) {
    const auto difference = static_cast<std::uint64_t>(key.at ^ last_);
    const unsigned level = static_cast<unsigned>(std::bit_width(difference | 1) - 1) / digit_bits;
    const auto digit = static_cast<unsigned>(key.at >> level * digit_bits) % digits;
    buckets_[level * digits + digit].push_back(key);
    occupied_[level] |= std::uint64_t{1} << digit;
    occupied_levels_ |= std::uint64_t{1} << level;
}

bool EventQueue::cancel(Event event) {
    const std::uint64_t index = Key{0, event.order}.slot();
    if (event.order == 0 || index >= slots_made_ || slot(index).order != event.order) return false;
    // Moved out before it dies: what it holds may cancel or schedule in its destructor.
    const Action dying = std::move(slot(index).action);
    free_slot(index);
    --live_;
    if (keys_ > few_keys && live_ < keys_ / 2)
        keep_keys([this](const Key& key) { return live(key); });
    return true;
}

bool EventQueue::run_next(Time& now) {
    while (live_ > 0) {
        const Key key = take_first();
        Slot& found = slot(key.slot());
        if (found.order != key.order) continue;
        found.order = 0;
        --live_;
        now = Time::at(Duration::ps(key.at));
        if (live_ > many_events) fetch_next();
        const Running running{*this, key.slot(), found};
        found.action();
        return true;
    }
    // `last_` stays the time of an event that ran, for whatever is pushed next.
    keep_keys([](const Key&) { return false; });
    return false;
}

/// What the events that are probably next work on comes into the cache while this one runs: in a
/// simulation of many ranks, each event finds its rank's memory cold.
void EventQueue::fetch_next() {
    if (next_due_ < due_.size()) {
        if (next_due_ + ahead < due_.size())
            __builtin_prefetch(&slot(due_[next_due_ + ahead].slot()));
        return slot(due_[std::min(next_due_ + ahead / 2, due_.size() - 1)].slot()).action.fetch();
    }
    if (occupied_levels_ == 0) return;
    const unsigned level = first(occupied_levels_);
    const Keys& bucket = buckets_[level * digits + first(occupied_[level])];
    if (bucket.size() <= soon) slot(bucket.front().slot()).action.fetch();
}

EventQueue::Key EventQueue::take_first() {
    --keys_;
    if (next_due_ < due_.size()) return due_[next_due_++];
    empty(due_);
    next_due_ = 0;
    const unsigned level = first(occupied_levels_);
    const unsigned digit = first(occupied_[level]);
    occupied_[level] &= occupied_[level] - 1;
    if (occupied_[level] == 0) occupied_levels_ &= occupied_levels_ - 1;
    Keys& bucket = buckets_[level * digits + digit];
    if (bucket.size() == 1) {  // the usual case where events are far between
        const Key key = bucket.front();
        last_ = key.at;
        bucket.clear();
        return key;
    }
    refile(bucket);
    next_due_ = 1;
    return due_.front();
}

void EventQueue::refile(Keys& bucket) {
    const auto earlier = [](const Key& a, const Key& b) { return a.at < b.at; };
    last_ = std::min_element(bucket.begin(), bucket.end(), earlier)->at;
    const bool fetch = bucket.size() <= soon;
    for (const Key& key : bucket) {
        if (fetch) __builtin_prefetch(&slot(key.slot()));
        if (key.at == last_)
            due_.push_back(key);
        else
            file(key);
    }
    empty(bucket);
}

template <class Keep>
void EventQueue::keep_keys(Keep keep) {
    const auto drop = [&](const Key& key) { return !keep(key); };
    due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(next_due_));
    next_due_ = 0;
    std::erase_if(due_, drop);
    for (unsigned level = 0; level < levels; ++level) {
        for (std::uint64_t left = occupied_[level]; left != 0; left &= left - 1) {
            Keys& bucket = buckets_[level * digits + first(left)];
            std::erase_if(bucket, drop);
            if (bucket.empty()) occupied_[level] &= ~(left & -left);
        }
        if (occupied_[level] == 0) occupied_levels_ &= ~(std::uint64_t{1} << level);
    }
    keys_ = live_;
}

void EventQueue::clear() {
    // What the actions hold may schedule more as it dies.
    while (!chunks_.empty()) {
        live_ = 0;
        keep_keys([](const Key&) { return false; });
        free_ = no_slot;
        slots_made_ = 0;
        const auto dying = std::exchange(chunks_, {});
    }
}

}  // namespace railyard::sim
