#include "interconnects/virtual/model/traits.hpp"

namespace railyard::model {

fabric::Traits traits(const Parameters& parameters) {
    using namespace literals;
    return {
        .name = parameters.name,
        .description = parameters.description,
        .clock = fabric::Clock::virtual_time,
        .placement = parameters.placement,
        .progress = fabric::Progress::hardware,
        .bulk = parameters.bulk,
        // An adapter's atomics lock its own unit, not the host's memory.
        .coherent_atomics = false,
        .connectionless = parameters.connection.connectionless,
        .client_server = parameters.connection.client_server,
        .crosses_nodes = true,
        .write_immediate = parameters.completion.of_writes,
        .tagged = parameters.tagged.present,
        .adapter_memory = parameters.memory.size > Bytes(),
        .maps_allocated = false,
        .ports = parameters.adapter.ports,
        .max_message = 1_GiB,
        .max_inline = parameters.adapter.max_inline,
        .max_slices = 16,
        .max_send_depth = 4096,
        .max_queue_pairs = 65'536,
        .bulk_threshold = parameters.bulk_threshold,
        .mpi_settings = parameters.mpi_settings,
    };
}

}  // namespace railyard::model
