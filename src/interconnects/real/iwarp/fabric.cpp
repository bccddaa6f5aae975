#include "interconnects/real/iwarp/fabric.hpp"

#include "interconnects/real/common/fabric.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/settings.hpp"

namespace railyard::iwarp {

using namespace literals;

namespace {

fabric::Traits traits_for(const Settings& settings) {
    fabric::Traits t;
    t.name = "iwarp";
    t.description = "RDMA over TCP in user space, on the wire as RFC 5040 to 5044 have it";
    t.clock = fabric::Clock::real;
    t.placement = fabric::Placement::last_byte_last;
    t.progress = settings.progress_thread ? fabric::Progress::thread : fabric::Progress::calls;
    // Answers to Reads leave from where they lie, but with a CRC they are copied first.
    t.bulk = settings.crc ? fabric::Bulk::write : fabric::Bulk::read;
    t.coherent_atomics = true;
    t.crosses_nodes = true;
    t.max_message = 4_GiB - 1_B;  // DDP counts a message's bytes in 32 bits
    t.max_inline = Bytes(max_inline);
    t.max_slices = max_slices;
    t.max_send_depth = 4096;
    t.max_queue_pairs = 8192;
    t.bulk_threshold = 64_KiB;
    return t;
}

}  // namespace

const fabric::Traits& traits() {
    static const fabric::Traits traits = traits_for(settings_from_environment());
    return traits;
}

std::unique_ptr<fabric::Fabric> open() {
    return open(settings_from_environment());
}

std::unique_ptr<fabric::Fabric> open(const Settings& settings) {
    return real::make_fabric(traits_for(settings),
                             [settings](hosts::RealHost& host, const fabric::Traits& traits) {
                                 return std::make_unique<Nic>(host, traits, settings);
                             });
}

}  // namespace railyard::iwarp
