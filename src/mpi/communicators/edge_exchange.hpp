#pragma once
/// How ranks learn of the edges of a distributed graph that others name.

#include <span>
#include <vector>

#include "mpi/communicators/comm.hpp"

namespace railyard::mpi {

/// The calling rank's part of the graph of all edges that any rank names. All ranks call together,
/// each with edges of any ranks; all or none give weights, else MpiError (arg) on all. Edges are in
/// the order of the ranks that named them.
DistributedGraph gathered(Comm& comm, std::span<const GraphEdge> edges, bool weighted);

/// Every rank's part, on all of them: each brings its own.
std::vector<DistributedGraph> known_to_all(Comm& comm, const DistributedGraph& own);

/// The same as one graph, of edges both ways: a message costs both of its ends.
Graph joined(std::span<const DistributedGraph> parts);

}  // namespace railyard::mpi
