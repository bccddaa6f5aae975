#pragma once
/// Which rank gets which place in a topology, so that neighbours are on one node where that can be,
/// and within a node near each other: in the same package, under the same cache.

#include <span>
#include <vector>

#include "mpi/communicators/hardware_split.hpp"
#include "mpi/communicators/topology.hpp"

namespace railyard::mpi {

/// For each place of the topology the rank that gets it; `ranks` says where each rank is, and has
/// as many as there are places. A kind of hardware that is not known of all ranks is passed over.
/// Ranks keep their own order unless with another one less leads from node to node, by the weights
/// of edges, or as much, and less from package to package, and so on to the smallest kind. Every
/// rank comes to the same answer, as it knows the same.
std::vector<int> placed(const Cartesian& grid, std::span<const Whereabouts> ranks);
std::vector<int> placed(const Graph& graph, std::span<const Whereabouts> ranks);

}  // namespace railyard::mpi
