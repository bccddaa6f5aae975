#pragma once
/// How a job's launcher gets an agent on each of its hosts: it has them started, and lets those in
/// that call back, until all are here.

#include <poll.h>

#include <functional>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "launch/agents/host_list.hpp"
#include "launch/agents/hosts_setup.hpp"
#include "launch/channel/listener.hpp"

namespace railyard::cluster {

class RollCall {
  public:
    /// Options and hosts outlive it. Throws UsageError and Error.
    RollCall(const HostOptions& options, std::vector<Host>& hosts);

    /// `prepare` as for spawn(). Throws CannotStart.
    void start_agents(const std::function<void()>& prepare);
    /// Adds what is to be waited for until advance() can do something. That should be called now
    /// and then without a reason, too: patience with strangers may be over.
    void watch(std::vector<pollfd>& watched) const;
    /// Gives hosts their channels. True: all have theirs.
    bool advance();
    /// A host that was waited for too long, and why that may be.
    struct Late {
        const Host& host;
        std::string why;
    };
    std::optional<Late> late() const;

  private:
    void attach(channel::Channel link, const Here& here);

    const HostOptions& options_;
    std::vector<Host>& hosts_;
    channel::Secret secret_ = channel::Secret::make();
    channel::Listener door_;
    std::vector<channel::Channel> arrivals_;  ///< who knows the secret and has not said more yet
    Deadline patience_;
};

}  // namespace railyard::cluster
