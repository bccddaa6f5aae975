#pragma once
/// The numbers of an Elan3 adapter, its host and its network. Each names where it comes from:
/// stated by petrini02, or fitted, and to which of its figures.

#include <cstdint>

#include "base/rate.hpp"
#include "interconnects/quadrics/elite/network.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard::elan {

constexpr std::uint32_t page_size = 4096;   ///< the host processor's
constexpr std::uint32_t block_size = 64;    ///< of a write-block transaction: stated
constexpr std::uint32_t packet_data = 320;  ///< five blocks: recalled from the literature

constexpr Duration cycle = Duration::ns(10);  ///< of the chip: recalled, 100 MHz

/// What the host's processor spends: on a 733 MHz Pentium III.
struct HostCosts {
    Duration descriptor = Duration::ns(250);  ///< to write one over PCI: fitted, latency of 0 bytes
    Duration command = Duration::ns(150);     ///< to write its address: likewise
    Duration detect = Duration::ns(200);      ///< from a change in main memory until it is seen
    Duration interrupt = Duration::ns(13'300);  ///< until a process that blocks runs: liu04's hosts
    Duration trap = Duration::us(10);  ///< system software binds a page: fitted, liu04's reuse
    Rate copy = Rate::bytes_per_second(400'000'000);  ///< between processes: memory of the time
    friend bool operator==(const HostCosts&, const HostCosts&) = default;
};

/// PCI, 64 bits at 66 MHz: one bus for both ways, in bursts of a block.
struct PciTimes {
    Rate burst = Rate::bytes_per_second(528'000'000);  ///< stated: width times clock
    Duration read = Duration::ps(77'900);    ///< a burst's address and waits: fitted, 321 MB/s
    Duration write = Duration::ps(80'400);   ///< fitted: 317 MB/s
    Duration first_read = Duration::ns(30);  ///< of a stream, before the bridge reads ahead: fitted
    friend bool operator==(const PciTimes&, const PciTimes&) = default;
};

/// Steps of the microcode: from when one of its four threads wakes until it has done with it. Most
/// of that it waits for memory, and the processor is another's.
struct MicrocodeTimes {
    Duration check = Duration::ns(150);   ///< step 3: command processor
    Duration enqueue = Duration::ns(50);  ///< step 4
    Duration dma_start =
        Duration::ns(470);               ///< a descriptor is loaded, for the first or next slice
    Duration packet = Duration::ns(40);  ///< of the DMA engine, each packet
    Duration input = Duration::ns(60);   ///< of the inputter, each packet
    Duration notify = Duration::ns(10);  ///< step 6
    Duration acknowledge = Duration::ns(10);  ///< step 7
    Duration event = Duration::ns(80);
    Duration block_copy = Duration::ns(50);
    Duration schedule = Duration::ns(60);  ///< of a thread
    friend bool operator==(const MicrocodeTimes&, const MicrocodeTimes&) = default;
};

/// What Tports' code costs on the thread processor, and its host part.
struct TportTimes {
    Duration post = Duration::ns(200);     ///< of the host, for a send or a receive
    Duration match = Duration::ns(1'800);  ///< of the thread, each envelope: fitted, 4.4 us
    Duration entry = Duration::ns(100);    ///< each list entry passed over: assumed
    Duration receive = Duration::ns(300);  ///< of the thread, to take a receive into its list
    friend bool operator==(const TportTimes&, const TportTimes&) = default;
};

struct Parameters {
    elite::Parameters network;
    HostCosts host;
    PciTimes pci;
    MicrocodeTimes microcode;
    TportTimes tports;

    Rate internal_bus = Rate::bytes_per_second(565'000'000);  ///< fitted: 280 MB/s both ways
    Rate sdram = Rate::bytes_per_second(510'000'000);  ///< fitted: Elan to Elan is below that
    Bytes sdram_size{64 << 20};                        ///< stated
    unsigned requests = 8;                             ///< of memory, outstanding: stated
    unsigned tlb_entries = 16;                         ///< stated
    Duration thread_packet = Duration::ns(400);        ///< for a thread to build one: assumed
    Bytes transaction{9};  ///< type, address and CRC of each: fitted with 335 MB/s
    unsigned slice = 32;   ///< packets of one DMA before others have their turn: assumed
    unsigned buffers = 3;  ///< of the DMA engine: one leaves on each channel, one is filled
    unsigned retries = 3;  ///< FA-6; then another way
    unsigned rounds = 1;   ///< of all ways anew, where the tables know none: assumed
    Duration fault_delay = Duration::us(1);  ///< before the first retry; each next waits twice that
    Duration backoff = Duration::us(2);      ///< before what was refused for now is sent again
    unsigned queue_slots = 64;               ///< of an input queue
    std::uint64_t host_offset = 0;  ///< main address less Elan address; 0 on a 32-bit host (GV-5)
    friend bool operator==(const Parameters&, const Parameters&) = default;
};

}  // namespace railyard::elan
