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

bool go_together(Basic one, Basic other) {
    const auto is_free = [](Basic basic) {
        // A peer may say anything.
        return static_cast<std::size_t>(basic) >= basic_kinds || basic == Basic::none ||
               basic == Basic::packed || traits(basic).family == Family::bytes;
    };
    if (one == other || is_free(one) || is_free(other)) return true;
    return traits(one).family == traits(other).family && traits(one).family != Family::other &&
           traits(one).first == traits(other).first && traits(one).second == traits(other).second;
}

}  // namespace railyard::mpi::checking
