#pragma once
/// Which rank gets which place in a topology, so that neighbours are on one node where that can be.

#include <span>
#include <vector>

#include "mpi/communicators/topology.hpp"
#include "railyard/fabric.hpp"

namespace railyard::mpi {

/// For each place of the topology the rank that gets it; `nodes` says where each rank is, and has
/// as many as there are places. Ranks keep their own order unless with another one fewer edges lead
/// from node to node. Every rank comes to the same answer, as it knows the same.
std::vector<int> placed(const Cartesian& grid, std::span<const fabric::NodeId> nodes);
std::vector<int> placed(const Graph& graph, std::span<const fabric::NodeId> nodes);

}  // namespace railyard::mpi
