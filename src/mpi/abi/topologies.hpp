#pragma once
/// What all topologies have in common: which ranks are in them, and in which order.

#include <memory>
#include <optional>
#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/communicators/making.hpp"
#include "mpi/communicators/mapping.hpp"

namespace railyard::mpi::abi {

/// The place that the calling rank gets if ranks are reordered; MPI_UNDEFINED: none is left.
template <class Topology>
int place_of(State& state, const Comm& comm, const Topology& topology) {
    std::vector<fabric::NodeId> nodes;
    for (int rank = 0; rank < topology.ranks(); ++rank)
        nodes.push_back(state.process().rank().node_of(comm.world_rank(rank)));
    const std::vector<int> ranks = placed(topology, nodes);
    for (std::size_t place = 0; place < ranks.size(); ++place)
        if (ranks[place] == comm.rank()) return static_cast<int>(place);
    return MPI_UNDEFINED;
}

/// A communicator of as many ranks as the topology has, the first ones of `comm`; null for others.
template <class Topology>
std::unique_ptr<Comm> with_places(State& state, Comm& comm, const Topology& topology,
                                  bool reorder) {
    if (comm.rank() >= topology.ranks()) return split(comm, std::nullopt, 0, state.context_ids);
    const int place = reorder ? place_of(state, comm, topology) : comm.rank();
    return split(comm, 0, place, state.context_ids);
}

}  // namespace railyard::mpi::abi
