#include "interconnects/quadrics/elite/circuits.hpp"

#include <fmt/format.h>

#include <algorithm>

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
            engine_.schedule(held.free_at(), [this, node, vc] { start_next(node, vc); });
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
    if (adapters_[end.id]) adapters_[end.id]->header(delivery(circuit, index));
}

void Circuits::tail(Circuit& circuit, std::uint32_t index) {
    Leg& leg = circuit.legs[index];
    leg.complete = true;
    ++circuit.tails;
    if (leg.answered) return settle_if_done(circuit);  // refused before it was here
    const Delivery arrival = delivery(circuit, index);
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

}  // namespace railyard::elite
