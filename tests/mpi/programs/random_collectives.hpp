#pragma once
/// Random collectives, each with what it must give: every byte of those that move data is known,
/// and contributions to a reduction are combined in the order of ranks, one by one. All ranks of
/// the communicator draw the same numbers, and so take part in the same collective.

#include <mpi.h>

#include <cstdint>

#include "mpi/programs/calling.hpp"
#include "sim/random.hpp"

namespace railyard::mpi::programs {

void move_at_random(MPI_Comm comm, sim::Random& random, std::uint64_t number, const Calling& call);

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

void reduce_at_random(MPI_Comm comm, const OwnOperations& own, sim::Random& random,
                      std::uint64_t number, const Calling& call);

}  // namespace railyard::mpi::programs
