#include "interconnects/virtual/model/adapter.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace railyard::model {

Time Processor::run_from(Time at, Duration work, Duration rest, std::string_view what,
                         std::uint64_t id) {
    advance(at);
    const Time begin = std::max(at, time_.free_at);
    time_.free_at = begin + work + rest;
    time_.busy += work + rest;
    time_.show(what, begin, time_.free_at, id);
    return begin + work;
}

void Processor::acknowledge(Time at, std::uint64_t peer, Duration work, sim::Action done,
                            Hearing hearing) {
    auto place = chores_.end();
    while (place != chores_.begin() && std::prev(place)->at > at)
        --place;
    chores_.insert(place, {at, peer, work, std::move(done), hearing});
    if (hearing == Hearing::later) return;
    ++heard_by_event_;
    look_at(at + work);
}

/// Deals with all that can be begun before that time.
void Processor::advance(Time until) {
    std::size_t first = 0;
    for (; first < chores_.size(); ++first) {
        const Chore& chore = chores_[first];
        if (chore.at == Time::never()) continue;  // it went with another of its peer
        if (chore.work == Duration{}) {
            if (chore.at > until) break;
            done_.push_back({chore.at, chore.peer, std::move(chores_[first].done), chore.hearing});
            continue;
        }
        const Time start = std::max(chore.at, time_.free_at);
        if (start >= until) break;
        begin(first, start);
    }
    chores_.erase(chores_.begin(), chores_.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Takes up that one, with what else has come from its peer before.
void Processor::begin(std::size_t first, Time start) {
    const std::uint64_t peer = chores_[first].peer;
    const Duration work = chores_[first].work;
    time_.free_at = start + work;
    time_.busy += work;
    time_.show("acknowledgment", start, time_.free_at, peer);
    for (std::size_t i = first; i < chores_.size(); ++i) {
        Chore& chore = chores_[i];
        if (chore.at == Time::never()) continue;
        if (i > first && chore.at >= start) break;
        if (chore.peer != peer) continue;
        done_.push_back({time_.free_at, peer, std::move(chore.done), chore.hearing});
        chore.at = Time::never();
    }
}

void Processor::tell() {
    constexpr std::size_t kept = 64;
    advance(engine_.now());
    while (told_ < done_.size() && done_[told_].at <= engine_.now()) {
        Done one = std::move(done_[told_++]);
        if (one.hearing == Hearing::event) --heard_by_event_;
        if (told_ == done_.size() || told_ == kept) {
            done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(told_));
            told_ = 0;
        }
        if (one.done) one.done();
    }
}

void Processor::tell_by_events() {
    const auto change = [this](auto& one) {
        if (one.hearing == Hearing::event) return;
        one.hearing = Hearing::event;
        ++heard_by_event_;
    };
    std::for_each(chores_.begin(), chores_.end(), change);
    std::for_each(done_.begin() + static_cast<std::ptrdiff_t>(told_), done_.end(), change);
    if (told_ < done_.size())
        look_at(done_[told_].at);
    else if (heard_by_event_ > 0)
        look_at(engine_.now());
}

/// Told before anything else is taken up, should more work come at that very moment.
void Processor::look() {
    next_look_ = Time::never();
    tell();
    if (heard_by_event_ == 0) return;
    if (told_ < done_.size()) return look_at(done_[told_].at);
    const auto next =
        std::ranges::find_if(chores_, [](const Chore& chore) { return chore.at != Time::never(); });
    look_at(std::max(next->at, next->work > Duration{} ? time_.free_at : Time()) + next->work);
}

void Processor::look_at(Time at) {
    at = std::max(at, engine_.now());
    if (at >= next_look_) return;
    next_look_ = at;
    engine_.schedule_on(node_, at, [this] {
        // One that was to come later has been overtaken.
        if (next_look_ <= engine_.now()) look();
    });
}

void Processor::tell_now(std::uint64_t peer) {
    tell();
    std::vector<sim::Action> due;
    const auto take = [&](auto& one) {
        if (one.peer == peer && one.done) due.push_back(std::move(one.done));
    };
    std::for_each(done_.begin() + static_cast<std::ptrdiff_t>(told_), done_.end(), take);
    for (Chore& chore : chores_)
        if (chore.at <= engine_.now()) take(chore);
    for (sim::Action& done : due)
        done();
}

void Processor::stop() {
    for (Chore& chore : chores_)
        chore.done.reset();
    for (Done& done : done_)
        done.done.reset();
}

std::size_t Cache::home(std::uint64_t key) const {
    // The upper bits of the product: keys mostly differ in a few of their own, low or high.
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 32) & (places_.size() - 1);
}

