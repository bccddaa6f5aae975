#include "interconnects/virtual/model/route.hpp"

#include <algorithm>
#include <iterator>

namespace railyard::model {

void Fifo::load(const Load& load, Time now) {
    constexpr std::size_t most = 16;
    busy += load.time;
    auto place = loads_.end();
    while (place != loads_.begin() + static_cast<std::ptrdiff_t>(merged_) &&
           std::prev(place)->from > load.from)
        --place;
    loads_.insert(place, load);
    has_loads_ = true;
    if (loads_.size() < most) return;
    merge(now, true);
    loads_.erase(loads_.begin(), loads_.begin() + static_cast<std::ptrdiff_t>(merged_));
    merged_ = 0;
}

/// All of their turns that begin before that. Each is over when those before it are, and its time
/// after it began; as they come less often than they take, the last one's beginning is all that
/// counts beside what it found.
void Fifo::merge_others(Time before, bool real) {
    if (others_.next >= before) return;
    const std::int64_t period = others_.period.picoseconds();
    const std::int64_t many = ((before - others_.next).picoseconds() + period - 1) / period;
    const Time one_by_one = free_at + others_.time * many;
    const Time last = others_.next + others_.period * (many - 1) + others_.time;
    others_.next = others_.next + others_.period * many;
    free_at = std::max(one_by_one, last);
    if (!real) return;
    const Duration shown = one_by_one > last ? others_.time * many : others_.time;
    show("other devices", Time::at(free_at.since_start() - shown), free_at, 0);
}

Route::Route(const Path& its_path, const Way& way, Deliveries& its_deliveries)
    : path(its_path), deliveries(its_deliveries) {
    const std::size_t count = way.parts.size() + way.loaded.size();
    if (count > few) {
        many_ = std::make_unique<Fifo*[]>(count);
        parts_ = many_.get();
    }
    std::copy(way.loaded.begin(), way.loaded.end(),
              std::copy(way.parts.begin(), way.parts.end(), parts_));
    for (std::size_t i = 1; i < count; ++i)
        meets_itself = meets_itself || std::find(parts_, parts_ + i, parts_[i]) != parts_ + i;
}

Route* Routes::find(std::uint64_t key) {
    const auto found = routes_.find(key);
    if (found == routes_.end()) return nullptr;
    Route& route = found->second;
    if (route.users++ == 0) take_from_idle(route);
    return &route;
}

Route& Routes::make(std::uint64_t key, fabric::NodeId to, const Path& path, const Way& way) {
    Destination& destination = destinations_[to];
    ++destination.routes;
    Route& route = routes_.try_emplace(key, path, way, destination.deliveries).first->second;
    route.key = key;
    route.to = to;
    route.users = 1;
    return route;
}

void Routes::give_back(Route& route) {
    if (--route.users > 0) return;
    route.idle_before = newest_idle_;
    route.idle_behind = nullptr;
    (newest_idle_ ? newest_idle_->idle_behind : oldest_idle_) = &route;
    newest_idle_ = &route;
    if (++idle_ > idle_kept) drop(*oldest_idle_);
}

void Routes::take_from_idle(Route& route) {
    (route.idle_before ? route.idle_before->idle_behind : oldest_idle_) = route.idle_behind;
    (route.idle_behind ? route.idle_behind->idle_before : newest_idle_) = route.idle_before;
    --idle_;
}

/// With nothing under way, the past of its destination means nothing either: whatever is admitted
/// next is admitted later than all that was.
void Routes::drop(Route& route) {
    take_from_idle(route);
    const auto destination = destinations_.find(route.to);
    if (--destination->second.routes == 0) destinations_.erase(destination);
    routes_.erase(route.key);
}

}  // namespace railyard::model
