#pragma once
/// Gets a packet through: tries again after a fault, and when that has not helped, takes the part
/// that was blamed out of the routing table and goes another way. What a source does, for those who
/// have no ways of their own.

#include <cstdint>
#include <map>

#include "interconnects/quadrics/elite/network.hpp"
#include "interconnects/quadrics/elite/routing_table.hpp"

namespace railyard::elite {

class Courier {
  public:
    /// The table is the caller's, and stays so.
    Courier(Network& network, RoutingTable& table, unsigned retries = 3)
        : network_(network), table_(table), retries_(retries) {}

    /// False, with nothing sent, if no way is left. The packet's route is filled in here.
    bool send(RoutingTable::Processor to, const Packet& packet);

    enum class News : std::uint8_t {
        none,         ///< it is under way again
        accepted,     ///< it is there
        refused,      ///< the destination does not want it
        unreachable,  ///< no way is left
    };
    struct Report {
        News news = News::none;
        std::uint64_t cookie = 0;
        unsigned attempts = 0;
    };
    /// To be called with what the source's adapter is told (Adapter::settled).
    Report settled(PacketId id, const Outcome& outcome);

  private:
    struct Errand {
        RoutingTable::Processor to = 0;
        Packet packet;
        unsigned attempts = 0;
        unsigned failures = 0;  ///< on the present way
    };
    bool try_now(const Errand& errand);

    Network& network_;
    RoutingTable& table_;
    unsigned retries_;
    std::map<std::uint64_t, Errand> errands_;  ///< by sequence number
};

}  // namespace railyard::elite
