#pragma once
/// What a launcher starts on each host of a job: it calls back, starts the ranks of its host, and
/// passes on what they exchange, print and read, and how they end. It never outlives the launcher's
/// connection, and its ranks never outlive it.

namespace railyard::cluster {

/// Reads from `input` whom to call (see agent_call.hpp) and serves until all is over. Returns the
/// exit code of the process, which is there for nothing else. Throws Error if nobody answers.
int run_agent(int input);

}  // namespace railyard::cluster
