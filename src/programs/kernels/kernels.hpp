#pragma once
/// The kernels of the NAS Parallel Benchmarks, written anew from their published definitions. Each
/// is an ordinary MPI program against mpi.h, with a function in place of main, and uses nothing
/// else of Railyard: it builds with any MPI's compiler driver.

#include <span>
#include <string_view>

namespace railyard::kernels {

/// What a run came to, for those who call a kernel as a function.
struct Outcome {
    double seconds = 0;  ///< of the timed part, by the slowest rank's clock; on rank 0
};

struct Kernel {
    std::string_view name;
    std::string_view purpose;
    /// Calls MPI_Init and MPI_Finalize, unless MPI is initialized already. Returns 0 if the result
    /// was verified (or was not to be), 1 if it is wrong, 2 for a class, an option or a number of
    /// ranks that the kernel does not have; the same on all ranks.
    int (*main)(int argc, char** argv);
    /// The same, and `outcome`, if it is not null, is filled in. The caller owns it.
    int (*run)(int argc, char** argv, Outcome* outcome);
};

/// In the order in which people should see them.
std::span<const Kernel> all();

/// Null if there is none.
const Kernel* find(std::string_view name);

int ep(int argc, char** argv, Outcome* outcome = nullptr);
int is(int argc, char** argv, Outcome* outcome = nullptr);
int cg(int argc, char** argv, Outcome* outcome = nullptr);
int mg(int argc, char** argv, Outcome* outcome = nullptr);
int ft(int argc, char** argv, Outcome* outcome = nullptr);
int lu(int argc, char** argv, Outcome* outcome = nullptr);
int sp(int argc, char** argv, Outcome* outcome = nullptr);
int bt(int argc, char** argv, Outcome* outcome = nullptr);

}  // namespace railyard::kernels
