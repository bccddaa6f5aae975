#include "interconnects/quadrics/elite/courier.hpp"

namespace railyard::elite {

bool Courier::send(RoutingTable::Processor to, const Packet& packet) {
    return try_now({to, packet, 0, 0});
}

bool Courier::try_now(const Errand& errand) {
    const Route* route = table_.to(errand.to);
    if (!route) return false;
    Errand next = errand;
    next.packet.route = *route;
    ++next.attempts;
    errands_.emplace(network_.send(next.packet).sequence, next);
    return true;
}

Courier::Report Courier::settled(PacketId id, const Outcome& outcome) {
    const auto found = errands_.find(id.sequence);
    if (found == errands_.end()) return {};
    Errand errand = found->second;
    errands_.erase(found);
    Report report{News::none, errand.packet.cookie, errand.attempts};
    if (outcome.kind == Outcome::Kind::accepted) {
        report.news = News::accepted;
    } else if (outcome.kind == Outcome::Kind::refused) {
        report.news = News::refused;
    } else {
        if (++errand.failures > retries_) {
            table_.avoid(outcome.fault.part);
            errand.failures = 0;
        }
        if (!try_now(errand)) report.news = News::unreachable;
    }
    return report;
}

}  // namespace railyard::elite
