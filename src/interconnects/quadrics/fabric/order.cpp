#include "interconnects/quadrics/fabric/order.hpp"

namespace railyard::quadrics {

using virtual_time::Kind;

namespace {

bool is_answer(Kind kind) {
    return kind == Kind::read_response || kind == Kind::atomic_response;
}

bool same(const virtual_time::End& one, const virtual_time::End& other) {
    return one.nic == other.nic && one.queue_pair == other.queue_pair;
}

}  // namespace

bool share_a_lane(const Message& one, const Message& other) {
    if (one.kind == Kind::control || other.kind == Kind::control) return true;
    if (is_answer(one.kind) != is_answer(other.kind)) return false;
    return same(one.from, other.from) && same(one.to, other.to);
}

void Order::add(Message& message) {
    Way& all = way(message.from.node, message.to.node);
    message.before = all.newest;
    message.behind = nullptr;
    (all.newest ? all.newest->behind : all.oldest) = &message;
    all.newest = &message;
}

void Order::arrived(Message& message) {
    message.is_there = true;
    ++way(message.from.node, message.to.node).waiting;
}

void Order::lost(Message& message) {
    remove(way(message.from.node, message.to.node), message);
}

void Order::remove(Way& way, Message& message) {
    (message.before ? message.before->behind : way.oldest) = message.behind;
    (message.behind ? message.behind->before : way.newest) = message.before;
    if (message.is_there) --way.waiting;
}

bool Order::is_its_turn(const Message& message) {
    for (const Message* earlier = message.before; earlier; earlier = earlier->before)
        if (share_a_lane(*earlier, message)) return false;
    return true;
}

Message* Order::take_next(fabric::NodeId from, fabric::NodeId to) {
    Way& all = way(from, to);
    std::size_t left = all.waiting;
    for (Message* message = all.oldest; message && left > 0; message = message->behind) {
        if (!message->is_there) continue;
        --left;
        if (!is_its_turn(*message)) continue;
        remove(all, *message);
        return message;
    }
    return nullptr;
}

}  // namespace railyard::quadrics
