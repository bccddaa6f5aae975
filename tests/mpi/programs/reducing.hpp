#pragma once
/// A random reduction with its oracle: contributions folded in the order of ranks, one by one.

#include <mpi.h>

#include "sim/random.hpp"

namespace railyard::mpi::programs {

/// Operations that users make; freed at the end.
class OwnOperations {
  public:
    OwnOperations();
    ~OwnOperations();
    OwnOperations(const OwnOperations&) = delete;
    OwnOperations& operator=(const OwnOperations&) = delete;

    MPI_Op compose = MPI_OP_NULL;    ///< of affine maps: does not commute
    MPI_Op add_pairs = MPI_OP_NULL;  ///< commutes
    MPI_Datatype pair = MPI_DATATYPE_NULL;
};

/// All ranks of the communicator draw the same numbers, and so take part in the same collective.
void reduce_at_random(MPI_Comm comm, const OwnOperations& own, sim::Random& random,
                      std::uint64_t number);

}  // namespace railyard::mpi::programs
