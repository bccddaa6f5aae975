#include "interconnects/virtual/model/lane.hpp"

#include <algorithm>

namespace railyard::model {

Lane::Lane(sim::Engine& engine, fabric::NodeId node, unsigned buffer)
    : engine_(engine), node_(node), buffer_(buffer) {
    state_.left.resize(buffer);
}

void Lane::submit(Message* message) {
    Route& route = *message->route;
    const std::uint64_t size = message->size.count();
    const std::uint64_t packet = route.path.packet.count();
    message->packets =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (size + packet - 1) / packet));
    message->injected = message->finished = 0;
    message->seen = message->admitted = message->dropped = message->placed = false;
    message->complete = message->delivered = false;
    message->round = 0;
    message->held = 0;
    active_.push_back(message);
    Deliveries& deliveries = route.deliveries;
    message->behind = nullptr;
    (deliveries.oldest ? deliveries.newest->behind : deliveries.oldest) = message;
    deliveries.newest = message;
    join(route);
    if (watch_) watch_->submitted(*message);
    waiting_.push_back(message);
    if (follows_)
        inject_now(false);
    else if (waiting_.size() == 1)
        begin_turn();
}

/// The lane has business with the parts of that route. Those who load a part meet those who use it,
/// but not each other: what they add up to does not depend on who comes first. (More than one load
/// a part only if they meet elsewhere, so one has to be known.)
void Lane::join(Route& route) {
    if (route.messages++ > 0) return;
    bool alone = !route.meets_itself;
    const auto meet = [&](unsigned others, Lane*& sole) {
        if (others == 0 || sole == this) return;
        alone = false;
        if (Lane* const other = std::exchange(sole, nullptr)) other->disturb();
    };
    const auto count_in = [this](unsigned& users, Lane*& sole) {
        if (users++ == 0)
            sole = this;
        else if (sole != this)
            sole = nullptr;
    };
    for (Fifo* const part : route.parts()) {
        meet(part->users, part->sole);
        meet(part->loaders, part->sole_loader);
        count_in(part->users, part->sole);
    }
    for (Fifo* const part : route.loaded()) {
        meet(part->users, part->sole);
        count_in(part->loaders, part->sole_loader);
    }
    if (!alone) disturb();
}

void Lane::leave(Route& route) {
    if (--route.messages > 0) return;
    for (Fifo* const part : route.parts())
        if (--part->users == 0) part->sole = nullptr;
    for (Fifo* const part : route.loaded())
        if (--part->loaders == 0) part->sole_loader = nullptr;
}

/// What a packet on that link needs credit of. Null: of nothing, or it stays nowhere behind it.
InputBuffer* Lane::buffer_behind(const Packet& packet, std::size_t link) {
    const Path& path = packet.route->path;
    if (link + 1 == path.target && !path.writes()) return nullptr;
    return packet.route->part(link).buffer.get();
}

/// On a link: credit of what it leads to is taken, and that of the switch before comes back. At the
/// last part of all, that of the adapter does.
void Lane::use_credit(const Packet& packet, Bytes payload, Time begin, Time end) {
    const Path& path = packet.route->path;
    const std::size_t stage = packet.stage;
    if (stage + 1 == path.stages.size() && stage >= path.target)
        leave_adapter(packet, payload, end);
    if (stage < path.link || stage >= path.target) return;
    const Bytes size = payload + path.stages[stage].header;
    if (InputBuffer* const ahead = buffer_behind(packet, stage)) ahead->take(size, begin);
    if (stage == path.link) return;
    if (InputBuffer* const behind = buffer_behind(packet, stage - 1)) behind->leave(size, end);
}

void Lane::leave_adapter(const Packet& packet, Bytes payload, Time end) {
    const Path& path = packet.route->path;
    const std::size_t last_link = path.target - 1;
    if (InputBuffer* const adapter = buffer_behind(packet, last_link))
        adapter->take_out(payload + path.stages[last_link].header, end);
}

void Lane::reached_target(Message* message) {
    message->seen = true;
    sim::Action first = std::move(message->first);
    first();
}

/// All of it is in memory; it is done once that holds for all before it.
void Lane::completed(Message* message) {
    message->complete = true;
    Deliveries& deliveries = message->route->deliveries;
    while (deliveries.oldest && deliveries.oldest->complete) {
        Message* const first = deliveries.oldest;
        deliveries.oldest = first->behind;
        const bool others = deliveries.oldest != nullptr;
        first->delivered = true;
        sim::Action done = std::move(first->done);
        done();
        if (first->finished == first->packets && first->held == 0) retire(first);
        if (!others) return;  // and perhaps the deliveries are gone with their last message
    }
}

/// What is behind it does not wait for it.
void Lane::not_delivered(Message& message) {
    Deliveries& deliveries = message.route->deliveries;
    Message* before = nullptr;
    for (Message* one = deliveries.oldest; one; before = one, one = one->behind) {
        if (one != &message) continue;
        (before ? before->behind : deliveries.oldest) = one->behind;
        if (deliveries.newest == one) deliveries.newest = before;
        break;
    }
}

void Lane::stop(Message& message) {
    if (std::ranges::find(waiting_, &message) == waiting_.end()) return;
    disturb();
    if (message.injected == message.packets) return;
    // What is behind it has its turn when a packet leaves the adapter, which was full of this one's
    // or of one's before it.
    std::erase(waiting_, &message);
    not_delivered(message);
    message.packets = message.injected;
    message.size = message.route->path.packet * message.packets;
    message.delivered = true;
    if (message.finished == message.packets) retire(&message);
}

void Lane::retire(Message* message) {
    leave(*message->route);
    // Mostly the oldest one.
    active_.erase(std::find(active_.begin(), active_.end(), message));
    if (active_.empty()) {
        follows_ = always_follows_;
        state_.sequence = state_.departed = 0;
        state_.at_link = engine_.now();
    }
    message->retired();
}

/// A lane whose packets faults can take. It follows each of them, and asks its watch at every part
/// of the network and at the target; what is to be sent again leaves before all that is new.

void Lane::watch(PacketWatch& watch) {
    watch_ = &watch;
    foresee_nothing();
}

/// A packet in the network has come to its stage; false if it goes no further.
bool Lane::survives(Packet& packet) {
    const Path& path = packet.route->path;
    if (packet.stage <= path.link) return true;
    Message& message = *packet.message;
    const Bytes size =
        message.payload(packet.index) + path.stages[packet.stage - std::size_t{1}].header;
    const std::size_t link = packet.stage - std::size_t{1};
    bool good = watch_->crosses(message, packet.round, packet.route->part(link), size);
    if (good && packet.stage < path.target) return true;
    good = good && watch_->accepts(message, packet.index);
    if (InputBuffer* const lost = good ? nullptr : buffer_behind(packet, link)) lost->lose(size);
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
    inject_now(false);
}

void Lane::skip_to(Message& message, std::uint32_t index) {
    if (message.injected >= index) return;
    message.injected = index;
    if (index == message.packets) std::erase(waiting_, &message);
}

void Lane::abandon(Message& message) {
    std::erase(waiting_, &message);
    not_delivered(message);
    inject_now(false);
}

void Lane::reroute(Message& message, Route& route) {
    leave(*message.route);
    message.route = &route;
    join(route);
}

}  // namespace railyard::model
