// How a circuit ends: tokens come back, the end of the packet follows, and links are free again.

#include <fmt/format.h>

#include <algorithm>

#include "interconnects/quadrics/elite/circuits.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elite {

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
