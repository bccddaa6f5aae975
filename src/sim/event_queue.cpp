#include "sim/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "railyard/base/error.hpp"

namespace railyard::sim {

namespace {

// Below this many keys a sweep is not worth its while.
constexpr std::size_t few_keys = 64;
// So many keys are quickly sorted, and kept so as others come.
constexpr std::size_t most_near = 64;
// So many are enough to look ahead to.
constexpr std::size_t enough_near = 24;
// Of the events to come, those so far ahead have their actions fetched into the cache, and those
// half as far what their actions work on.
constexpr std::size_t far_ahead = 8;
// With fewer events than this pending, what they work on is in the cache anyway.
constexpr std::size_t many_events = 256;
// A list keeps room for this many keys when it is emptied.
constexpr std::size_t kept_room = 512;
constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();

/// The lowest bit that is set.
unsigned first(std::uint64_t bits) {
    return static_cast<unsigned>(std::countr_zero(bits));
}

}  // namespace

/// An event while it runs: its slot is its own until its captures have died, too.
struct EventQueue::InSlot {
    EventQueue& queue;
    std::uint32_t index;
    Slot& slot;
    ~InSlot() {
        slot.action.reset();
        queue.free_slot(index);
    }
};

EventQueue::EventQueue() : buckets_(std::size_t{levels} * digits) {}

std::uint32_t EventQueue::make_slot() {
    if (slots_made_ == no_slot)
        throw Error("simulation: more than 4 * 10^9 events pending at one time");
    if (slots_made_ % chunk_size == 0) chunks_.push_back(std::make_unique<Slot[]>(chunk_size));
    return slots_made_++;
}

inline std::uint32_t EventQueue::take_slot() {
    if (free_ != no_slot) {
        const std::uint32_t index = free_;
        free_ = static_cast<std::uint32_t>(slot(index).order);
        return index;
    }
    return make_slot();
}

inline void EventQueue::free_slot(std::uint32_t index) {
    // A free slot's order is below 2^32, and so never equal to that of a key (next_order).
    slot(index).order = free_;
    free_ = index;
}

/// Parties count from 1 here, so that every order is above 2^44.
void EventQueue::add_parties(Party last) {
    if (last >= most_parties) throw Error("simulation: more than a million nodes");
    for (std::uint64_t party = orders_.size(); party <= last; ++party)
        orders_.push_back((party + 1) << sequence_bits);
}

inline std::uint64_t EventQueue::next_order(Party by) {
    if (by >= orders_.size()) [[unlikely]]
        add_parties(by);
    const std::uint64_t order = ++orders_[by];
    if ((order & last_sequence) == last_sequence)
        throw Error("simulation: more than 10^13 events of one node");
    return order;
}

/// In registers all the way: a key that was just written would be read back at once, in other
/// pieces, and for that a processor waits.
inline void EventQueue::insert_near(std::int64_t at, std::uint64_t order, std::uint32_t slot,
                                    Party runs_as) {
    if (next_ > most_near && next_ > near_.size() / 2) {
        near_.erase(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
    }
    near_.emplace_back();
    Key* place = near_.data() + next_;
    std::size_t left = near_.size() - 1 - next_;
    // The first that is later, without a branch that nobody can foretell.
    while (left > 0) {
        const std::size_t half = (left + 1) / 2;
        const Key& key = place[half - 1];
        const bool later = (at < key.at) | ((at == key.at) & (order < key.order));
        place += later ? 0 : half;
        left = later ? half - 1 : left - half;
    }
    std::memmove(place + 1, place,
                 static_cast<std::size_t>(near_.data() + near_.size() - 1 - place) * sizeof(Key));
    place->at = at;
    place->order = order;
    place->slot = slot;
    place->runs_as = runs_as;
    if (near_.size() - next_ > most_near) spill();
}

EventQueue::Place EventQueue::make_place(Time at, Party by, Party runs_as) {
    const std::uint64_t order = next_order(by);
    const std::uint32_t index = take_slot();
    Slot& taken = slot(index);
    taken.order = order;
    ++live_;
    ++keys_;
    const std::int64_t when = std::max(at.since_start().picoseconds(), now_);
    if (occupied_levels_ == 0) limit_ = end_of_time;
    if (when == now_ && near_.size() - next_ > most_near) [[unlikely]]
        join_crowd({when, order, index, runs_as});
    else if (when < limit_)
        insert_near(when, order, index, runs_as);
    else
        file({when, order, index, runs_as});
    return {Event{order, index}, taken.action};
}

namespace {
/// For heaps with the first key on top.
constexpr auto comes_after = [](const auto& a, const auto& b) { return b.before(a); };
}  // namespace

/// Many ranks do the same at the same time: to keep a list of all that sorted would take a time
/// that grows with the square of their number.
void EventQueue::join_crowd(const Key& key) {
    crowd_.push_back(key);
    std::push_heap(crowd_.begin(), crowd_.end(), comes_after);
}

EventQueue::Key EventQueue::take_from_crowd() {
    std::pop_heap(crowd_.begin(), crowd_.end(), comes_after);
    const Key first = crowd_.back();
    crowd_.pop_back();
    return first;
}

/// The later half of the list goes into buckets, but nothing that is due now.
void EventQueue::spill() {
    const auto later = [](std::int64_t at, const Key& key) { return at < key.at; };
    const std::size_t middle = next_ + (near_.size() - next_) / 2;
    auto from = std::upper_bound(near_.begin() + static_cast<std::ptrdiff_t>(middle), near_.end(),
                                 near_[middle].at, later);
    if (from == near_.end())  // all of them of one time
        from = std::upper_bound(near_.begin() + static_cast<std::ptrdiff_t>(next_), near_.end(),
                                std::max(now_, near_[middle].at - 1), later);
    if (from == near_.end()) return;
    if (occupied_levels_ == 0) filed_by_ = now_;
    limit_ = from->at;
    for (auto key = from; key != near_.end(); ++key)
        file(*key);
    near_.erase(from, near_.end());
}

void EventQueue::file(const Key& key) {
    const auto difference = static_cast<std::uint64_t>(key.at ^ filed_by_);
    const unsigned level = static_cast<unsigned>(std::bit_width(difference | 1) - 1) / digit_bits;
    const auto digit = static_cast<unsigned>(key.at >> level * digit_bits) % digits;
    buckets_[level * digits + digit].push_back(key);
    occupied_[level] |= std::uint64_t{1} << digit;
    occupied_levels_ |= std::uint64_t{1} << level;
}

bool EventQueue::cancel(Event event) {
    const std::uint32_t index = event.slot;
    if (event.order == 0 || index >= slots_made_ || slot(index).order != event.order) return false;
    // Moved out before it dies: what it holds may cancel or schedule in its destructor.
    const Action dying = std::move(slot(index).action);
    free_slot(index);
    --live_;
    if (keys_ > few_keys && live_ < keys_ / 2)
        keep_keys([this](const Key& key) { return live(key); });
    return true;
}

bool EventQueue::run_next(Running& running) {
    while (live_ > 0) {
        const Key key = take_first();
        Slot& found = slot(key.slot);
        if (found.order != key.order) continue;
        found.order = 0;
        --live_;
        now_ = key.at;
        running.now = Time::at(Duration::ps(key.at));
        running.by = static_cast<Party>((key.order >> sequence_bits) - 1);
        running.as = key.runs_as;
        if (live_ > many_events) fetch_ahead();
        const InSlot in_slot{*this, key.slot, found};
        found.action();
        return true;
    }
    keep_keys([](const Key&) { return false; });
    return false;
}

/// The key of an event that probably comes after so many others; null where that is hard to say.
const EventQueue::Key* EventQueue::ahead(std::size_t events) const {
    const std::size_t near = near_.size() - next_;
    if (events < near) return &near_[next_ + events];
    if (occupied_levels_ == 0) return nullptr;
    const unsigned level = first(occupied_levels_);
    const Keys& bucket = buckets_[level * digits + first(occupied_[level])];
    if (bucket.size() > most_near || events - near >= bucket.size()) return nullptr;
    return &bucket[events - near];
}

/// What the next events work on comes into the cache while this one runs: in a simulation of many
/// ranks, each event finds its rank's memory cold.
void EventQueue::fetch_ahead() {
    if (const Key* const key = ahead(far_ahead)) __builtin_prefetch(&slot(key->slot));
    if (const Key* const key = ahead(far_ahead / 2)) slot(key->slot).action.fetch();
}

inline EventQueue::Key EventQueue::take_first() {
    --keys_;
    if (!crowd_.empty() && (next_ == near_.size() || crowd_.front().before(near_[next_])))
        [[unlikely]]
        return take_from_crowd();
    if (next_ == near_.size()) refill();
    return near_[next_++];
}

/// Takes keys from the buckets into the list, which is empty: from as many buckets as it takes to
/// have some events to look ahead to.
void EventQueue::refill() {
    if (near_.capacity() > kept_room) Keys().swap(near_);
    near_.clear();
    next_ = 0;
    while (near_.size() < enough_near && occupied_levels_ != 0) {
        const unsigned level = first(occupied_levels_);
        const unsigned digit = first(occupied_[level]);
        Keys& bucket = buckets_[level * digits + digit];
        const bool few = bucket.size() <= most_near;
        if (!near_.empty() && !few) return;
        occupied_[level] &= occupied_[level] - 1;
        if (occupied_[level] == 0) occupied_levels_ &= occupied_levels_ - 1;
        if (level > 0 && !few) {
            near_.swap(bucket);
            const auto earlier = [](const Key& a, const Key& b) { return a.at < b.at; };
            filed_by_ = std::min_element(near_.begin(), near_.end(), earlier)->at;
            for (const Key& key : near_)
                file(key);
            near_.clear();
            continue;
        }
        std::sort(bucket.begin(), bucket.end(),
                  [](const Key& a, const Key& b) { return a.before(b); });
        // Those of the list may be filed again (spill), and none may be earlier than that.
        if (near_.empty()) filed_by_ = bucket.front().at;
        const auto here = static_cast<std::uint64_t>(bucket.front().at) >> level * digit_bits;
        const std::uint64_t end = (here + 1) << level * digit_bits;
        limit_ = static_cast<std::int64_t>(std::min<std::uint64_t>(end, end_of_time));
        if (near_.empty())
            near_.swap(bucket);
        else
            near_.insert(near_.end(), bucket.begin(), bucket.end());
        bucket.clear();
    }
}

template <class Keep>
void EventQueue::keep_keys(Keep keep) {
    const auto drop = [&](const Key& key) { return !keep(key); };
    near_.erase(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    std::erase_if(near_, drop);
    std::erase_if(crowd_, drop);
    std::make_heap(crowd_.begin(), crowd_.end(), comes_after);
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
