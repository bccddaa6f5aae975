#pragma once
/// A message of the fabric on its way through the machine.

#include <cstdint>
#include <vector>

#include "interconnects/quadrics/fabric/memory_map.hpp"

namespace railyard::quadrics {

struct Message {
    std::uint64_t number = 0;  ///< its place among all, for good
    virtual_time::Kind kind = virtual_time::Kind::control;
    virtual_time::End from;
    virtual_time::End to;
    sim::Action arrived;

    // What its DMAs use, and gives back when all of them have been acknowledged and have arrived.
    std::vector<elan::Address> blocks;  ///< descriptors and envelope in the source's Elan memory
    elan::Address sent = elan::null_address;
    elan::Address landed = elan::null_address;
    std::vector<MemoryMap::Use> source;
    std::vector<MemoryMap::Use> target;
    bool acknowledged = false;

    // Its place among those between the same two nodes.
    bool is_there = false;  ///< but others before it are not
    bool delivered = false;
    Message* before = nullptr;
    Message* behind = nullptr;
};

/// What must not overtake each other: requests of a pair of queue pairs, envelopes of a pair of
/// tagged ports. Answers and the data that an envelope announced go by themselves.
bool share_a_lane(const Message& one, const Message& other);

}  // namespace railyard::quadrics
