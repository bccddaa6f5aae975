#pragma once
/// The numbers of the machine of Quadrics, from a profile that is run by it (engine = "elan"): the
/// section [elan], and what the other sections have already said.

#include <span>

#include "interconnects/quadrics/elan/parameters.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "railyard/fabric.hpp"

namespace railyard::quadrics {

/// [elan]: what no other section has. docs/profiles.md says what is taken from the others.
struct Elan {
    // The host's processor.
    Duration descriptor;  ///< writing one into the adapter's memory
    Duration command;     ///< writing its address
    Duration tport_post;  ///< a library's work for a tagged send or receive
    // The bus: one for both ways, in bursts of a block.
    Rate pci_burst = Rate::bytes_per_second(528'000'000);
    Duration pci_read;        ///< of each burst: address and waits
    Duration pci_write;       ///< likewise
    Duration pci_first_read;  ///< of a stream, before the bridge reads ahead
    // Steps of the microcode.
    Duration check;        ///< of a command
    Duration enqueue;      ///< of a descriptor
    Duration dma_start;    ///< a descriptor is loaded, for the first or next slice
    Duration packet;       ///< of the DMA engine, each packet
    Duration input;        ///< of the inputter, each packet
    Duration notify;       ///< the inputter tells the DMA engine ...
    Duration acknowledge;  ///< ... which tells the source
    Duration event;
    Duration block_copy;
    Duration schedule;  ///< of a thread
    // Code on the thread processor.
    Duration thread_packet;   ///< building one
    Duration thread_receive;  ///< taking a tagged receive into its list
    // What the units hold, and what packets are made of.
    Bytes transaction;                   ///< type, address and CRC of each
    unsigned slice = 32;                 ///< packets of one DMA before others have their turn
    unsigned buffers = 3;                ///< packets that the DMA engine holds
    unsigned queue_slots = 64;           ///< of an input queue
    Duration fault_delay;                ///< before the first retry; each next waits twice that
    Duration backoff = Duration::us(2);  ///< before what was refused for now is sent again
    // The switches.
    elite::Detail detail = elite::Detail::packets;  ///< how closely they are followed
    Bytes flit{2};
    unsigned fifo = 128;  ///< flits that a virtual channel's input holds
    Duration wire;        ///< of every cable
};

struct Parameters : hardware::Parameters {
    Elan elan;
};

/// All keys of [elan], for tests that go through them one by one ...
std::span<const profiles::Row<Elan>> elan_rows();
/// ... and for those who read profiles.
profiles::Table elan_table();
/// What a profile says, which was read with that table and that of the hardware.
Parameters read(const profiles::Profile& profile);

/// A machine with at least so many nodes. Throws UsageError where the profile describes one that
/// cannot be built: a crossbar, two ports, packets of another size.
elan::Parameters machine_parameters(const Parameters& profile, fabric::NodeId nodes);

}  // namespace railyard::quadrics
