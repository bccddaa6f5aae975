#pragma once
/// A host of a job as its launcher sees it, and what the launcher says to it at the start.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/reactor.hpp"
#include "launch/agents/agent_call.hpp"
#include "launch/agents/host_command.hpp"
#include "launch/agents/host_list.hpp"
#include "launch/agents/host_messages.hpp"
#include "launch/channel/channel.hpp"
#include "launch/job/program_job.hpp"

namespace railyard::cluster {

struct Host {
    fabric::NodeId node = 0;
    std::string name;
    std::vector<int> ranks;
    std::unique_ptr<HostCommand> command{};
    Reactor::Watch command_watch{};          ///< until it has ended
    std::optional<channel::Channel> link{};  ///< once its agent has called
    std::string machine{};
    std::size_t printed = 0;  ///< bytes that came and for which no others were asked yet
    bool is_done = false;     ///< no rank runs there any more, or nobody knows

    /// "host b (ranks 2, 3)"
    std::string describe() const;
    void tell(HostMessage kind, std::string_view text) {
        if (link && !is_done) link->send(static_cast<std::uint32_t>(kind), text);
    }
};

/// What the agent of that host is told before it calls: `port` is where it finds us.
AgentCall call_for(const Host& host, const HostOptions& options, const channel::Secret& secret,
                   std::uint16_t port);

/// What each host is to run, once all are here: hosts that are one machine share its cores.
std::vector<Start> starts_for(const std::vector<Host>& hosts, const job::ProgramOptions& options,
                              const Placement& placement);

}  // namespace railyard::cluster
