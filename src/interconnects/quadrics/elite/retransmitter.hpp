#pragma once
/// Sends a packet again after a fault, and when that does not help, takes the part that was blamed
/// out of the routing table and uses another route. For adapters that have no such code of their
/// own.

#include <cstdint>
#include <map>

#include "interconnects/quadrics/elite/network.hpp"
#include "interconnects/quadrics/elite/routing.hpp"

namespace railyard::elite {

class Retransmitter {
  public:
    /// The table is the caller's, and stays so.
    Retransmitter(Network& network, RoutingTable& table, unsigned retries = 3)
        : network_(network), table_(table), retries_(retries) {}

    /// False, with nothing sent, if no way is left. The packet's route is filled in here.
    bool send(RoutingTable::Processor to, const Packet& packet);

    enum class Result : std::uint8_t {
        none,         ///< it is under way again
        accepted,     ///< it is there
        refused,      ///< the destination does not want it
        unreachable,  ///< no way is left
    };
    struct Report {
        Result result = Result::none;
        std::uint64_t cookie = 0;
        unsigned attempts = 0;
    };
    /// To be called with what the source's adapter is told (Adapter::settled).
    Report settled(PacketId id, const Outcome& outcome);

  private:
    struct Pending {
        RoutingTable::Processor to = 0;
        Packet packet;
        unsigned attempts = 0;
        unsigned failures = 0;  ///< on the present way
    };
    bool try_now(const Pending& pending);

    Network& network_;
    RoutingTable& table_;
    unsigned retries_;
    std::map<std::uint64_t, Pending> pending_;  ///< by sequence number
};

inline bool Retransmitter::send(RoutingTable::Processor to, const Packet& packet) {
    return try_now({to, packet, 0, 0});
}

inline bool Retransmitter::try_now(const Pending& pending) {
    const Route* route = table_.to(pending.to);
    if (!route) return false;
    Pending next = pending;
    next.packet.route = *route;
    ++next.attempts;
    pending_.emplace(network_.send(next.packet).sequence, next);
    return true;
}

inline Retransmitter::Report Retransmitter::settled(PacketId id, const Outcome& outcome) {
    const auto found = pending_.find(id.sequence);
    if (found == pending_.end()) return {};
    Pending pending = found->second;
    pending_.erase(found);
    Report report{Result::none, pending.packet.cookie, pending.attempts};
    if (outcome.kind == Outcome::Kind::accepted) {
        report.result = Result::accepted;
    } else if (outcome.kind == Outcome::Kind::refused) {
        report.result = Result::refused;
    } else {
        if (++pending.failures > retries_) {
            table_.avoid(outcome.fault.part);
            pending.failures = 0;
        }
        if (!try_now(pending)) report.result = Result::unreachable;
    }
    return report;
}

}  // namespace railyard::elite
