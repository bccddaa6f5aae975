#include "mpi/checking/findings.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace railyard::mpi::checking {

void fail(Process& process, const std::string& what) {
    process.rank().abort(finding_exit_code, "check: " + what);
    __builtin_unreachable();  // the compiler does not believe it of a virtual function
}

void warn(Process& process, const std::string& what) {
    std::fputs(fmt::format("rank {}: check: {}\n", process.world_rank(), what).c_str(), stderr);
}

}  // namespace railyard::mpi::checking
