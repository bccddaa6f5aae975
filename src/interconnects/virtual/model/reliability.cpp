#include "interconnects/virtual/model/reliability.hpp"

#include <algorithm>
#include <utility>

namespace railyard::model {

namespace {

constexpr Duration longest_patience = Duration::s(60);

std::uint64_t key_of(Switches::Place place) {
    return std::uint64_t{place.node} << 8 | place.port;
}

}  // namespace

Duration patience(const hardware::Reliability& reliability, unsigned in_vain) {
    Duration time = reliability.timeout;
    for (unsigned i = 0; i < in_vain && time < longest_patience && reliability.backoff > 1; ++i)
        time = time * std::int64_t{reliability.backoff};
    return std::min(time, std::max(longest_patience, reliability.timeout));
}

unsigned Resender::detour(fabric::NodeId to) const {
    const auto found = streams_.find(to);
    return found == streams_.end() ? 0 : found->second.detour;
}

bool Resender::avoid(fabric::NodeId to, const Fifo* part) {
    const auto found = streams_.find(to);
    return found != streams_.end() && take_another_way(found->second, part);
}

Resender::Stream& Resender::stream(const Message& message) {
    const auto [entry, is_new] = streams_.try_emplace(message.route->to);
    Stream& stream = entry->second;
    if (is_new) {
        stream.to = message.route->to;
        stream.to_port = RouteName::of(message.route->key).to_port;
        set_back(stream);
    }
    return stream;
}

/// An acknowledgment comes back by the way of its packet.
void Resender::set_back(Stream& stream) const {
    stream.back.clear();
    if (stream.to == setup_.from.node) return;
    const Switches::Place there{stream.to, stream.to_port};
    Way& way = setup_.switches.new_way();
    setup_.switches.add_way(way, there, setup_.from,
                            setup_.switches.back(setup_.from.node, stream.to, stream.detour));
    stream.back = way.parts;
}

void Resender::submitted(Message& message) {
    Stream& its = stream(message);
    message.round = its.round;
    message.sequence = its.next;
    message.held = 1;  // until it is acknowledged
    its.next += message.packets;
    its.open.push_back(&message);
}

void Resender::injected(Message& message) {
    Stream& its = stream(message);
    its.sent = std::max(its.sent, message.sequence + message.injected + 1);
    if (its.timer.order == 0) set_deadline(its);
}

bool Resender::crosses(Message& message, std::uint8_t round, Fifo& part, Bytes size) {
    const Time now = setup_.engine.now();
    if (!part.health || part.health->lets_through(now, size)) return true;
    ++report().lost;
    if (reliability().detection == hardware::Detection::hops) {
        Stream& its = stream(message);
        setup_.engine.schedule_on(setup_.from.node, now + way_back(its),
                                  [this, &its, round, &part] { lost(its, round, &part); });
    }
    return false;
}

bool Resender::accepts(Message& message, std::uint32_t index) {
    Stream& its = stream(message);
    const std::uint64_t number = message.sequence + index;
    if (number == its.expected) {
        ++its.expected;
        its.out_of_order = 0;
        acknowledge(its);
        return true;
    }
    if (number < its.expected) {
        ++report().duplicates;
        acknowledge(its);  // the first one may have been lost
    } else {
        ++report().out_of_order;
        if (++its.out_of_order == reliability().gap) ask_again(its);
    }
    return false;
}

void Resender::acknowledge(Stream& stream) {
    const Time now = setup_.engine.now();
    const Bytes size = std::max(small_packet, setup_.parameters.link.acknowledgment);
    const Fifo* const part = FaultPlan::loses(stream.back, now, size);
    if (!part) {
        setup_.engine.schedule_on(
            setup_.from.node, now + way_back(stream),
            [this, &stream, before = stream.expected] { acknowledged(stream, before); });
        return;
    }
    ++report().acknowledgments;
    // Hops: the one token that must come back does not (FA-1).
    if (reliability().detection == hardware::Detection::hops)
        setup_.engine.schedule_on(
            setup_.from.node, now + way_back(stream),
            [this, &stream, round = stream.round, part] { lost(stream, round, part); });
}

/// The target tells that something is missing.
void Resender::ask_again(Stream& stream) {
    const Time now = setup_.engine.now();
    if (FaultPlan::loses(stream.back, now, small_packet)) {
        ++report().acknowledgments;
        return;
    }
    setup_.engine.schedule_on(setup_.from.node, now + way_back(stream),
                              [this, &stream, round = stream.round] {
                                  if (round == stream.round) go_back(stream);
                              });
}

/// The target has all packets before that one.
void Resender::acknowledged(Stream& stream, std::uint64_t before) {
    if (before <= stream.acknowledged) return;
    stream.acknowledged = before;
    stream.in_vain = stream.failures = 0;
    stream.waits = false;
    if (before == stream.sent)
        setup_.engine.cancel(std::exchange(stream.timer, {}));
    else
        set_deadline(stream);
    while (!stream.open.empty()) {
        Message& message = *stream.open.front();
        const std::uint64_t its = before - std::min(before, message.sequence);
        setup_.lane.skip_to(
            message, static_cast<std::uint32_t>(std::min<std::uint64_t>(its, message.packets)));
        if (its < message.packets) return;
        stream.open.pop_front();
        setup_.lane.let_go(message);
    }
}

void Resender::set_timer(Stream& stream) {
    stream.timer_at = stream.deadline;
    stream.timer = setup_.engine.schedule_on(setup_.from.node, stream.deadline,
                                             [this, &stream] { timer_ran_out(stream); });
}

void Resender::set_deadline(Stream& stream) {
    stream.deadline = setup_.engine.now() + patience(reliability(), stream.in_vain);
    if (stream.timer.order != 0 && stream.timer_at <= stream.deadline) return;
    setup_.engine.cancel(stream.timer);
    set_timer(stream);
}

void Resender::timer_ran_out(Stream& stream) {
    stream.timer = {};
    if (stream.acknowledged == stream.sent) return;
    if (setup_.engine.now() < stream.deadline) return set_timer(stream);
    ++report().timeouts;
    if (++stream.in_vain > reliability().retries) return give_up(stream);
    stream.waits = false;
    go_back(stream);
}

/// Hops: a part has told that it lost a packet, or the acknowledgment did not come back.
void Resender::lost(Stream& stream, std::uint8_t round, const Fifo* part) {
    if (round != stream.round || stream.waits || stream.acknowledged == stream.sent) return;
    if (++stream.failures > reliability().attempts) {
        stream.failures = 0;
        if (!take_another_way(stream, part)) {
            stream.waits = true;
            return set_deadline(stream);
        }
    }
    go_back(stream);
}

/// False if there is none that avoids all parts that were found bad, there and back; then any is
/// as good as another.
bool Resender::take_another_way(Stream& stream, const Fifo* around) {
    stream.avoided.push_back(around);
    const auto is_bad = [&](const Fifo* part) {
        return std::ranges::find(stream.avoided, part) != stream.avoided.end();
    };
    const Switches::Place there{stream.to, stream.to_port};
    const unsigned ways = setup_.switches.ways(setup_.from.node, stream.to);
    for (unsigned step = 1; step < ways; ++step) {
        const unsigned detour = (stream.detour + step) % ways;
        Way& way = setup_.switches.new_way();
        setup_.switches.add_way(way, setup_.from, there, detour);
        setup_.switches.add_way(way, there, setup_.from,
                                setup_.switches.back(setup_.from.node, stream.to, detour));
        if (std::ranges::any_of(way.parts, is_bad)) continue;
        stream.detour = detour;
        set_back(stream);
        for (Message* message : stream.open)
            setup_.lane.reroute(*message, setup_.route_by(*message->route, detour));
        ++report().rerouted;
        return true;
    }
    stream.avoided.clear();
    return false;
}

void Resender::go_back(Stream& stream) {
    stream.round = stream.round == 255 ? 1 : stream.round + 1;
    stream.out_of_order = 0;
    std::vector<Message*> again;
    for (Message* message : stream.open) {
        message->round = stream.round;
        const auto first = static_cast<std::uint32_t>(
            std::max(stream.acknowledged, message->sequence) - message->sequence);
        if (message->injected <= first) continue;
        report().retransmitted += message->injected - first;
        message->injected = first;
        again.push_back(message);
    }
    set_deadline(stream);
    setup_.lane.send_again(again);
}

void Resender::give_up(Stream& stream) {
    ++report().unreachable;
    // What the target has in full is on its way to memory there; nothing else will come.
    const std::deque<Message*> open = std::exchange(stream.open, {});
    for (Message* message : open)
        if (message->sequence + message->packets > stream.expected)
            setup_.lane.abandon(*message);
        else
            setup_.lane.let_go(*message);
    stream.sent = stream.acknowledged = stream.expected = stream.next;
    stream.in_vain = stream.failures = stream.out_of_order = 0;
    stream.waits = false;
    stream.round = stream.round == 255 ? 1 : stream.round + 1;
    if (setup_.plan.given_up) setup_.plan.given_up(setup_.from.node, stream.to);
}

void Answers::tell(Place from, Place asker, sim::Action heard) {
    Line& line = lines_[{key_of(from), key_of(asker)}];
    line.from = from;
    line.asker = asker;
    find_way(line);
    line.unheard.push_back(std::move(heard));
    const std::uint64_t last = line.first + line.unheard.size() - 1;
    const Fifo* const part = FaultPlan::loses(line.back, engine_.now(), small_packet);
    if (!part) {
        const Duration way = switches_.latency(from.node, asker.node);
        engine_.schedule_on(asker.node, engine_.now() + way,
                            [this, &line, last] { this->heard(line, last); });
        return;
    }
    ++plan_.report().acknowledgments;
    if (!line.asks) lost_at(line, part);
}

void Answers::find_way(Line& line) {
    if (line.from.node == line.asker.node) return;
    const unsigned detour = resender_(line.asker).detour(line.from.node);
    if (detour == line.detour) return;
    line.detour = detour;
    Way& forth = switches_.new_way();
    switches_.add_way(forth, line.asker, line.from, detour);
    line.forth = forth.parts;
    Way& back = switches_.new_way();
    switches_.add_way(back, line.from, line.asker,
                      switches_.back(line.asker.node, line.from.node, detour));
    line.back = back.parts;
}

/// All up to that one.
void Answers::heard(Line& line, std::uint64_t last) {
    line.tries = line.in_vain = 0;
    while (!line.unheard.empty() && line.first <= last) {
        sim::Action one = std::move(line.unheard.front());
        line.unheard.pop_front();
        ++line.first;
        one();
    }
}

void Answers::tell_now(fabric::NodeId from, fabric::NodeId asker) {
    const auto begin = lines_.lower_bound({key_of({from, 0}), 0});
    for (auto line = begin; line != lines_.end() && line->second.from.node == from; ++line)
        if (line->second.asker.node == asker) heard(line->second, ~std::uint64_t{0});
}

/// Where hops tell of a loss, the asker tries again at once, then another way; otherwise, and where
/// there is none, later.
void Answers::lost_at(Line& line, const Fifo* part) {
    line.asks = true;
    const hardware::Reliability& reliability = parameters_.reliability;
    bool at_once = false;
    if (reliability.detection == hardware::Detection::hops) {
        at_once = line.tries++ < reliability.attempts;
        if (!at_once) {
            line.tries = 0;
            at_once = resender_(line.asker).avoid(line.from.node, part);
        }
    }
    if (!at_once) ++plan_.report().timeouts;
    const Duration wait = at_once ? Duration{} : patience(reliability, line.in_vain++);
    const Duration way = switches_.latency(line.from.node, line.asker.node);
    engine_.schedule_on(line.asker.node, engine_.now() + way + wait, [this, &line] { ask(line); });
}

/// The asker sends its last packet again: the peer has it, drops it, and answers anew.
void Answers::ask(Line& line) {
    line.asks = false;
    if (line.unheard.empty()) return;
    if (line.in_vain > parameters_.reliability.retries) {
        ++plan_.report().unreachable;
        line.first += line.unheard.size();
        line.unheard.clear();
        line.tries = line.in_vain = 0;
        if (plan_.given_up) plan_.given_up(line.asker.node, line.from.node);
        return;
    }
    find_way(line);
    fabric::FaultReport& report = plan_.report();
    ++report.retransmitted;
    if (const Fifo* const part = FaultPlan::loses(line.forth, engine_.now(), small_packet)) {
        ++report.lost;
        return lost_at(line, part);
    }
    ++report.duplicates;
    if (const Fifo* const part = FaultPlan::loses(line.back, engine_.now(), small_packet)) {
        ++report.acknowledgments;
        return lost_at(line, part);
    }
    const Duration way = switches_.latency(line.from.node, line.asker.node);
    const std::uint64_t last = line.first + line.unheard.size() - 1;
    engine_.schedule_on(line.asker.node, engine_.now() + way * 2,
                        [this, &line, last] { heard(line, last); });
}

void Answers::stop() {
    for (auto& [key, line] : lines_)
        line.unheard.clear();
}

}  // namespace railyard::model
