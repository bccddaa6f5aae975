#include "interconnects/quadrics/elite/circuits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "interconnects/quadrics/elite/network.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elite {

Circuits::Circuits(sim::Engine& engine, const Parameters& parameters, bool ahead)
    : Network(parameters),
      engine_(engine),
      flit_time_(parameters.flit_time()),
      hop_(parameters.flow_through + parameters.wire),
      holds_(std::size_t{tree_.link_numbers()} * channels),
      crossed_(tree_.link_numbers()),
      states_(tree_.switches()),
      ahead_(ahead),
      adapters_(tree_.nodes()),
      queues_(std::size_t{tree_.nodes()} * channels),
      wakes_(std::size_t{tree_.switches()} * channels, Time::never()),
      cable_faults_(tree_.cables()),
      broken_cables_(tree_.cables()),
      broken_switches_(tree_.switches()) {
    if (parameters.fifo == 0 || parameters.flit.count() == 0 || flit_time_ <= Duration())
        throw UsageError("an Elite network needs flits, FIFOs to hold them, and a rate");
    constexpr std::uint8_t up = 0xf0;  // nothing is above the top
    for (SwitchId s = tree_.switch_at(tree_.dimension(), 0); s < tree_.switches(); ++s)
        states_[s].dead = up;
}

void Circuits::attach(NodeId node, Adapter* adapter) {
    if (node >= tree_.nodes())
        throw UsageError(fmt::format("there is no node {}: the tree has {}", node, tree_.nodes()));
    adapters_[node] = adapter;
}

Circuit& Circuits::take_circuit(const Packet& packet) {
    if (free_circuits_.empty()) {
        free_circuits_.push_back(static_cast<std::uint32_t>(circuits_.size()));
        circuits_.push_back(std::make_unique<Circuit>());
    }
    const std::uint32_t slot = free_circuits_.back();
    free_circuits_.pop_back();
    Circuit& circuit = *circuits_[slot];
    circuit.packet = packet;
    circuit.id = {++sequence_, slot};
    circuit.stamp = ++stamps_;
    circuit.flits = std::max(1U, parameters_.flits(packet.payload));
    return circuit;
}

void Circuits::free_circuit(Circuit& circuit) {
    free_circuits_.push_back(circuit.id.slot);
    circuit.id.sequence = 0;
    circuit.stamp = 0;
    circuit.legs.clear();
    circuit.destinations = circuit.tails = 0;
    circuit.refused = circuit.token_back = circuit.failed = circuit.meets = false;
    circuit.outcome = {};
    circuit.answered = circuit.end = circuit.slow_until = {};
    if (watch_ && under_way() == 0) watch_->rested();
}

PacketId Circuits::send(const Packet& packet) {
    if (packet.source >= tree_.nodes() || packet.channel >= channels || packet.route.size() == 0)
        throw UsageError(
            fmt::format("a packet of node {} on channel {} with {} tags: give a node below {}, "
                        "channel 0 or 1, and "
                        "a route",
                        packet.source, packet.channel, packet.route.size(), tree_.nodes()));
    ++counters_.sent;
    if (watch_ && under_way() == 0) watch_->woken();
    Circuit& circuit = take_circuit(packet);
    const PacketId id = circuit.id;
    auto& queue = queues_[packet.source * channels + packet.channel];
    const auto younger = [&](std::uint32_t slot) { return circuit.older_than(*circuits_[slot]); };
    queue.insert(std::find_if(queue.begin(), queue.end(), younger), id.slot);
    start_next(packet.source, packet.channel);
    return id;
}

void Circuits::start_next(NodeId node, unsigned vc) {
    auto& queue = queues_[node * channels + vc];
    const LinkId link = tree_.out(node);
    const Hold& held = hold(link, vc);
    while (!queue.empty() && !held.held()) {
        const bool dead = cable_faults_[tree_.cable(link)] > 0;
        if (!dead && !ahead_ && held.free_at() > engine_.now()) {
            engine_.schedule_on(node, held.free_at(), [this, node, vc] { start_next(node, vc); });
            return;
        }
        Circuit& next = *circuits_[queue.front()];
        queue.erase(queue.begin());
        if (dead)
            fail(next, 0, 0, {Fault::Kind::dead, 0, blame(tree_.cable(link))});
        else
            started(next, open(next, nothing, link, std::max(engine_.now(), held.free_at())));
    }
}

std::uint32_t Circuits::open(Circuit& circuit, std::uint32_t parent, LinkId link, Time granted) {
    const auto index = static_cast<std::uint32_t>(circuit.legs.size());
    Leg& leg = circuit.legs.emplace_back();
    leg.link = link;
    leg.parent = parent;
    leg.granted = granted;
    if (parent != nothing) leg.depth = static_cast<std::uint8_t>(circuit.legs[parent].depth + 1);
    hold(link, circuit.packet.channel).take(circuit.id.slot, index);
    meet(circuit, hold(link, circuit.packet.channel ^ 1U));
    if (!errors_.empty() && errors_[link])
        leg.corrupt = errors_[link]->pass(circuit.flits_on(leg),
                                          static_cast<unsigned>(parameters_.flit.count() * 8));
    return index;
}

