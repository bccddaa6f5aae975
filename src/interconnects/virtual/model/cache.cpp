#include "interconnects/virtual/model/cache.hpp"

namespace railyard::model {

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

}  // namespace railyard::model
