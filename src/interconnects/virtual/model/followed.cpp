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
        if (const Time left = state_.left[i % buffer_]; left > engine_.now())
            leaving_.push_back(left);
    const std::vector<Packet> packets = std::exchange(state_.packets, {});
    for (const Packet& packet : packets) {
        if (packet.stage <= packet.route->path.link) ++before_link_;
        const sim::Engine::As sender(engine_, sent_by(packet));
        Packet followed = packet;
        if (link_is_foreseen(followed)) serve_at_link(followed);
        rest(followed);
    }
    inject_now(false);
}

void Lane::complete_at_its_time(Message* message) {
    message->done_event =
        engine_.schedule_on(message->route->to, message->done_at, [this, message] {
            message->done_event = {};
            completed(message);
        });
}

/// More packets can be read then.
void Lane::inject_at(Time at) {
    if (at >= inject_at_) return;
    inject_at_ = at;
    engine_.schedule_on(node_, at, [this] {
        inject_at_ = Time::never();
        if (follows_) inject_now(true);
    });
}

/// Whose packet can be read now; null: nobody's. If it is known when one can, it is seen to.
Message* Lane::next_to_inject() {
    while (!waiting_.empty() && waiting_.front()->injected == waiting_.front()->packets)
        waiting_.pop_front();
    if (waiting_.empty()) return nullptr;
    Message* const message = waiting_.front();
    if (!leaving_.empty() && leaving_.front() <= engine_.now())
        leaving_.erase(leaving_.begin(), std::ranges::upper_bound(leaving_, engine_.now()));
    if (before_link_ + leaving_.size() >= buffer_) {
        // The adapter is full: of packets that leave it when is known, or will be.
        if (!leaving_.empty()) inject_at(leaving_.front());
        return nullptr;
    }
    // What need not be read from memory must not overtake what is being read.
    if (message->route->path.reads()) return message;
    if (before_link_ > 0) return nullptr;
    if (at_link_ <= engine_.now()) return message;
    inject_at(at_link_);
    return nullptr;
}

/// Reads as many packets as the adapter has room for; `last_act`: nothing more is done by the
/// present event.
void Lane::inject_now(bool last_act) {
    for (Message* message = next_to_inject(); message; message = next_to_inject()) {
        ++before_link_;
        if (message->round > 0) [[unlikely]] {
            ++message->held;
            watch_->injected(*message);
        }
        Packet packet(*message, message->injected++, engine_.now());
        go_on(packet, last_act && !next_to_inject());
    }
}

Lane::Packet Lane::Resting::awake() const {
    Packet packet;
    packet.message = message;
    packet.route = route;
    packet.index = index;
    packet.stage = stage;
    packet.round = round;
    packet.last = last;
    packet.full = full;
    packet.ready = lane->engine_.now();
    return packet;
}

/// Is the link next, and is known what becomes of the packet there?
bool Lane::link_is_foreseen(const Packet& packet) const {
    const Path& path = packet.route->path;
    return packet.stage == path.link && path.link_is_foreseen && foresees_;
}

/// The packet is served at the link, to which it comes now, or later if that is foreseen.
void Lane::serve_at_link(Packet& packet) {
    at_link_ = packet.ready;
    const Time end = serve<Mode::real>(packet);
    --before_link_;
    leaving_.push_back(end);
    // Out of turn only where one that goes to the node itself leaves by another way.
    for (std::size_t i = leaving_.size() - 1; i > 0 && leaving_[i - 1] > end; --i)
        std::swap(leaving_[i - 1], leaving_[i]);
}

/// It comes to its next stage later, or behind others.
void Lane::follow(Packet& packet, bool last_act) {
    if (!link_is_foreseen(packet)) return rest(packet);
    serve_at_link(packet);
    rest(packet);
    inject_now(last_act);
}

/// Until it comes to its stage.
void Lane::rest(const Packet& packet) {
    const Fifo* const part = packet.past_all() ? nullptr : &packet.route->part(packet.stage);
    engine_.schedule_on(where(packet), packet.ready, [part, resting = Resting(*this, packet)] {
        static_cast<void>(part);  // see Resting
        Lane& lane = *resting.lane;
        Packet moving = resting.awake();
        lane.go_on(moving, true);
    });
}

