#pragma once
/// A random collective that moves data, with its oracle: every byte that must come is known.

#include <mpi.h>

#include "sim/random.hpp"

namespace railyard::mpi::programs {

/// All ranks of the communicator draw the same numbers, and so take part in the same collective.
void move_at_random(MPI_Comm comm, sim::Random& random, std::uint64_t number);

}  // namespace railyard::mpi::programs