/// Where it is, or else the empty place where it would be.
std::size_t Cache::place_of(std::uint64_t key) const {
    std::size_t place = home(key);
    while (places_[place] != none && entries_[places_[place]].key != key)
        place = (place + 1) & (places_.size() - 1);
    return place;
}

/// Those behind it that it had put off move up.
void Cache::take_out(std::size_t place) {
    const std::size_t mask = places_.size() - 1;
    for (std::size_t next = (place + 1) & mask; places_[next] != none; next = (next + 1) & mask) {
        const std::size_t wanted = home(entries_[places_[next]].key);
        if (((next - wanted) & mask) < ((next - place) & mask)) continue;
        places_[place] = places_[next];
        place = next;
    }
    places_[place] = none;
}

void Cache::unlink(std::uint32_t entry) {
    const Entry& one = entries_[entry];
    (one.newer != none ? entries_[one.newer].older : newest_) = one.older;
    (one.older != none ? entries_[one.older].newer : oldest_) = one.newer;
}

void Cache::make_newest(std::uint32_t entry) {
    entries_[entry].newer = none;
    entries_[entry].older = newest_;
    (newest_ != none ? entries_[newest_].newer : oldest_) = entry;
    newest_ = entry;
}

void Cache::grow() {
    places_.assign(std::max<std::size_t>(8, places_.size() * 2), none);
    for (std::uint32_t entry = newest_; entry != none; entry = entries_[entry].older)
        places_[place_of(entries_[entry].key)] = entry;
}

bool Cache::misses(std::uint64_t key) {
    if (most_ == 0) return false;
    if (newest_ != none && entries_[newest_].key == key) return false;
    if (places_.size() < 2 * (entries_.size() + 1)) grow();
    std::size_t place = place_of(key);
    if (const std::uint32_t known = places_[place]; known != none) {
        unlink(known);
        make_newest(known);
        return false;
    }
    std::uint32_t entry = forgotten_;
    if (entry != none) {
        forgotten_ = entries_[entry].older;
    } else if (entries_.size() == most_) {
        entry = oldest_;
        unlink(entry);
        take_out(place_of(entries_[entry].key));
        place = place_of(key);
    } else {
        entry = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
    }
    entries_[entry].key = key;
    places_[place] = entry;
    make_newest(entry);
    return true;
}

void Cache::forget(std::uint64_t key) {
    if (places_.empty()) return;
    const std::size_t place = place_of(key);
    const std::uint32_t entry = places_[place];
    if (entry == none) return;
    take_out(place);
    unlink(entry);
    entries_[entry].older = forgotten_;
    forgotten_ = entry;
}

namespace {
std::uint64_t region_key(std::uint32_t nic, std::uint64_t region) {
    return std::uint64_t{nic} << 40 | region;
}
}  // namespace

Duration PageTable::touch(std::uint64_t region, std::uint64_t page) {
    Duration cost;
    if (parameters_.first_use > Duration{}) {
        std::vector<bool>& known = known_[region];
        if (known.size() <= page) known.resize(page + 1);
        if (!known[page]) cost += parameters_.first_use;
        known[page] = true;
    }
    // Regions and pages mixed into one word: a page number has less than 2^24 values in 1 GiB.
    if (cache_.misses(region << 24 ^ page)) cost += parameters_.miss;
    return cost;
}

void PageTable::use(std::uint32_t nic, std::span<const virtual_time::Extent> extents, Bytes packet,
                    std::vector<Duration>& extra) {
    if (parameters_.entries == 0 && parameters_.first_use == Duration{}) return;
    const std::uint64_t page_size = parameters_.page.count();
    Bytes size;
    for (const virtual_time::Extent& extent : extents)
        size += extent.length;
    Bytes before;  // of the message
    for (const virtual_time::Extent& extent : extents) {
        if (extent.home == fabric::Home::host && extent.length > Bytes()) {
            const std::uint64_t key = region_key(nic, extent.region);
            const std::uint64_t first = extent.offset.count() / page_size;
            const std::uint64_t last =
                (extent.offset + extent.length - Bytes(1)).count() / page_size;
            for (std::uint64_t page = first; page <= last; ++page) {
                const Duration cost = touch(key, page);
                if (cost == Duration{}) continue;
                if (extra.empty())
                    extra.resize(static_cast<std::size_t>((size.count() + packet.count() - 1) /
                                                          packet.count()));
                const std::uint64_t at = before.count() +
                                         std::max(page * page_size, extent.offset.count()) -
                                         extent.offset.count();
                extra[static_cast<std::size_t>(at / packet.count())] += cost;
            }
        }
        before += extent.length;
    }
}

void PageTable::forget(std::uint32_t nic, std::uint64_t region) {
    known_.erase(region_key(nic, region));
}

}  // namespace railyard::model
