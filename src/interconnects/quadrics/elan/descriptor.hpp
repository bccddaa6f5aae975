#pragma once
/// What a remote DMA is to do: 64 bytes that a process writes into Elan memory, and whose address
/// it gives to the command processor (mech.remote-dma).

#include <cstdint>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "interconnects/quadrics/elite/network.hpp"

namespace railyard::elan {

enum class Direction : std::uint8_t {
    write,  ///< from the memory of whoever posts it to a remote one
    read,   ///< from a remote memory: the adapter over there is asked to write (RD-8)
    /// From memory to an input queue, whose number is the destination address: one packet.
    message,
};

struct alignas(8) Descriptor {
    Direction direction = Direction::write;
    elite::Priority priority = elite::Priority::low;
    /// A write may go to all processes from `destination` to this one, if their nodes are a range.
    bool broadcast = false;
    std::uint8_t retries = 0;  ///< after a fault, on each way; 0: the adapter's default
    std::uint32_t size = 0;
    Vpid source = 0;
    Vpid destination = 0;
    Vpid last_destination = 0;  ///< of a broadcast
    Address source_address = null_address;
    Address destination_address = null_address;
    Address source_event = null_address;       ///< set at the source, after the acknowledgment
    Address destination_event = null_address;  ///< set at the destination, when all is in place
    Address failure_event = null_address;      ///< set at the source if it fails, and only then
};
static_assert(sizeof(Descriptor) <= 64);

/// Tells a DMA from all others, in traces.
using DmaId = std::uint64_t;

}  // namespace railyard::elan
