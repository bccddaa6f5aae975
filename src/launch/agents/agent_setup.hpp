#pragma once
/// What an agent does before its ranks can start: it reads whom to call, and makes its host ready
/// for them.

#include <string>
#include <vector>

#include "launch/agents/agent_call.hpp"
#include "launch/agents/host_messages.hpp"
#include "launch/job/plan.hpp"

namespace railyard::cluster {

/// Reads it and nothing behind it. Throws UsageError.
AgentCall read_call(int input);

/// What hosts that are one machine have in common.
std::string machine_id();

/// This process's environment becomes the launcher's, but for what tells of the host itself.
void take_environment(const std::vector<std::string>& theirs);

/// Fabrics between hosts take that address of this one, unless the user has chosen another.
void choose_address(const std::string& address);

/// The job as the ranks `here` see it, which share their cores with those of other hosts on this
/// machine. Throws UsageError.
job::Plan plan_of(const Start& start, const std::vector<int>& here);

}  // namespace railyard::cluster
