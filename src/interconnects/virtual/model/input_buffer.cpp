#include "interconnects/virtual/model/input_buffer.hpp"

#include <algorithm>
#include <utility>

namespace railyard::model {

namespace {

template <class Queue>
auto take_first(Queue& queue) {
    auto first = std::move(queue.front());
    queue.pop_front();
    return first;
}

}  // namespace

void InputBuffer::count_until(Time time) {
    for (; !returning_.empty() && returning_.front().at <= time; returning_.pop_front())
        taken_ -= returning_.front().size;
}

bool InputBuffer::has_credit(Bytes packet) {
    count_until(engine_.now());
    return senders_.empty() && taken_ + packet <= size_;
}

void InputBuffer::wait_for_credit(sim::Engine::Node node, Bytes packet, sim::Action go) {
    senders_.push_back({node, packet, std::move(go)});
    set_alarm();
}

void InputBuffer::take(Bytes packet, Time begin) {
    count_until(begin);
    taken_ += packet;
}

void InputBuffer::give_back(Bytes packet, Time at) {
    auto place = returning_.end();
    while (place != returning_.begin() && std::prev(place)->at > at)
        --place;
    returning_.insert(place, {at, packet});
    set_alarm();
}

void InputBuffer::set_alarm() {
    if (alarm_ || senders_.empty() || returning_.empty()) return;
    alarm_ = true;
    engine_.schedule_on(senders_.front().node, returning_.front().at, [this] { hand_out(); });
}

void InputBuffer::hand_out() {
    alarm_ = false;
    count_until(engine_.now());
    while (!senders_.empty() && taken_ + senders_.front().size <= size_) {
        Waiting first = take_first(senders_);
        const sim::Engine::As as(engine_, first.node);
        first.go();
    }
    set_alarm();
}

bool InputBuffer::is_clear() const {
    return !held_ && behind_.empty() && busy_until_ <= engine_.now();
}

void InputBuffer::wait_behind(sim::Engine::Node node, sim::Action go) {
    behind_.push_back({node, {}, std::move(go)});
    if (behind_.size() == 1 && !held_) engine_.schedule_on(node, busy_until_, [this] { next(); });
}

void InputBuffer::leave(Bytes packet, Time end) {
    held_ = false;
    busy_until_ = end;
    if (!behind_.empty()) engine_.schedule_on(behind_.front().node, end, [this] { next(); });
    give_back(packet, end + credit_);
}

void InputBuffer::next() {
    Waiting first = take_first(behind_);
    const sim::Engine::As as(engine_, first.node);
    first.go();
}

void InputBuffer::shift(Duration by) {
    busy_until_ = busy_until_ + by;
    for (Credit& credit : returning_)
        credit.at = credit.at + by;
}

}  // namespace railyard::model
