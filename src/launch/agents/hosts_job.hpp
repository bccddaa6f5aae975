#pragma once
/// A job of programs on several hosts: this process starts an agent on each and brings together
/// what they have to tell each other.

#include "launch/agents/host_list.hpp"
#include "launch/job/program_job.hpp"

namespace railyard::cluster {

/// As job::run_programs(), which is asked if no host but this one is listed.
job::Result run_programs(const job::ProgramOptions& options, const HostOptions& hosts);

}  // namespace railyard::cluster
