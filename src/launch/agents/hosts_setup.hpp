#pragma once
/// How a job's launcher gets an agent on each of its hosts: it has them started, and lets those in
/// that call back, until all are here.

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/reactor.hpp"
#include "launch/agents/host_list.hpp"
#include "launch/agents/host_messages.hpp"
#include "launch/job/program_job.hpp"
#include "launch/tls/link.hpp"
#include "launch/tls/listener.hpp"
#include "railyard/base/time.hpp"

namespace railyard::agents {

/// The process by which a launcher starts the agent of a host: `ssh HOST mpiexec --agent`, or the
/// agent itself on this host. It is told on its standard input whom to call.
class HostCommand {
  public:
    /// Whether hosts are named to it as on the network; to others, a name may mean anything.
    static bool takes_network_names(const std::vector<std::string>& launcher);
    /// What is run to have an agent on that host.
    static std::vector<std::string> words(const std::vector<std::string>& launcher,
                                          const std::string& host,
                                          const std::vector<std::string>& agent);

    /// `input` fits into a pipe. `prepare` as for spawn(). Throws CannotStart.
    HostCommand(const std::vector<std::string>& words, const std::string& input,
                const std::function<void()>& prepare);
    /// One that still runs is killed.
    ~HostCommand();
    HostCommand(const HostCommand&) = delete;
    HostCommand& operator=(const HostCommand&) = delete;

    /// Readable when it has ended; -1 once that was seen.
    int descriptor() const { return process_.get(); }
    /// How it ended, once it has: "exited with code 255".
    std::optional<std::string> ending();
    /// What it was, as somebody would type it.
    const std::string& text() const { return text_; }

  private:
    std::string text_;
    pid_t pid_ = -1;
    Descriptor process_;  ///< a pidfd
};

/// A host of a job as its launcher sees it.
struct Host {
    fabric::NodeId node = 0;
    std::string name;
    std::vector<int> ranks;
    std::unique_ptr<HostCommand> command{};
    Reactor::Watch command_watch{};   ///< until it has ended
    std::optional<tls::Link> link{};  ///< once its agent has called
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
AgentCall call_for(const Host& host, const HostOptions& options, const tls::Secret& secret,
                   std::uint16_t port);

/// What each host is to run, once all are here: hosts that are one machine share its cores.
std::vector<Start> starts_for(const std::vector<Host>& hosts, const job::ProgramOptions& options,
                              const Placement& placement);

/// Who of the hosts is here.
class RollCall {
  public:
    /// How long hosts are waited for: for somebody to type a password, and for a host to answer.
    static constexpr Duration patience = Duration::s(60);

    /// Calls `arrived` with each host that has got its link. All arguments outlive it. Throws
    /// UsageError and Error.
    RollCall(const HostOptions& options, std::vector<Host>& hosts, Reactor& reactor,
             std::function<void(Host&)> arrived);

    /// `prepare` as for spawn(). Throws CannotStart.
    void start_agents(const std::function<void()>& prepare);
    /// Whether all are here.
    bool is_complete() const;
    /// A host that is not here, and why that may be, once patience is over.
    struct Late {
        const Host& host;
        std::string why;
    };
    std::optional<Late> absent() const;

  private:
    using Arrivals = std::list<tls::Link>;
    void hear(Arrivals::iterator arrival);
    void attach(tls::Link link, const Here& here);

    const HostOptions& options_;
    std::vector<Host>& hosts_;
    tls::Secret secret_ = tls::Secret::make();
    Reactor& reactor_;
    std::function<void(Host&)> arrived_;
    tls::Listener listener_;
    Arrivals arrivals_;  ///< who knows the secret and has not said more yet
};

}  // namespace railyard::agents
