/// A lane whose packets faults can take. It follows each of them, and asks its watch at every part
/// of the network and at the gate; what is to be sent again leaves before all that is new.

#include <algorithm>

#include "interconnects/virtual/model/lane.hpp"

namespace railyard::model {

void Lane::watch(PacketWatch& watch) {
    watch_ = &watch;
    never_look_ahead();
}

/// A packet in the network has come to its stage; false if it goes no further.
bool Lane::survives(Packet& packet) {
    const Path& path = packet.route->path;
    if (packet.stage <= path.link) return true;
    Message& message = *packet.message;
    const Bytes size =
        message.payload(packet.index) + path.stages[packet.stage - std::size_t{1}].header;
    Fifo& part = packet.route->part(packet.stage - std::size_t{1});
    bool good = watch_->crosses(message, packet.round, part, size);
    if (good && packet.stage < path.gate) return true;
    good = good && watch_->accepts(message, packet.index);
    packet.round = 0;
    let_go(message);
    return good;
}

/// One reason less to keep it.
void Lane::let_go(Message& message) {
    --message.held;
    if (message.held == 0 && message.delivered && message.finished == message.packets)
        retire(&message);
}

void Lane::send_again(std::span<Message* const> messages) {
    for (std::size_t i = messages.size(); i-- > 0;)
        if (std::ranges::find(waiting_, messages[i]) == waiting_.end())
            waiting_.push_front(messages[i]);
    inject_now();
}

void Lane::skip_to(Message& message, std::uint32_t index) {
    if (message.injected >= index) return;
    message.injected = index;
    if (index == message.packets) std::erase(waiting_, &message);
}

void Lane::abandon(Message& message) {
    std::erase(waiting_, &message);
    Deliveries& deliveries = message.route->deliveries;
    Message* before = nullptr;
    for (Message* one = deliveries.oldest; one; before = one, one = one->behind) {
        if (one != &message) continue;
        (before ? before->behind : deliveries.oldest) = one->behind;
        if (deliveries.newest == one) deliveries.newest = before;
        break;
    }
    inject_now();
}

void Lane::reroute(Message& message, Route& route) {
    leave(*message.route);
    message.route = &route;
    join(route);
}

}  // namespace railyard::model
