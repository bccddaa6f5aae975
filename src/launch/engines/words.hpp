#pragma once
/// Each engine's words for a job. They go behind those that the command has already.

#include <span>
#include <string>
#include <string_view>

#include "launch/engines/engine.hpp"

namespace railyard::engines {

// Each throws UsageError for what its engine cannot do.
void add_slurm_words(Command& command, const HostJob& job);
void add_hydra_words(Command& command, const HostJob& job);
void add_openmpi_words(Command& command, const HostJob& job,
                       std::span<const std::string> variables);

/// "a:2,b:1". Throws UsageError for addresses with colons, which no engine takes in such a list.
std::string host_list(const std::vector<HostSlots>& hosts);

/// In quotes, where a shell would take it for something else.
std::string shell_quoted(std::string_view word);

}  // namespace railyard::engines
