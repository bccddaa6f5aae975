#pragma once
/// What all topologies have in common: which ranks are in them, and in which order.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/communicators/making.hpp"
#include "mpi/communicators/mapping.hpp"

namespace railyard::mpi::abi {

/// The place that the calling rank gets if ranks are reordered; MPI_UNDEFINED: none is left. `all`
/// says where the communicator's ranks are.
template <class Topology>
int place_of(const Comm& comm, const Topology& topology, std::span<const Whereabouts> all) {
    const auto count = static_cast<std::size_t>(topology.ranks());
    const std::vector<int> ranks = placed(topology, all.first(count));
    for (std::size_t place = 0; place < ranks.size(); ++place)
        if (ranks[place] == comm.rank()) return static_cast<int>(place);
    return MPI_UNDEFINED;
}

/// A communicator of as many ranks as the topology has, the first ones of `comm`; null for others.
template <class Topology>
std::unique_ptr<Comm> with_places(State& state, Comm& comm, const Topology& topology,
                                  bool reorder) {
    int place = comm.rank();
    if (reorder) place = place_of(comm, topology, whereabouts_of_all(comm));
    if (comm.rank() >= topology.ranks()) return split(comm, std::nullopt, 0, state.context_ids);
    return split(comm, 0, place, state.context_ids);
}

}  // namespace railyard::mpi::abi
