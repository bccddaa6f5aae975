#pragma once
/// A rank's neighbours in the topology of its communicator, and how ranks learn of edges that
/// others name.

#include <vector>

#include "mpi/communicators/comm.hpp"

namespace railyard::mpi {

/// In the order in which neighbourhood collectives take them. A rank may be there several times; on
/// a grid, no_rank is what lies beyond an open edge.
struct Neighbours {
    std::vector<int> sources;
    std::vector<int> destinations;
};

/// Throws MpiError (topology) if the communicator has none.
Neighbours neighbours_of(const Comm& comm);

}  // namespace railyard::mpi