void Circuits::advance(Circuit& circuit, std::uint32_t index) {
    Leg& leg = circuit.legs[index];
    const End end = tree_.far(leg.link);
    const unsigned tags = circuit.packet.route.size() - leg.depth;
    const bool now = leg.header <= engine_.now();
    if (leg.corrupt < tags) {  // of the tags: no switch acts on them
        if (now) return corrupted(circuit, index);
        later(circuit, leg.header, [this, index](Circuit& c) { corrupted(c, index); });
        return;
    }
    if (end.node || tags == 0) {
        if (now) return reach_node(circuit, index);
        later(circuit, leg.header, [this, index](Circuit& c) { reach_node(c, index); });
        return;
    }
    if (ahead_ && states_[end.id].waiting[circuit.packet.channel] == 0) {
        const Choice choice = choose(circuit, leg, end.id, leg.header, 0, true);
        if (choice.kind == Choice::Kind::take) return grant(circuit, index, end.id, choice);
    }
    if (now) return request(circuit, index);
    later(circuit, leg.header, [this, index](Circuit& c) { request(c, index); });
}

void Circuits::reach_node(Circuit& circuit, std::uint32_t index) {
    Leg& leg = circuit.legs[index];
    const End end = tree_.far(leg.link);
    // At a node with tags left, or at a switch with none.
    if (!end.node || leg.depth != circuit.packet.route.size())
        return fail(circuit, leg.depth + 1U, leg.depth,
                    {Fault::Kind::bad_route, leg.depth, Part::cable(tree_.cable(leg.link))});
    leg.announced = true;
    ++circuit.destinations;
    reached(circuit, index);
    const sim::Engine::As as(engine_, end.id);
    if (adapters_[end.id]) adapters_[end.id]->header(delivery(circuit, index));
}

void Circuits::tail(Circuit& circuit, std::uint32_t index) {
    Leg& leg = circuit.legs[index];
    leg.complete = true;
    ++circuit.tails;
    if (leg.answered) return settle_if_done(circuit);  // refused before it was here
    const Delivery arrival = delivery(circuit, index);
    const sim::Engine::As as(engine_, arrival.node);
    Adapter* adapter = adapters_[arrival.node];
    if (!adapter) return answer(arrival, Answer::refuse);
    ++counters_.delivered;
    adapter->arrived(arrival);
}

Delivery Circuits::delivery(const Circuit& circuit, std::uint32_t leg) const {
    return {circuit.id,
            circuit.packet.source,
            tree_.far(circuit.legs[leg].link).id,
            circuit.packet.route.is_broadcast(),
            circuit.packet.payload,
            circuit.packet.cookie,
            leg};
}

std::unique_ptr<Network> make_network(sim::Engine& engine, const Parameters& parameters) {
    if (parameters.detail == Detail::flits) return make_flit_network(engine, parameters);
    return make_packet_network(engine, parameters);
}

// How a circuit ends: tokens come back, the end of the packet follows, and links are free again.

void Circuits::answer(const Delivery& delivery, Answer answer) {
    Circuit& circuit = *circuits_.at(delivery.packet.slot);
    if (circuit.id != delivery.packet || circuit.failed) return;
    std::uint32_t index = delivery.leg;
    Leg& last = circuit.legs[index];
    if (last.answered)
        throw UsageError(fmt::format("node {} answers a packet twice: one token goes back for each",
                                     delivery.node));
    if (answer == Answer::accept && !last.complete)
        throw UsageError(fmt::format(
            "node {} acknowledges a packet before its last transaction: wait for arrived()",
            delivery.node));
    last.answered = true;
    if (answer == Answer::refuse) circuit.refused = true;
    const auto back = [this](Circuit& c) {
        c.token_back = true;
        settle_if_done(c);
    };
    if (!circuit.packet.route.is_broadcast()) {
        circuit.answered = engine_.now();
        later(circuit, engine_.now() + parameters_.token_time(last.depth), back);
        return;
    }
    // Up the way; a switch where copies parted waits for the tokens of all.
    for (Time sent = engine_.now() + flit_time_;; index = circuit.legs[index].parent) {
        Leg& leg = circuit.legs[index];
        leg.token = sent + parameters_.wire;
        if (leg.parent == nothing) break;
        Leg& parent = circuit.legs[leg.parent];
        if (--parent.tokens > 0) return;
        Time all = leg.token;
        for (std::uint32_t i = 0; i < parent.children; ++i)
            all = std::max(all, circuit.legs[parent.first_child + i].token);
        sent = all + parameters_.flow_through;
    }
    later(circuit, circuit.legs.front().token, back);
}

