#include "interconnects/virtual/model/adapter.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace railyard::model {

Time Processor::run_from(Time at, Duration work, Duration rest, std::string_view what,
                         std::uint64_t id) {
    const Time begin = std::max(at, time_.free_at);
    time_.free_at = begin + work + rest;
    time_.busy += work + rest;
    time_.show(what, begin, time_.free_at, id);
    return begin + work;
}

void Processor::run_when_idle(std::uint64_t peer, Duration work, sim::Action done) {
    const auto same = std::find_if(chores_.begin(), chores_.end(),
                                   [&](const Chore& chore) { return chore.peer == peer; });
    if (same != chores_.end()) {
        same->done.push_back(std::move(done));
        return;
    }
    Chore& chore = chores_.emplace_back();
    chore.peer = peer;
    chore.work = work;
    chore.done.push_back(std::move(done));
    if (!looks_later_) look_for_chores();
}

void Processor::look_for_chores() {
    looks_later_ = false;
    if (chores_.empty()) return;
    if (time_.free_at > engine_.now()) {
        looks_later_ = true;
        engine_.schedule(time_.free_at, [this] { look_for_chores(); });
        return;
    }
    doing_ = std::move(chores_.front());
    chores_.pop_front();
    time_.free_at = engine_.now() + doing_.work;
    time_.busy += doing_.work;
    time_.show("acknowledgment", engine_.now(), time_.free_at, doing_.peer);
    // Told before anything else is taken up, should more work come at that very moment.
    looks_later_ = true;
    engine_.schedule(time_.free_at, [this] {
        tell(doing_);
        look_for_chores();
    });
}

void Processor::tell(Chore& chore) {
    for (sim::Action& action : std::exchange(chore.done, {}))
        action();
}

void Processor::tell_now(std::uint64_t peer) {
    if (doing_.peer == peer) tell(doing_);
    for (std::size_t i = 0; i < chores_.size(); ++i)
        if (chores_[i].peer == peer) return tell(chores_[i]);
}

bool Cache::misses(std::uint64_t key) {
    if (entries_ == 0) return false;
    if (!order_.empty() && order_.front() == key) return false;
    if (const auto found = found_.find(key); found != found_.end()) {
        order_.splice(order_.begin(), order_, found->second);
        return false;
    }
    if (order_.size() == entries_) {
        // The oldest one's place serves for the new key: no allocation once the cache is full.
        auto node = found_.extract(order_.back());
        order_.splice(order_.begin(), order_, std::prev(order_.end()));
        order_.front() = key;
        node.key() = key;
        node.mapped() = order_.begin();
        found_.insert(std::move(node));
    } else {
        order_.push_front(key);
        found_.emplace(key, order_.begin());
    }
    return true;
}

void Cache::forget(std::uint64_t key) {
    const auto found = found_.find(key);
    if (found == found_.end()) return;
    order_.erase(found->second);
    found_.erase(found);
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
