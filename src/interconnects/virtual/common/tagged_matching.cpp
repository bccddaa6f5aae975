#include "interconnects/virtual/common/tagged_matching.hpp"

#include <algorithm>
#include <utility>

namespace railyard::virtual_time {

namespace {

bool selects(const fabric::TaggedReceive& receive, const TaggedMessage& message) {
    return (receive.from == fabric::any_peer || receive.from == message.source) &&
           ((receive.bits ^ message.bits) & receive.mask) == 0;
}

void give(TaggedMessage& message, const fabric::TaggedReceive& receive) {
    message.receive = receive;
    message.matched = true;
}

template <class Queue, class Iterator>
std::size_t passed_over(const Queue& queue, Iterator found) {
    return static_cast<std::size_t>(found - queue.begin());
}

}  // namespace

std::size_t TaggedMatching::arrive(const Message& message) {
    const auto found =
        std::find_if(posted_.begin(), posted_.end(),
                     [&](const fabric::TaggedReceive& waits) { return selects(waits, *message); });
    const std::size_t passed = passed_over(posted_, found);
    if (found == posted_.end()) {
        unexpected_.push_back(message);
    } else {
        give(*message, *found);
        posted_.erase(found);
    }
    return passed;
}

TaggedMatching::Found TaggedMatching::post(const fabric::TaggedReceive& receive) {
    const auto found =
        std::find_if(unexpected_.begin(), unexpected_.end(),
                     [&](const Message& message) { return selects(receive, *message); });
    Found result{nullptr, passed_over(unexpected_, found)};
    if (found == unexpected_.end()) {
        posted_.push_back(receive);
    } else {
        give(**found, receive);
        result.message = std::move(*found);
        unexpected_.erase(found);
    }
    return result;
}

TaggedMatching::Message TaggedMatching::find(const fabric::TaggedReceive& receive) const {
    const auto found =
        std::find_if(unexpected_.begin(), unexpected_.end(),
                     [&](const Message& message) { return selects(receive, *message); });
    return found == unexpected_.end() ? nullptr : *found;
}

std::optional<fabric::TaggedReceive> TaggedMatching::withdraw(std::uint64_t id) {
    const auto found =
        std::find_if(posted_.begin(), posted_.end(),
                     [&](const fabric::TaggedReceive& waits) { return waits.id == id; });
    if (found == posted_.end()) return std::nullopt;
    const fabric::TaggedReceive receive = *found;
    posted_.erase(found);
    return receive;
}

std::deque<TaggedMatching::Message> TaggedMatching::clear() {
    posted_.clear();
    return std::exchange(unexpected_, {});
}

TaggedRegistrations::Work TaggedRegistrations::use(std::span<const std::byte> buffer) {
    const auto same = std::find_if(kept_.begin(), kept_.end(), [&](const auto& other) {
        return other.data() == buffer.data() && other.size() == buffer.size();
    });
    if (same != kept_.end()) {
        std::rotate(same, same + 1, kept_.end());
        return {};
    }
    Work work{Bytes(buffer.size()), std::nullopt};
    kept_.push_back(buffer);
    if (kept_.size() > capacity_) {
        work.deregistered = Bytes(kept_.front().size());
        kept_.erase(kept_.begin());
    }
    return work;
}

}  // namespace railyard::virtual_time
