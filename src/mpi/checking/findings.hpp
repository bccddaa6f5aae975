#pragma once
/// What is said of a mistake that a check has found.

#include <string>

#include "mpi/engine/process.hpp"

namespace railyard::mpi::checking {

/// What a job ends with that a check has ended.
inline constexpr int finding_exit_code = 36;

/// Ends the job.
[[noreturn]] void fail(Process& process, const std::string& what);
/// On the standard error; the job goes on.
void warn(Process& process, const std::string& what);

}  // namespace railyard::mpi::checking
