#pragma once
/// One exchange between processes that a launcher of others has started, for programs that are not
/// ranks of MPI.

#include <optional>
#include <string>
#include <vector>

namespace railyard::managers {

struct Gathered {
    int rank = 0;
    std::vector<std::string> texts;  ///< of all ranks
};

/// What each process of the job says; none: no launcher of others has started this one. Once in a
/// process, instead of join(). Throws Error.
std::optional<Gathered> gather(const std::string& mine);

}  // namespace railyard::managers
