#pragma once
/// The NAS kernels as programs of experiments: which of them, on how many ranks, and how they are
/// run without a word.

#include <span>
#include <string_view>

#include "kernels/kernels.hpp"

namespace railyard::experiments {

struct MpiKernel {
    const char* application;  ///< as rows call it: "CG"
    const char* kernel;       ///< "cg"
    bool square;              ///< runs on squares of ranks, the others on powers of two
    int small_ranks;          ///< class S has work for so many; W for all that are measured here
    bool any_source;          ///< received from any source in the days of the paper
    int iterations;           ///< after which nothing new comes; nought: it always runs whole
};

/// wu02's: CG, MG, IS, SP, BT.
std::span<const MpiKernel> mpi_kernels();
/// Throws Error if there is none.
const MpiKernel& mpi_kernel(std::string_view application);
bool is_mpi_kernel(std::string_view application);

bool runs_on(const MpiKernel& kernel, int ranks);

// Between MPI_Init and MPI_Finalize, by all ranks. They throw Error if the kernel goes wrong.

/// As little of it as shows whom ranks talk to.
void meet_partners(const MpiKernel& kernel, int ranks);
/// Enough of it to be timed.
kernels::Outcome run_class_w(const MpiKernel& kernel);

}  // namespace railyard::experiments