/// A packet is served at its stage; true if all that is left to do is to follow it on.
inline bool Lane::cross(Packet& packet, bool last_act) {
    Message* const message = packet.message;
    const Path& path = packet.route->path;
    if (!packet.past_all()) {
        const bool at_link = packet.stage == path.link;
        if (at_link)
            serve_at_link(packet);
        else
            serve<Mode::real>(packet);
        if (packet.last && packet.past_all() && packet.stage > path.target)
            complete_at_its_time(message);
        const bool goes_on = !packet.past_all() || packet.stage == path.target;
        if (goes_on && !at_link) return true;
        if (goes_on) rest(packet);
        if (at_link) inject_now(last_act && goes_on);
        if (goes_on) return false;
    }
    if (++message->finished == message->packets && message->delivered && message->held == 0)
        retire(message);
    return false;
}

/// A packet has come to its stage. Where it comes to the next part at once, and nobody else can
/// come before it there, it goes on as it would by an event of its own; `last_act`: nothing more is
/// done by the present event.
void Lane::go_on(Packet& packet, bool last_act) {
    for (;;) {
        const sim::Engine::As as(engine_, where(packet));
        const bool leads_on =
            !packet.past_all() && packet.route->path.stages[packet.stage].leads_on;
        if (!pass(packet, last_act)) return;
        if (packet.ready > engine_.now()) {
            if (!last_act || link_is_foreseen(packet) || !engine_.skip_to(packet.ready))
                return follow(packet, last_act);
        } else if (!leads_on && !(last_act && engine_.is_last_now())) {
            return follow(packet, last_act);
        }
    }
}

/// The same for one stage; returns what cross() does.
bool Lane::pass(Packet& packet, bool last_act) {
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
        if (message->dropped) {
            if (path.credits > 0)
                leave_adapter(packet, message->payload(packet.index), packet.ready);
            packet.drop();
        }
        if (packet.last && packet.past_all()) {
            message->done_at = packet.ready + path.visible;
            complete_at_its_time(message);
        }
    }
    if (path.credits > 0 && packet.stage >= path.link && packet.stage < path.target) [[unlikely]]
        if (!may_leave_switch(packet) || !has_credit(packet)) return false;
    return cross(packet, last_act);
}

/// A packet on a link is the first in the switch that it is to leave; if not, it waits there.
bool Lane::may_leave_switch(const Packet& packet) {
    if (packet.stage == packet.route->path.link) return true;
    InputBuffer* const here = buffer_behind(packet, packet.stage - std::size_t{1});
    if (!here || here->is_clear()) return true;
    here->wait_behind(node_, [resting = Resting(*this, packet)] {
        Lane& lane = *resting.lane;
        Packet moving = resting.awake();
        if (lane.has_credit(moving) && lane.cross(moving, false)) lane.follow(moving, false);
    });
    return false;
}

/// And what is behind its link has room for it; if not, it stays the first.
bool Lane::has_credit(const Packet& packet) {
    const Path& path = packet.route->path;
    InputBuffer* const next = buffer_behind(packet, packet.stage);
    if (!next) return true;
    const Bytes size = packet.message->payload(packet.index) + path.stages[packet.stage].header;
    if (next->has_credit(size)) return true;
    if (packet.stage > path.link)
        if (InputBuffer* const here = buffer_behind(packet, packet.stage - std::size_t{1}))
            here->hold();
    next->wait_for_credit(node_, size, [resting = Resting(*this, packet), since = engine_.now()] {
        Lane& lane = *resting.lane;
        Packet moving = resting.awake();
        const Fifo& link = moving.route->part(moving.stage);
        link.show("no credit", std::max(since, link.free_at), moving.ready, moving.message->id);
        if (lane.cross(moving, false)) lane.follow(moving, false);
    });
    return false;
}

}  // namespace railyard::model
