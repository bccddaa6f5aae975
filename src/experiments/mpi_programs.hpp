#pragma once
/// The small programs of wu02's Table 2, as ordinary MPI code: what they are measured by is whom
/// their ranks talk to.

#include <span>

namespace railyard::experiments {

struct MpiProgram {
    const char* name;
    void (*run)();  ///< between MPI_Init and MPI_Finalize; throws Error if it goes wrong
};

/// Of collectives, as the paper's library had them.
inline constexpr const char* table_two_algorithms =
    "barrier=pairwise,bcast=binomial,allreduce=reduce-bcast,allgather=ring,alltoall=pairwise";

std::span<const MpiProgram> mpi_programs();

}  // namespace railyard::experiments