/// The end-of-packet token goes out and gives the links back as it passes them. It overtakes no
/// data: after an early refusal it waits for the rest to pass.
void Circuits::settle_if_done(Circuit& circuit) {
    if (!circuit.token_back || circuit.tails < circuit.destinations) return;
    // An output is free when the token has entered its switch: what follows stays behind it.
    const Time end_sent = engine_.now() + flit_time_;
    const Time end_in = end_sent + parameters_.wire + flit_time_;
    for (std::uint32_t i = 0; i < circuit.legs.size(); ++i) {
        const unsigned depth = circuit.legs[i].depth;
        release(circuit, i, depth == 0 ? end_sent : end_in + hop_ * (depth - 1));
    }
    const PacketId id = circuit.id;
    const NodeId source = circuit.packet.source;
    const Outcome outcome{circuit.refused ? Outcome::Kind::refused : Outcome::Kind::accepted,
                          {},
                          circuit.packet.cookie};
    ++(circuit.refused ? counters_.refused : counters_.accepted);
    free_circuit(circuit);
    const sim::Engine::As as(engine_, source);
    if (adapters_[source]) adapters_[source]->settled(id, outcome);
}

void Circuits::record(const Circuit& circuit, const Leg& leg, Time until) {
    sim::Trace& trace = *engine_.trace();
    const unsigned vc = circuit.packet.channel;
    if (lanes_.empty()) lanes_.assign(holds_.size(), 0);
    sim::Trace::Lane& lane = lanes_[channel(leg.link, vc)];
    if (lane == 0)
        lane = 1 +
               trace.lane(tree_.cable_name(tree_.cable(leg.link)),
                          fmt::format("{}, channel {}", tree_.is_up(leg.link) ? "up" : "down", vc));
    trace.slice(lane - 1, "packet", leg.granted, std::max(until, leg.granted), circuit.id.sequence);
}

void Circuits::corrupted(Circuit& circuit, std::uint32_t index) {
    const Leg& leg = circuit.legs[index];
    fail(circuit, leg.depth + 1U, leg.depth,
         {Fault::Kind::corrupted, leg.depth, Part::cable(tree_.cable(leg.link))});
}

/// Found by the far end of the leg of depth `finder` - 1, or by the source itself (0). The report
/// to the source is the packet's token; like that to the destination it gives back the links it
/// passes. What is behind the leg of depth `cut` is cut off from the source.
void Circuits::fail(Circuit& circuit, unsigned finder, unsigned cut, const Fault& fault) {
    const Time now = engine_.now();
    circuit.failed = true;
    circuit.stamp = ++stamps_;
    circuit.outcome = {Outcome::Kind::failed, fault, circuit.packet.cookie};
    circuit.notices = 1;
    for (std::uint32_t i = 0; i < circuit.legs.size(); ++i) {
        Leg& leg = circuit.legs[i];
        const End end = tree_.far(leg.link);
        if (leg.waiting) {
            states_[end.id].waiting[circuit.packet.channel] &=
                static_cast<std::uint8_t>(~(1U << end.port));
            leg.waiting = false;
            // It may have kept outputs from others.
            wake(end.id, circuit.packet.channel, now);
        }
        const bool before = leg.depth < finder;
        const unsigned away =
            before ? finder - 1 - leg.depth : leg.depth - std::min<unsigned>(cut, leg.depth);
        release(circuit, i, now + flit_time_ + hop_ * away);
        if (!leg.announced) continue;
        ++circuit.notices;
        const Time told = leg.depth > cut ? now + parameters_.token_time(leg.depth - cut - 1) : now;
        later(circuit, told, [this, i](Circuit& c) {
            const Delivery cut_off = delivery(c, i);
            ++counters_.broken;
            notice_given(c);
            const sim::Engine::As as(engine_, cut_off.node);
            if (adapters_[cut_off.node]) adapters_[cut_off.node]->broken(cut_off);
        });
    }
    const Time told = finder > 0 ? now + parameters_.token_time(finder - 1) : now;
    const bool arrived = circuit.destinations > 0 && circuit.tails == circuit.destinations;
    later(circuit, told, [this, arrived](Circuit& c) {
        const PacketId id = c.id;
        const Outcome outcome = c.outcome;
        const NodeId source = c.packet.source;
        ++counters_.failed;
        notice_given(c);
        if (watch_) watch_->failed(outcome.fault, arrived);
        if (adapters_[source]) adapters_[source]->settled(id, outcome);
    });
}

void Circuits::notice_given(Circuit& circuit) {
    if (--circuit.notices == 0) free_circuit(circuit);
}

}  // namespace railyard::elite
