#pragma once
/// Which file a program's name means.

#include <string>

#include "launch/job/program_job.hpp"

namespace railyard::job {

/// As seen from the program's directory. Throws CannotStart, which says what is wrong with it.
std::string find_program(const Program& program);

}  // namespace railyard::job
