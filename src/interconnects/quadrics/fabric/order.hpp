#pragma once
/// Two DMAs of a process may overtake each other: the engine takes turns between them, and each has
/// two channels. Whoever needs an order has to restore it (TP-7). Here that is done for the fabric:
/// what shares a lane is delivered as it was sent, and a message of the connection protocol neither
/// overtakes anything between its two nodes nor is overtaken.

#include <cstdint>
#include <unordered_map>

#include "interconnects/quadrics/fabric/message.hpp"

namespace railyard::quadrics {

class Order {
  public:
    /// In the order of sending.
    void add(Message& message);
    /// It has arrived at its node.
    void arrived(Message& message);
    /// It never will.
    void lost(Message& message);
    /// The next one between these nodes whose turn it is, which is then forgotten here; null: none.
    Message* take_next(fabric::NodeId from, fabric::NodeId to);

  private:
    struct Way {
        Message* oldest = nullptr;
        Message* newest = nullptr;
        std::size_t waiting = 0;  ///< that have arrived
    };
    Way& way(fabric::NodeId from, fabric::NodeId to) {
        return ways_[std::uint64_t{from} << 32 | to];
    }
    static void remove(Way& way, Message& message);
    static bool is_its_turn(const Message& message);

    std::unordered_map<std::uint64_t, Way> ways_;  ///< by source and destination; looked up only
};

}  // namespace railyard::quadrics
