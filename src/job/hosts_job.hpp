#pragma once
/// A job of programs on several hosts: this process starts an agent on each and brings together
/// what they have to tell each other.

#include "job/program_job.hpp"

namespace railyard::job {

/// As run_programs(), which asks here if there are hosts.
Result run_on_hosts(const ProgramOptions& options);

}  // namespace railyard::job
