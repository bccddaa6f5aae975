#include "interconnects/quadrics/fabric/machine_faults.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace railyard::quadrics {

namespace {

using What = faults::Fault::What;

/// Of the random streams of a script's seed, those from here on are the links'.
constexpr std::uint64_t first_stream = 0x656c'616e'0000'0000;

/// When a fault that has begun last changed, and when it changes next.
struct Edges {
    Time last;
    Time next;
};

Edges edges(const faults::Fault& fault, Time now) {
    if (now < fault.at) return {Time(), fault.at};
    if (fault.what != What::flapping_link)
        return now < fault.end() ? Edges{fault.at, fault.end()} : Edges{fault.end(), Time::never()};
    const Duration period = fault.down + fault.up;
    const Time until = std::min(now, fault.end());
    const std::int64_t rounds = (until - fault.at).picoseconds() / period.picoseconds();
    const Time down = fault.at + period * rounds;
    const Time up = down + fault.down;
    if (now >= fault.end()) return {std::min(up, until), Time::never()};
    if (now < up) return {down, std::min(up, fault.end())};
    return {up, std::min(down + period, fault.end())};
}

}  // namespace

/// The digits of a link's number are those of the switches on either side: the upper one's take the
/// place of the lower one's, one more at each level.
elite::CableId cable_between(const elite::FatTree& tree, unsigned level, std::uint64_t number) {
    const std::uint64_t below = faults::power_of_four(level - 1);
    const std::uint64_t above = number % (4 * below);
    const std::uint64_t lower = number / (4 * below) * below + above % below;
    const elite::SwitchId from = tree.switch_at(level, static_cast<std::uint32_t>(lower));
    return tree.cable(tree.out(from, elite::ports_down + static_cast<unsigned>(above / below)));
}

FaultParts parts_of(const faults::Place& place, const elite::FatTree& tree) {
    using Kind = faults::Place::Kind;
    using Way = faults::Place::Way;
    FaultParts parts;
    parts.up = place.way != Way::back;
    parts.down = place.way != Way::away;
    switch (place.kind) {
        case Kind::all_links:
            parts.cables.resize(tree.cables());
            std::iota(parts.cables.begin(), parts.cables.end(), 0U);
            break;
        case Kind::node:
        case Kind::node_link:
            parts.cables = {static_cast<elite::CableId>(place.number)};
            break;
        case Kind::switch_link:
            parts.cables = {cable_between(tree, place.level, place.number)};
            break;
        case Kind::network_switch:
            parts.whole_switch =
                tree.switch_at(place.level, static_cast<std::uint32_t>(place.number));
            break;
    }
    return parts;
}

MachineFaults::MachineFaults(elan::Machine& machine, const faults::Script& script,
                             const faults::Layout& layout,
                             std::shared_ptr<fabric::FaultReport> report)
    : machine_(machine), script_(script), report_(std::move(report)) {
    for (const faults::Fault& fault : script_.faults) {
        report_->faults.push_back({to_string(fault, layout), 0});
        strikes_.push_back({&fault, parts_of(fault.where, machine_.network().tree()), false});
    }
    machine_.network().watch(this);
}

void MachineFaults::woken() {
    catch_up();
}

void MachineFaults::rested() {
    machine_.engine().cancel(std::exchange(next_, {}));
}

/// Brings all parts to where the script has them now.
void MachineFaults::catch_up() {
    sim::Engine& engine = machine_.engine();
    Time next = Time::never();
    for (Strike& strike : strikes_) {
        // A reset that came and went while nothing was under way has emptied its caches all the
        // same.
        const bool on = strike.fault->what == What::adapter_reset
                            ? strike.fault->at <= engine.now()
                            : strike.fault->is_on(engine.now());
        if (on != strike.on) set(strike, on);
        next = std::min(next, edges(*strike.fault, engine.now()).next);
    }
    // Never: nothing is scheduled.
    next_ = engine.schedule(next, [this] { catch_up(); });
}

