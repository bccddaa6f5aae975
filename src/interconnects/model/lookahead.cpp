/// A lane that has its parts to itself. What will happen is rehearsed: the packets are run through
/// their stages, the moments that matter are noted, and the parts are put back as they were. What
/// has happened is caught up with when somebody looks.

#include <algorithm>

#include "interconnects/model/lane.hpp"

namespace railyard::model {

/// The next packet of the message that has its turn, if it can be read by then.
inline bool Lane::inject(State& state, Message* message, Time until, Packet& packet) {
    if (state.injected == message->packets) return false;
    Time at = message->turn_at;
    if (state.sequence >= buffer_) {
        if (state.departed + buffer_ <= state.sequence) return false;
        at = std::max(at, state.left[state.sequence % buffer_]);
    }
    // What need not be read from memory must not overtake what is being read.
    if (!message->route->reads()) {
        if (state.departed < state.sequence) return false;
        at = std::max(at, state.at_link);
    }
    if (at > until) return false;
    packet = {message, state.injected++, 0, at};
    ++state.sequence;
    return true;
}

/// Takes a packet through its stages, as far as it gets by then.
template <Lane::Mode mode>
inline void Lane::run(State& state, Packet& packet, Time until) {
    Message& message = *packet.message;
    const Route& route = *message.route;
    for (;;) {
        if (packet.stage == route.gate) {
            if (!message.open) return;
            packet.ready = std::max(packet.ready, message.opened_at);
            if (route.gate == route.placed && packet.index + 1 == message.packets) {
                message.done_at = packet.ready + route.visible;
                if constexpr (mode == Mode::real) message.placed = true;
            }
        }
        if (packet.stage == route.stages.size() || packet.ready > until) return;
        if (packet.stage != route.link) {
            serve<mode>(packet);
            continue;
        }
        state.at_link = packet.ready;
        state.left[state.departed++ % buffer_] = serve<mode>(packet);
    }
}

/// Brings the lane up to now.
void Lane::catch_up() {
    const Time now = engine_.now();
    std::size_t kept = 0;
    const auto keep = [&](const Packet& packet) {
        if (packet.stage < packet.message->route->stages.size() ||
            (packet.stage == packet.message->route->gate && !packet.message->open))
            return true;
        ++packet.message->finished;
        return false;
    };
    for (Packet& packet : state_.packets) {
        run<Mode::real>(state_, packet, now);
        if (keep(packet)) state_.packets[kept++] = packet;
    }
    state_.packets.resize(kept);
    if (waiting_.empty()) return;
    Message* const message = waiting_.front();
    for (Packet packet; inject(state_, message, now, packet);) {
        run<Mode::real>(state_, packet, now);
        if (keep(packet)) state_.packets.push_back(packet);
    }
    message->injected = state_.injected;
}

/// The front message may leave: when does its first packet reach the gate, and when may the next
/// message leave?
void Lane::begin_turn() {
    Message* const message = waiting_.front();
    message->turn_at = engine_.now();
    state_.injected = 0;
    catch_up();
    foresee_departure(message);
}

void Lane::begin_rehearsal(const Route& route) {
    const auto save = [this](const Route& some) {
        for (const Stage& stage : some.stages)
            before_rehearsal_.emplace_back(stage.fifo, stage.fifo->free_at);
    };
    save(route);
    const Route* last = &route;
    for (const Packet& packet : state_.packets) {
        if (packet.message->route == last) continue;
        last = packet.message->route;
        save(*last);
    }
    rehearsal_ = state_;
}

void Lane::end_rehearsal() {
    for (const auto& [fifo, free_at] : before_rehearsal_)
        fifo->free_at = free_at;
    before_rehearsal_.clear();
}

void Lane::foresee_departure(Message* message) {
    begin_rehearsal(*message->route);
    Time first;
    for (Packet& packet : rehearsal_.packets) {
        run<Mode::dry>(rehearsal_, packet, Time::never());
        if (packet.message == message && packet.index == 0) first = packet.ready;
    }
    Time turn_over = engine_.now();
    for (Packet packet; inject(rehearsal_, message, Time::never(), packet);) {
        turn_over = packet.ready;
        run<Mode::dry>(rehearsal_, packet, Time::never());
        if (packet.index == 0) first = packet.ready;
    }
    end_rehearsal();
    message->first_event = engine_.schedule(first, [this, message] {
        message->first_event = {};
        reached_gate(message);
    });
    // Its turn is over with its last packet, and the next message's begins.
    turn_event_ = engine_.schedule(turn_over, [this] {
        catch_up();
        waiting_.pop_front();
        if (!waiting_.empty()) begin_turn();
    });
}

void Lane::open(Message* message) {
    message->open = true;
    message->opened_at = engine_.now();
    if (!follows_) return foresee_delivery(message);
    std::vector<Packet> released;
    const auto its = [&](const Packet& packet) { return packet.message == message; };
    std::copy_if(parked_.begin(), parked_.end(), std::back_inserter(released), its);
    std::erase_if(parked_, its);
    for (const Packet& packet : released)
        arrive(packet);
}

void Lane::foresee_delivery(Message* message) {
    catch_up();
    begin_rehearsal(*message->route);
    for (Packet& packet : rehearsal_.packets)
        run<Mode::dry>(rehearsal_, packet, Time::never());
    if (!waiting_.empty() && waiting_.front() == message)
        for (Packet packet; inject(rehearsal_, message, Time::never(), packet);)
            run<Mode::dry>(rehearsal_, packet, Time::never());
    end_rehearsal();
    message->done_event = engine_.schedule(message->done_at, [this, message] {
        message->done_event = {};
        delivered(message);
    });
}

/// What nobody waits for, its acknowledgments, is settled at once, so that the lane comes to rest.
void Lane::delivered(Message* message) {
    catch_up();
    std::erase_if(state_.packets, [&](Packet& packet) {
        if (packet.message != message) return false;
        run<Mode::real>(state_, packet, Time::never());
        ++message->finished;
        return true;
    });
    completed(message);
}

}  // namespace railyard::model
