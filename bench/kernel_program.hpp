#pragma once
/// A NAS kernel as users run it: through mpiexec, by its own clock.

#include <string>

namespace railyard::bench {

struct KernelProgram {
    std::string kernel;         ///< "cg"
    std::string problem_class;  ///< "A"
    std::string options{};      ///< more words

    /// What it says that it took on that many ranks. Throws Error if it fails.
    double seconds(int ranks) const;
};

}  // namespace railyard::bench
