#include "interconnects/real/shm/fabric.hpp"

#include "interconnects/real/common/nic.hpp"
#include "interconnects/real/shm/arena.hpp"
#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"

namespace railyard::shm {

using namespace literals;

const fabric::Traits& traits() {
    static const fabric::Traits traits = [] {
        fabric::Traits t;
        t.name = "shm";
        t.description = "shared memory between the ranks of one host";
        t.clock = fabric::Clock::real;
        t.placement = fabric::Placement::last_byte_last;
        t.progress = fabric::Progress::calls;
        t.bulk = fabric::Bulk::send;
        t.coherent_atomics = true;
        t.maps_allocated = true;
        t.max_message = 1_GiB * 1024;
        t.max_inline = Bytes(max_inline);
        t.max_slices = max_slices;
        t.max_send_depth = 4096;
        t.max_queue_pairs = max_blocks;
        t.bulk_threshold = 4_KiB;
        return t;
    }();
    return traits;
}

std::unique_ptr<fabric::Fabric> open() {
    return real::make_fabric(traits(), [](hosts::RealHost& host, const fabric::Traits& traits) {
        return std::make_unique<Nic>(host, traits);
    });
}

}  // namespace railyard::shm
