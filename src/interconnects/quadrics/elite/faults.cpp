// Parts that break and are mended, and what that does to circuits.

#include <fmt/format.h>

#include "interconnects/quadrics/elite/circuits.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elite {

namespace {

/// Of the random streams, those from here on are the links'.
constexpr std::uint64_t first_stream = 0x656c'6974'6500'0000;

}  // namespace

void Circuits::check(Part part) const {
    const bool is_cable = part.kind == Part::Kind::cable;
    const std::uint32_t all = is_cable ? tree_.cables() : tree_.switches();
    if (part.id >= all)
        throw UsageError(fmt::format("there is no {} {}: the tree has {}",
                                     is_cable ? "cable" : "switch", part.id, all));
}

void Circuits::break_part(Part part, Time from, Time until) {
    check(part);
    engine_.schedule(from, [this, part] { change(part, true); });
    if (until != Time::never()) engine_.schedule(until, [this, part] { change(part, false); });
}

void Circuits::set_dead(Part part, bool dead) {
    check(part);
    change(part, dead);
}

bool Circuits::is_dead(Part part) const {
    check(part);
    return part.kind == Part::Kind::cable ? broken_cables_[part.id] > 0
                                          : broken_switches_[part.id] > 0;
}

void Circuits::set_bit_errors(CableId cable, double rate) {
    check(Part::cable(cable));
    for (const LinkId link : {tree_.up(cable), tree_.reverse(tree_.up(cable))})
        set_link_errors(link, rate, engine_.random(first_stream + link));
}

void Circuits::set_link_errors(LinkId link, double rate, const sim::Random& random) {
    if (!(rate >= 0 && rate < 1))
        throw UsageError(fmt::format("a bit-error rate of {}: give one from 0 to below 1", rate));
    errors_.resize(tree_.link_numbers());
    if (!errors_.at(link)) errors_[link] = std::make_unique<BitErrors>(random);
    errors_[link]->set_rate(rate);
}

void Circuits::change(Part part, bool dead) {
    auto& broken = part.kind == Part::Kind::cable ? broken_cables_ : broken_switches_;
    broken[part.id] += dead ? 1U : ~0U;
    const auto set = [&](CableId cable) { dead ? kill(cable) : mend(cable); };
    if (part.kind == Part::Kind::cable) return set(part.id);
    for (unsigned port = 0; port < ports; ++port)
        if (const LinkId link = tree_.out(part.id, port); link != no_link) set(tree_.cable(link));
}

void Circuits::kill(CableId cable) {
    if (++cable_faults_[cable] > 1) return;
    for (const LinkId link : {tree_.up(cable), tree_.reverse(tree_.up(cable))}) {
        const End near = tree_.near(link);
        if (!near.node) states_[near.id].dead |= static_cast<std::uint8_t>(1U << near.port);
        for (unsigned vc = 0; vc < channels; ++vc) {
            const Hold& held = hold(link, vc);
            if (held.held()) cut(*circuits_[held.circuit()], held.leg());
            // Those that wait for it may have nothing left to wait for.
            if (near.node)
                start_next(near.id, vc);
            else if (states_[near.id].waiting[vc] != 0)
                wake(near.id, vc, engine_.now());
        }
    }
}

void Circuits::mend(CableId cable) {
    if (--cable_faults_[cable] > 0) return;
    for (const LinkId link : {tree_.up(cable), tree_.reverse(tree_.up(cable))}) {
        const End near = tree_.near(link);
        if (near.node) continue;
        states_[near.id].dead &= static_cast<std::uint8_t>(~(1U << near.port));
        for (unsigned vc = 0; vc < channels; ++vc)
            if (states_[near.id].waiting[vc] != 0) wake(near.id, vc, engine_.now());
    }
}

/// The link under a leg is dead.
void Circuits::cut(Circuit& circuit, std::uint32_t index) {
    const Time now = engine_.now();
    const Leg& leg = circuit.legs[index];
    if (token_passed(circuit, leg)) return;  // nothing more is owed from there
    const bool ahead = leg.parent != nothing && circuit.legs[leg.parent].header > now;
    if (ahead && !circuit.packet.route.is_broadcast()) return retract(circuit, index);
    fail(circuit, leg.depth, leg.depth,
         {Fault::Kind::dead, leg.depth, blame(tree_.cable(leg.link))});
}

bool Circuits::token_passed(const Circuit& circuit, const Leg& leg) const {
    Time passed = leg.token;
    if (circuit.answered > Time())
        passed = circuit.answered + parameters_.token_time(circuit.packet.route.size() - leg.depth);
    return passed > Time() && passed <= engine_.now();
}

/// The link was taken ahead, and its header is not there yet: the switch will choose when it is.
void Circuits::retract(Circuit& circuit, std::uint32_t index) {
    const std::uint32_t parent = circuit.legs[index].parent;
    for (auto i = static_cast<std::uint32_t>(circuit.legs.size()); i-- > index;)
        release(circuit, i, engine_.now());
    circuit.legs.resize(index);
    Leg& leg = circuit.legs[parent];
    leg.first_child = nothing;
    leg.children = leg.tokens = 0;
    circuit.stamp = ++stamps_;
    later(circuit, leg.header, [this, parent](Circuit& c) { request(c, parent); });
}

Part Circuits::blame(CableId cable) const {
    if (broken_cables_[cable] == 0)
        for (const LinkId link : {tree_.up(cable), tree_.reverse(tree_.up(cable))})
            if (const End end = tree_.far(link); !end.node && broken_switches_[end.id] > 0)
                return Part::switch_of(end.id);
    return Part::cable(cable);
}

}  // namespace railyard::elite
