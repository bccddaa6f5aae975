#pragma once
/// The programs that experiments on MPI run: NAS kernels, and the small programs of wu02's Table 2.

#include <span>
#include <string_view>

#include "kernels/kernels.hpp"

namespace railyard::experiments {

/// A NAS kernel: on how many ranks it runs, and how much of it is run.
struct MpiKernel {
    const char* application;  ///< as rows call it: "CG"
    const char* kernel;       ///< "cg"
    bool square;              ///< runs on squares of ranks, the others on powers of two
    int small_ranks;          ///< class S has work for so many; W for all that are measured here
    bool any_source;          ///< received from any source in the days of the paper
    int iterations;           ///< after which nothing new comes; 0: it always runs whole
    int steps;                ///< of an iteration, likewise; 0: it has none
};

/// wu02's: CG, MG, IS, SP, BT.
std::span<const MpiKernel> mpi_kernels();
/// Throws Error if there is none.
const MpiKernel& mpi_kernel(std::string_view application);
bool is_mpi_kernel(std::string_view application);

bool runs_on(const MpiKernel& kernel, int ranks);

/// As little of it as shows whom ranks talk to. Between MPI_Init and MPI_Finalize, by all ranks.
/// Throws Error if the kernel goes wrong.
void meet_partners(const MpiKernel& kernel, int ranks);

/// A small program in ordinary MPI code: what it is measured by is whom its ranks talk to.
struct MpiProgram {
    const char* name;
    void (*run)();  ///< between MPI_Init and MPI_Finalize; throws Error if it goes wrong
};

/// Of collectives, as the paper's library had them.
inline constexpr const char* table_two_algorithms =
    "barrier=pairwise,bcast=binomial,allreduce=reduce-bcast,allgather=ring,alltoall=pairwise";

std::span<const MpiProgram> mpi_programs();

}  // namespace railyard::experiments
