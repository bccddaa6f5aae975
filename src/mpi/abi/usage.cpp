#include "mpi/abi/usage.hpp"

#include "mpi/abi/state.hpp"

namespace railyard::mpi::abi {

Usage usage() {
    const Process& process = State::here()->process();
    const Counters& counters = process.counters();
    return {.queue_pairs = counters.queue_pairs,
            .connections = counters.connections,
            .used = process.used_connections(),
            .bytes = counters.peer_bytes};
}

}  // namespace railyard::mpi::abi
