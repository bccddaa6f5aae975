#include <algorithm>
#include <bit>

#include "interconnects/quadrics/elite/circuits.hpp"

namespace railyard::elite {

/// The network, packet by packet: a header takes its whole way at once as far as it is free, and
/// the data behind it is one interval of time on each link. A packet costs three events however
/// long its way is, and more only where it is blocked.
class PacketNetwork final : public Circuits {
  public:
    PacketNetwork(sim::Engine& engine, const Parameters& parameters)
        : Circuits(engine, parameters, true) {}

  private:
    void started(Circuit& circuit, std::uint32_t leg) override;
    void reached(Circuit& circuit, std::uint32_t leg) override;

    std::uint32_t run_ahead(Circuit& circuit, std::uint32_t leg);
    static unsigned the_one(unsigned wanted, const Hold* outputs, unsigned vc, Time header);
    static unsigned any(unsigned wanted, const Hold* outputs, unsigned vc, Time header,
                        SwitchState& state);
    Duration share(Circuit& circuit, const Leg& leg);
    void put_off(Circuit& circuit, const Circuit& by_whom, Duration by);
    void schedule_end(Circuit& circuit, std::uint32_t leg);
};

void PacketNetwork::started(Circuit& circuit, std::uint32_t index) {
    Leg& leg = circuit.legs[index];
    if (leg.parent == nothing) {
        leg.header = leg.granted + flit_time_ + parameters_.wire;
    } else {
        // The switch keeps the tag: what goes on is the flit behind it.
        const Time behind = circuit.legs[leg.parent].header + flit_time_;
        leg.header = std::max(leg.granted, behind) + hop_;
    }
    const bool plain = !circuit.packet.route.is_broadcast() && !has_bit_errors();
    advance(circuit, plain ? run_ahead(circuit, index) : index);
}

/// As advance() would do, in one go for as long as nothing stands in the way: the last leg taken.
std::uint32_t PacketNetwork::run_ahead(Circuit& circuit, std::uint32_t index) {
    const Route& route = circuit.packet.route;
    const unsigned vc = circuit.packet.channel;
    const std::uint32_t slot = circuit.id.slot;
    const Duration a_hop = flit_time_ + hop_;
    LinkId link = circuit.legs[index].link;
    Time header = circuit.legs[index].header;
    for (unsigned depth = circuit.legs[index].depth; depth < route.size(); ++depth) {
        const End end = tree_.far(link);
        if (end.node) break;
        SwitchState& state = states_[end.id];
        const unsigned wanted = route[depth].mask() & ~unsigned{state.dead};
        if (state.waiting[vc] != 0 || wanted == 0) break;
        Hold* const outputs = &holds_[channel(end.id * ports, 0)];
        const auto port = (wanted & (wanted - 1)) == 0 ? the_one(wanted, outputs, vc, header)
                                                       : any(wanted, outputs, vc, header, state);
        if (port == ports) break;
        link = end.id * ports + port;
        Leg& parent = circuit.legs[index];
        parent.first_child = index + 1;
        parent.children = parent.tokens = 1;
        Leg& leg = circuit.legs.emplace_back();
        leg.link = link;
        leg.parent = index++;
        leg.depth = static_cast<std::uint8_t>(depth + 1);
        leg.granted = header;
        header = header + a_hop;
        leg.header = header;
        outputs[port * channels + vc].take(slot, index);
        meet(circuit, outputs[port * channels + (vc ^ 1U)]);
    }
    return index;
}

/// The only port that a tag names, if it is free by then; else none.
unsigned PacketNetwork::the_one(unsigned wanted, const Hold* outputs, unsigned vc, Time header) {
    const auto port = static_cast<unsigned>(std::countr_zero(wanted));
    const Hold& held = outputs[port * channels + vc];
    return held.held() || held.free_at() > header ? ports : port;
}

/// The next in turn that nobody uses, on either channel; else none.
unsigned PacketNetwork::any(unsigned wanted, const Hold* outputs, unsigned vc, Time header,
                            SwitchState& state) {
    const int first = state.turn;
    for (unsigned turned = std::rotr(static_cast<std::uint8_t>(wanted), first); turned != 0;
         turned &= turned - 1) {
        const unsigned port =
            (static_cast<unsigned>(std::countr_zero(turned)) + state.turn) % ports;
        const Hold& held = outputs[port * channels + vc];
        if (held.held() || held.free_at() > header || outputs[port * channels + (vc ^ 1U)].held())
            continue;
        state.turn = static_cast<std::uint8_t>((port + 1) % ports);
        return port;
    }
    return ports;
}

/// The data follows at the link's rate: FIFOs are longer than the round trip of a credit, so a
/// header that was held up leaves no gap behind it. Where both channels of a link carry data, each
/// has half of it as long as the other is there.
void PacketNetwork::reached(Circuit& circuit, std::uint32_t index) {
    circuit.end = engine_.now() + flit_time_ * (circuit.flits - 1);
    circuit.shared = {};
    if (circuit.meets && !circuit.packet.route.is_broadcast()) {
        Duration most;
        const Hold* const others = &holds_[circuit.packet.channel ^ 1U];
        for (const Leg& leg : circuit.legs)
            if (others[std::size_t{leg.link} * channels].held())
                most = std::max(most, share(circuit, leg));
        circuit.shared = most;
        circuit.end = circuit.end + most;
        circuit.slow_until = engine_.now() + most * 2;
    }
    schedule_end(circuit, index);
}

/// For how long this circuit, whose header arrives now, loses half of that link to the other
/// channel; which loses as much.
Duration PacketNetwork::share(Circuit& mine, const Leg& leg) {
    const Hold& held = hold(leg.link, mine.packet.channel ^ 1U);
    Circuit& other = circuit(held.circuit());
    if (other.end <= engine_.now() || other.packet.route.is_broadcast()) return {};
    const Leg& others = other.legs[held.leg()];
    const Duration until =
        (other.end - engine_.now()) - hop_ * (other.packet.route.size() - others.depth);
    const Duration from = hop_ * -std::int64_t{mine.packet.route.size() - leg.depth};
    const Duration rest = until - from;
    if (rest <= Duration()) return {};
    // Where the other has but half a link anyway, elsewhere, this one leaves it that.
    const Duration slow = std::min(rest, std::max(Duration(), other.slow_until - engine_.now()));
    const Duration both = std::min(rest - slow / 2, flit_time_ * mine.flits);
    // The tags and the first flit have passed before now: in the other's time, if it was there.
    const bool was_there = others.granted <= leg.granted;
    const Duration before = flit_time_ * (1 + mine.packet.route.size() - leg.depth);
    put_off(other, mine, both - slow / 2 + (was_there ? before : Duration()));
    other.slow_until = std::max(other.slow_until, engine_.now() + both * 2);
    return both;
}

/// No link has more than two channels, so nobody ever has less than half of one.
void PacketNetwork::put_off(Circuit& other, const Circuit& by_whom, Duration by) {
    // On several links with the same one, it is put off once.
    if (other.sharer != by_whom.stamp) other.with_sharer = {};
    other.sharer = by_whom.stamp;
    const Duration more = std::min(by - other.with_sharer, flit_time_ * other.flits - other.shared);
    if (more <= Duration()) return;
    other.with_sharer += more;
    other.shared += more;
    other.end = other.end + more;
    engine_.cancel(other.ending);
    schedule_end(other, static_cast<std::uint32_t>(other.legs.size() - 1));
}

void PacketNetwork::schedule_end(Circuit& ending, std::uint32_t index) {
    std::uint32_t bad = nothing;
    for (std::uint32_t i = index; has_bit_errors() && i != nothing; i = ending.legs[i].parent)
        if (ending.legs[i].corrupt != BitErrors::none) bad = i;
    if (bad == nothing) {
        ending.ending = later(ending, ending.end, [this, index](Circuit& c) { tail(c, index); });
        return;
    }
    const Duration beyond = hop_ * (ending.packet.route.size() - ending.legs[bad].depth);
    const Time found = Time::at(ending.end - Time::at(beyond));
    ending.ending = later(ending, found, [this, bad](Circuit& c) { corrupted(c, bad); });
}

std::unique_ptr<Network> make_packet_network(sim::Engine& engine, const Parameters& parameters) {
    return std::make_unique<PacketNetwork>(engine, parameters);
}

}  // namespace railyard::elite