void MachineFaults::set(Strike& strike, bool on) {
    strike.on = on;
    if (strike.fault->what == What::adapter_reset) {
        const Time now = machine_.engine().now();
        // The cable of a node has its number.
        const elite::NodeId node = strike.parts.cables.front();
        return machine_.adapter(node).reset(std::max(strike.fault->end(), now) - now);
    }
    elite::Network& network = machine_.network();
    if (strike.fault->what == What::bit_errors) return set_errors(strike.parts);
    if (strike.parts.whole_switch)
        network.set_dead(elite::Part::switch_of(*strike.parts.whole_switch), on);
    // A cable of which one way is dead is no use: what goes one way, its token goes the other.
    for (const elite::CableId cable : strike.parts.cables)
        network.set_dead(elite::Part::cable(cable), on);
}

void MachineFaults::set_errors(const FaultParts& parts) {
    elite::Network& network = machine_.network();
    const elite::FatTree& tree = network.tree();
    for (const elite::CableId cable : parts.cables) {
        const elite::LinkId up = tree.up(cable);
        for (const elite::LinkId link : {up, tree.reverse(up)})
            if (link == up ? parts.up : parts.down)
                network.set_link_errors(link, error_rate(cable, link == up),
                                        sim::Random(script_.seed, first_stream + link));
    }
}

/// Of all faults together.
double MachineFaults::error_rate(elite::CableId cable, bool up) const {
    double rate = 0;
    for (const Strike& strike : strikes_)
        if (strike.on && strike.fault->what == What::bit_errors &&
            (up ? strike.parts.up : strike.parts.down) &&
            std::ranges::binary_search(strike.parts.cables, cable))
            rate += strike.fault->rate;
    return std::min(rate, std::nextafter(1.0, 0.0));
}

void MachineFaults::failed(const elite::Fault& fault, bool arrived) {
    if (fault.kind == elite::Fault::Kind::bad_route) return;
    ++(arrived ? report_->acknowledgments : report_->lost);
    // Its source sends it again, unless unreachable() follows.
    ++report_->retransmitted;
    blame(fault);
}

/// The script's fault that did it: of those that strike there, the first that is on, or else the
/// one that was on last, since news takes its time.
void MachineFaults::blame(const elite::Fault& fault) {
    const Time now = machine_.engine().now();
    const auto since = [&](const Strike& strike) {
        return strike.fault->is_on(now) ? Time::never() : edges(*strike.fault, now).last;
    };
    const Strike* guilty = nullptr;
    for (const Strike& strike : strikes_)
        if (strike.fault->at <= now && strikes(strike, fault) &&
            (!guilty || since(strike) > since(*guilty)))
            guilty = &strike;
    if (guilty) ++report_->faults[static_cast<std::size_t>(guilty - strikes_.data())].packets;
}

bool MachineFaults::strikes(const Strike& strike, const elite::Fault& fault) const {
    const bool corrupts = strike.fault->what == What::bit_errors;
    if (corrupts != (fault.kind == elite::Fault::Kind::corrupted)) return false;
    if (fault.part.kind == elite::Part::Kind::whole_switch)
        return strike.parts.whole_switch == fault.part.id;
    return std::ranges::binary_search(strike.parts.cables, fault.part.id);
}

void MachineFaults::unreachable(const Lost& lost) {
    if (lost.tried) --report_->retransmitted;  // its last failure was not followed by another try
    for (const elite::NodeId to : lost.to)
        give_up(to, lost);
}

void MachineFaults::give_up(elite::NodeId to, const Lost& lost) {
    std::uint64_t& told = told_[{lost.from, to}];
    if (lost.number < told) return;
    told = lost.next;
    ++report_->unreachable;
    if (given_up_) given_up_(lost.from, to);
}

}  // namespace railyard::quadrics
