#pragma once
/// A job of programs on several hosts: this process starts an agent on each and brings together
/// what they have to tell each other.

#include "launch/agents/host_list.hpp"
#include "launch/job/program_job.hpp"

namespace railyard::agents {

/// As job::run_programs(), which is asked if no host but this one is listed.
job::Result run_programs(const job::ProgramOptions& options, const HostOptions& hosts);

/// What that starts on each host: it calls back, starts the ranks of its host, and passes on what
/// they exchange, print and read, and how they end. It never outlives the launcher's connection,
/// and its ranks never outlive it. Reads from `input` whom to call (AgentCall) and serves until all
/// is over. Returns the exit code of the process, which is there for nothing else. Throws Error if
/// nobody answers.
int run_agent(int input);

}  // namespace railyard::agents
