/// A lane that meets others: every packet an event at every part.

#include <algorithm>

#include "interconnects/virtual/model/lane.hpp"

namespace railyard::model {

/// Another lane comes to one of our parts: from now on, packet by packet.
void Lane::disturb() {
    if (follows_) return;
    const sim::Engine::As as(engine_, node_);
    catch_up(so_far());
    follows_ = true;
    // What was foreseen may not come true.
    engine_.cancel(std::exchange(turn_event_, {}));
    for (Message* message : active_) {
        engine_.cancel(std::exchange(message->first_event, {}));
        engine_.cancel(std::exchange(message->done_event, {}));
        if (message->placed) complete_at_its_time(message);
    }
    const std::uint64_t known = std::min<std::uint64_t>(state_.departed, buffer_);
    for (std::uint64_t i = state_.departed - known; i != state_.departed; ++i)
        if (const Time left = state_.left[i % buffer_]; left > engine_.now()) {
            ++in_buffer_;
            leaves_link_at(left);
        }
    const std::vector<Packet> packets = std::exchange(state_.packets, {});
    for (const Packet& packet : packets) {
        if (packet.stage <= packet.route->path.link) {
            ++in_buffer_;
            ++before_link_;
        }
        const sim::Engine::As sender(engine_, sent_by(packet));
        follow(packet);
    }
    inject_now();
}

void Lane::complete_at_its_time(Message* message) {
    message->done_event =
        engine_.schedule_on(message->route->to, message->done_at, [this, message] {
            message->done_event = {};
            completed(message);
        });
}

void Lane::leaves_link_at(Time when) {
    engine_.schedule_on(node_, when, [this] {
        --in_buffer_;
        if (follows_) inject_now();
    });
}

/// Reads as many packets as the adapter has room for.
void Lane::inject_now() {
    while (!waiting_.empty()) {
        Message* const message = waiting_.front();
        if (message->injected == message->packets) {
            waiting_.pop_front();
            continue;
        }
        if (in_buffer_ >= buffer_) return;
        // What need not be read from memory must not overtake what is being read.
        if (!message->route->path.reads() && before_link_ > 0) return;
        ++in_buffer_;
        ++before_link_;
        if (message->round > 0) [[unlikely]] {
            ++message->held;
            watch_->injected(*message);
        }
        arrive(Packet(*message, message->injected++, engine_.now()));
    }
}

void Lane::follow(const Packet& packet) {
    // What the packet will look at is named first, so that it is fetched ahead of time
    // (sim::Action::fetch): with many nodes, all of it has gone cold.
    const Fifo* const part = packet.past_all() ? nullptr : &packet.route->part(packet.stage);
    const auto go_on = [part, message = packet.message, route = packet.route, this,
                        index = packet.index, stage = packet.stage, round = packet.round,
                        last = packet.last, full = packet.full] {
        static_cast<void>(part);
        Packet moving;
        moving.message = message;
        moving.route = route;
        moving.index = index;
        moving.stage = stage;
        moving.round = round;
        moving.last = last;
        moving.full = full;
        moving.ready = engine_.now();
        // Where it comes to the next part at once, and nobody else has anything to do now, it goes
        // on as it would by an event of its own.
        for (;;) {
            const sim::Engine::As as(engine_, where(moving));
            if (!pass(moving)) return;
            if (moving.ready > engine_.now() || !engine_.is_last_now()) return follow(moving);
        }
    };
    engine_.schedule_on(where(packet), packet.ready, go_on);
}

/// A packet has come to its stage.
void Lane::arrive(Packet packet) {
    if (pass(packet)) follow(packet);
}

/// The same; true if all that is left to do is to follow it on.
bool Lane::pass(Packet& packet) {
    if (packet.round > 0) [[unlikely]]
        if (!survives(packet)) return false;
    Message* const message = packet.message;
    const Path& path = packet.route->path;
    if (packet.stage == path.target) {
        if (!message->seen && packet.index == 0) reached_target(message);
        if (!message->admitted) {
            parked_.push_back(packet);
            return false;
        }
        packet.ready = engine_.now();
        if (message->dropped) packet.drop();
        if (packet.last && packet.past_all()) {
            message->done_at = packet.ready + path.visible;
            complete_at_its_time(message);
        }
    }
    if (!packet.past_all()) {
        const bool at_link = packet.stage == path.link;
        const Time end = serve<Mode::real>(packet);
        if (at_link) {
            --before_link_;
            leaves_link_at(end);
        }
        if (packet.last && packet.past_all() && packet.stage > path.target)
            complete_at_its_time(message);
        const bool goes_on = !packet.past_all() || packet.stage == path.target;
        if (goes_on && !at_link) return true;
        if (goes_on) follow(packet);
        if (at_link) inject_now();
        if (goes_on) return false;
    }
    if (++message->finished == message->packets && message->delivered && message->held == 0)
        retire(message);
    return false;
}

}  // namespace railyard::model
