#pragma once
/// A message on its way through the machine, and its order among others. Two DMAs of a process may
/// overtake each other: the engine takes turns between them, and each has two channels. Whoever
/// needs an order has to restore it (TP-7). Here that is done for the fabric: what shares a lane is
/// delivered as it was sent, and a message of the connection protocol neither overtakes anything
/// between its two nodes nor is overtaken.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "interconnects/quadrics/fabric/memory_map.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::quadrics {

/// A message of the fabric on its way through the machine.
struct Message {
    virtual_time::Kind kind = virtual_time::Kind::control;
    virtual_time::End from;
    virtual_time::End to;
    sim::Action arrived;

    // What its DMAs use, and gives back when all of them have been acknowledged and have arrived.
    std::vector<elan::Address> blocks;  ///< descriptors in the source's Elan memory
    elan::Address sent = elan::null_address;
    elan::Address landed = elan::null_address;
    std::vector<MemoryMap::RegionId> source;
    std::vector<MemoryMap::RegionId> target;
    bool acknowledged = false;

    // Its place among those between the same two nodes.
    bool is_there = false;  ///< but others before it are not
    bool delivered = false;
    Message* before = nullptr;
    Message* behind = nullptr;
};

/// What must not overtake each other: requests of a pair of queue pairs, and answers of one.
bool share_a_lane(const Message& one, const Message& other);

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
