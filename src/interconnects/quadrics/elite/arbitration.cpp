// Which header gets which output: by priority, then by age; in a group, any that is free.

#include <algorithm>
#include <array>
#include <bit>

#include "interconnects/quadrics/elite/circuits.hpp"

namespace railyard::elite {

namespace {

unsigned lowest(unsigned mask) {
    return static_cast<unsigned>(std::countr_zero(mask));
}

}  // namespace

Circuits::Choice Circuits::choose(const Circuit& circuit, const Leg& leg, SwitchId at_switch,
                                  Time at, unsigned reserved, bool ahead) {
    const unsigned vc = circuit.packet.channel;
    const Tag tag = circuit.packet.route[leg.depth];
    const unsigned wanted = tag.mask(leg.left, leg.right);
    const unsigned dead = wanted & states_[at_switch].dead;
    if (tag.is_range()) {
        if (dead != 0 || wanted == 0) return {Choice::Kind::dead, dead, at};
        return choose_all(wanted, vc, at_switch, at, reserved, ahead);
    }
    const unsigned alive = wanted & ~dead;
    if (alive == 0) return {Choice::Kind::dead, dead, at};

    // Best is a link that nobody uses, then one whose other channel is in use; and of these, the
    // next in turn. Then comes one that will be free, then one that somebody took ahead.
    Choice best{Choice::Kind::wait, 0, Time::never()};
    unsigned best_rank = 4;
    const unsigned first = states_[at_switch].turn;
    for (unsigned turned = std::rotr(static_cast<std::uint8_t>(alive), static_cast<int>(first));
         turned != 0; turned &= turned - 1) {
        const unsigned port = (lowest(turned) + first) % ports;
        const LinkId link = tree_.out(at_switch, port);
        const Hold& held = hold(link, vc);
        if (held.held()) {
            if (best_rank == 4 && (reserved >> port & 1) == 0 && comes_later(held, at)) {
                best = {Choice::Kind::take, 1U << port, at};
                best_rank = 3;
            }
            continue;
        }
        const bool takes = (ahead || held.free_at() <= at) && (reserved >> port & 1) == 0;
        if (!takes) {
            if (best.kind == Choice::Kind::wait) best.at = std::min(best.at, held.free_at());
            continue;
        }
        const bool shared = hold(link, vc ^ 1U).held();
        const unsigned rank = held.free_at() > at ? 2 : shared ? 1 : 0;
        if (rank < best_rank || (rank == 2 && held.free_at() < best.at)) {
            best = {Choice::Kind::take, 1U << port, std::max(at, held.free_at())};
            best_rank = rank;
        }
        if (rank == 0) break;
    }
    if (best.kind == Choice::Kind::take && (alive & (alive - 1)) != 0)
        states_[at_switch].turn = static_cast<std::uint8_t>((lowest(best.mask) + 1) % ports);
    return best;
}

/// All or none: a broadcast that held some outputs while it waits for others could wait for ever.
Circuits::Choice Circuits::choose_all(unsigned wanted, unsigned vc, SwitchId at_switch, Time at,
                                      unsigned reserved, bool ahead) {
    Choice choice{Choice::Kind::take, wanted, at};
    if ((wanted & reserved) != 0) choice.kind = Choice::Kind::wait;
    for (unsigned left = wanted; left != 0; left &= left - 1) {
        const Hold& held = hold(tree_.out(at_switch, lowest(left)), vc);
        if (held.held()) return {Choice::Kind::wait, 0, Time::never()};
        if (held.free_at() > at && !ahead) choice.kind = Choice::Kind::wait;
        choice.at = std::max(choice.at, held.free_at());
    }
    return choice;
}

/// Its holder took the link ahead, and will be there later: it must choose again then.
bool Circuits::comes_later(const Hold& held, Time at) const {
    if (!ahead_) return false;
    const Circuit& holder = *circuits_[held.circuit()];
    const std::uint32_t parent = holder.legs[held.leg()].parent;
    if (parent == nothing || holder.packet.route.is_broadcast()) return false;
    return holder.legs[parent].header > at;
}

void Circuits::grant(Circuit& circuit, std::uint32_t index, SwitchId at_switch,
                     const Choice& choice) {
    const auto first = static_cast<std::uint32_t>(circuit.legs.size());
    const auto count = static_cast<std::uint16_t>(std::popcount(choice.mask));
    circuit.legs[index].first_child = first;
    circuit.legs[index].children = circuit.legs[index].tokens = count;
    for (unsigned left = choice.mask; left != 0; left &= left - 1) {
        const unsigned port = lowest(left);
        const Hold& held = hold(tree_.out(at_switch, port), circuit.packet.channel);
        if (held.held()) retract(*circuits_[held.circuit()], held.leg());
        Leg& child = circuit.legs[open(circuit, index, tree_.out(at_switch, port), choice.at)];
        child.left = circuit.legs[index].left && left == choice.mask;
        child.right = circuit.legs[index].right && (left & (left - 1)) == 0;
    }
    // One may fail at once, and all with it.
    const std::uint64_t stamp = circuit.stamp;
    for (std::uint32_t i = first; i < first + count && circuit.stamp == stamp; ++i)
        started(circuit, i);
}

void Circuits::no_output(Circuit& circuit, std::uint32_t index, SwitchId at_switch, unsigned mask) {
    const Leg& leg = circuit.legs[index];
    const LinkId link = mask == 0 ? no_link : tree_.out(at_switch, lowest(mask));
    Fault fault{Fault::Kind::bad_route, leg.depth + 1U, Part::switch_of(at_switch)};
    if (link != no_link) {
        fault.kind = Fault::Kind::dead;
        fault.part = blame(tree_.cable(link));
    }
    fail(circuit, leg.depth + 1U, leg.depth, fault);
}

void Circuits::request(Circuit& circuit, std::uint32_t index) {
    Leg& leg = circuit.legs[index];
    const End end = tree_.far(leg.link);
    const unsigned vc = circuit.packet.channel;
    leg.waiting = true;
    states_[end.id].waiting[vc] |= static_cast<std::uint8_t>(1U << end.port);
    const std::uint64_t stamp = circuit.stamp;
    arbitrate(end.id, vc);
    if (circuit.stamp == stamp && circuit.legs[index].waiting) ++counters_.blocked;
}

void Circuits::arbitrate(SwitchId at_switch, unsigned vc) {
    std::uint8_t& waiting = states_[at_switch].waiting[vc];
    std::array<std::pair<Circuit*, std::uint32_t>, ports> in_order;
    std::size_t count = 0;
    for (unsigned left = waiting; left != 0; left &= left - 1) {
        const LinkId in = tree_.reverse(tree_.out(at_switch, lowest(left)));
        const Hold& held = hold(in, vc);
        in_order[count++] = {circuits_[held.circuit()].get(), held.leg()};
    }
    std::sort(in_order.begin(), in_order.begin() + static_cast<std::ptrdiff_t>(count),
              [](const auto& a, const auto& b) { return a.first->older_than(*b.first); });
    // What an older broadcast waits for is kept for it, or it would never find all free at once.
    unsigned reserved = 0;
    Time again = Time::never();
    for (std::size_t i = 0; i < count; ++i) {
        Circuit& circuit = *in_order[i].first;
        const std::uint32_t index = in_order[i].second;
        Leg& leg = circuit.legs[index];
        const Choice choice = choose(circuit, leg, at_switch, engine_.now(), reserved, false);
        if (choice.kind == Choice::Kind::wait) {
            const Tag tag = circuit.packet.route[leg.depth];
            if (tag.is_range()) reserved |= tag.mask(leg.left, leg.right);
            if (choice.at > engine_.now()) again = std::min(again, choice.at);
            continue;
        }
        leg.waiting = false;
        waiting &= static_cast<std::uint8_t>(~(1U << tree_.far(leg.link).port));
        if (choice.kind == Choice::Kind::take)
            grant(circuit, index, at_switch, choice);
        else
            no_output(circuit, index, at_switch, choice.mask);
    }
    if (again != Time::never()) wake(at_switch, vc, again);
}

void Circuits::wake(SwitchId at_switch, unsigned vc, Time at) {
    Time& next = wakes_[at_switch * channels + vc];
    if (next <= at) return;
    next = at;
    engine_.schedule_on(tree_.nodes() + at_switch, at, [this, at_switch, vc] {
        wakes_[at_switch * channels + vc] = Time::never();
        arbitrate(at_switch, vc);
    });
}

}  // namespace railyard::elite
