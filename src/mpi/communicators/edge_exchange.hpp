#pragma once
/// How ranks learn of the edges of a distributed graph that others name.

#include <span>

#include "mpi/communicators/comm.hpp"

namespace railyard::mpi {

/// The calling rank's part of the graph of all edges that any rank names. All ranks call together,
/// each with edges of any ranks; all or none give weights, else MpiError (arg) on all. Edges are in
/// the order of the ranks that named them.
DistributedGraph gathered(Comm& comm, std::span<const GraphEdge> edges, bool weighted);

}  // namespace railyard::mpi
