#include "interconnects/virtual/ideal/fabric.hpp"

#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/ideal/wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ideal {

const fabric::Traits& traits() {
    using namespace literals;
    static const fabric::Traits traits{
        .name = "ideal",
        .description = "fixed latency and bandwidth, nothing else, in virtual time",
        .clock = fabric::Clock::virtual_time,
        .placement = fabric::Placement::last_byte_last,
        .progress = fabric::Progress::hardware,
        .bulk = fabric::Bulk::write,
        .coherent_atomics = true,
        .connectionless = false,
        .crosses_nodes = true,
        .tagged = true,
        .adapter_memory = false,
        .maps_allocated = false,
        .ports = 1,
        .max_message = 1_GiB,
        .max_inline = 64_B,
        .max_slices = 16,
        .max_send_depth = 4096,
        .max_queue_pairs = 65'536,
        .bulk_threshold = 16_KiB,
    };
    return traits;
}

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters) {
    if (parameters.latency < Duration{}) throw UsageError("ideal: a latency below nought");
    if (parameters.bandwidth == Rate{})
        throw UsageError("ideal: a bandwidth of nought moves nothing");
    return std::make_unique<virtual_time::Fabric>(engine, traits(),
                                                  std::make_unique<Wire>(engine, parameters));
}

}  // namespace railyard::ideal
