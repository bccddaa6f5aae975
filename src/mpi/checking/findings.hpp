#pragma once
/// What is said of a mistake that a check has found.

#include <string>

#include "mpi/engine/process.hpp"
#include "mpi/types/basic.hpp"

namespace railyard::mpi::checking {

/// What a job ends with that a check has ended.
inline constexpr int finding_exit_code = 36;

/// Ends the job.
[[noreturn]] void fail(Process& process, const std::string& what);
/// On the standard error; the job goes on.
void warn(Process& process, const std::string& what);

/// Whether data of the one may be received as the other: the same sort of number, as wide. What is
/// none, bytes or packed goes with all.
bool go_together(Basic one, Basic other);

}  // namespace railyard::mpi::checking
