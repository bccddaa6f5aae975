#include "interconnects/virtual/model/fault_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace railyard::model {

namespace {

using Direction = FaultPlan::Direction;

bool same_way(faults::Place::Way way, bool away) {
    using Way = faults::Place::Way;
    return way == Way::both || (way == Way::away) == away;
}

/// A link of that level, between a switch of it and one of the next, ends at that switch? Links are
/// named by the digits of the switches on either side (Switches::add_way).
bool ends_at(unsigned level, std::uint64_t number, const faults::Place& at) {
    const std::uint64_t group = number / faults::power_of_four(level);
    const std::uint64_t above = number % faults::power_of_four(level);
    if (at.level == level)
        return at.number ==
               group * faults::power_of_four(level - 1) + above % faults::power_of_four(level - 1);
    return at.level == level + 1 && at.number == group / 4 * faults::power_of_four(level) + above;
}

bool strikes_node(const faults::Place& at, const faults::Layout& layout, unsigned port,
                  std::uint64_t node, bool out) {
    switch (at.kind) {
        case faults::Place::Kind::all_links:
            return true;
        case faults::Place::Kind::node:
            return at.number == node;
        case faults::Place::Kind::node_link:
            return at.number == node && at.level == port && same_way(at.way, out);
        case faults::Place::Kind::switch_link:
            return false;
        case faults::Place::Kind::network_switch:
            break;
    }
    return !layout.is_tree() || (at.level == 1 && at.number == node / 4);
}

bool strikes_link(const faults::Place& at, unsigned level, std::uint64_t number, bool up) {
    switch (at.kind) {
        case faults::Place::Kind::all_links:
            return true;
        case faults::Place::Kind::node:
        case faults::Place::Kind::node_link:
            return false;
        case faults::Place::Kind::switch_link:
            return at.number == number && at.level == level && same_way(at.way, up);
        case faults::Place::Kind::network_switch:
            break;
    }
    return ends_at(level, number, at);
}

/// That at least one of so many bits is wrong.
double damaged(double rate, Bytes size) {
    if (rate >= 1) return 1;
    return -std::expm1(8 * static_cast<double>(size.count()) * std::log1p(-rate));
}

}  // namespace

bool Health::lets_through(Time now, Bytes size) {
    for (const Cause& cause : causes_) {
        if (!cause.fault->is_on(now)) continue;
        if (cause.fault->what == faults::Fault::What::bit_errors &&
            random_.fraction() >= damaged(cause.fault->rate, size))
            continue;
        ++*cause.taken;
        return false;
    }
    return true;
}

FaultPlan::FaultPlan(const faults::Script& script, const faults::Layout& layout,
                     std::shared_ptr<fabric::FaultReport> report)
    : script_(script), layout_(layout), report_(std::move(report)) {
    for (const faults::Fault& fault : script_.faults)
        report_->faults.push_back({faults::to_string(fault, layout_), 0});
}

template <class Strikes>
Health* FaultPlan::health(std::uint64_t stream, Strikes strikes) {
    std::vector<Health::Cause> causes;
    for (std::size_t i = 0; i < script_.faults.size(); ++i)
        if (strikes(script_.faults[i]))
            causes.push_back({&script_.faults[i], &report_->faults[i].packets});
    if (causes.empty()) return nullptr;
    healths_.push_back(
        std::make_unique<Health>(std::move(causes), sim::Random(script_.seed, stream)));
    return healths_.back().get();
}

Health* FaultPlan::link(Direction direction, unsigned level, std::uint64_t number) {
    const bool away = direction == Direction::out || direction == Direction::up;
    const bool of_node = direction == Direction::out || direction == Direction::in;
    const std::uint64_t stream =
        number << 16 | std::uint64_t{level} << 8 | static_cast<unsigned>(direction);
    return health(stream, [&](const faults::Fault& fault) {
        return of_node ? strikes_node(fault.where, layout_, level, number, away)
                       : strikes_link(fault.where, level, number, away);
    });
}

Health* FaultPlan::loop(fabric::NodeId node) {
    return health(std::uint64_t{node} << 16 | 0xffff, [&](const faults::Fault& fault) {
        return fault.what == faults::Fault::What::adapter_reset && fault.where.number == node;
    });
}

Fifo* FaultPlan::loses(std::span<Fifo* const> parts, Time now, Bytes size) {
    for (Fifo* const part : parts)
        if (part->health && !part->health->lets_through(now, size)) return part;
    return nullptr;
}

unsigned FaultPlan::resets(fabric::NodeId node, Time now) const {
    return static_cast<unsigned>(
        std::ranges::count_if(script_.faults, [&](const faults::Fault& fault) {
            return fault.what == faults::Fault::What::adapter_reset && fault.where.number == node &&
                   fault.at <= now;
        }));
}

}  // namespace railyard::model
