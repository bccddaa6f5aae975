#pragma once
/// How a job's launcher gets an agent on each of its hosts: it has them started, and lets those in
/// that call back, until all are here.

#include <functional>
#include <list>
#include <optional>
#include <vector>

#include "base/reactor.hpp"
#include "launch/agents/host_list.hpp"
#include "launch/agents/hosts_setup.hpp"
#include "launch/channel/listener.hpp"

namespace railyard::cluster {

class RollCall {
  public:
    /// How long hosts are waited for: for somebody to type a password, and for a host to answer.
    static constexpr Duration patience = Duration::s(60);

    /// Calls `arrived` with each host that has got its channel. All arguments outlive it. Throws
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
    using Arrivals = std::list<channel::Channel>;
    void hear(Arrivals::iterator arrival);
    void attach(channel::Channel link, const Here& here);

    const HostOptions& options_;
    std::vector<Host>& hosts_;
    channel::Secret secret_ = channel::Secret::make();
    Reactor& reactor_;
    std::function<void(Host&)> arrived_;
    channel::Listener door_;
    Arrivals arrivals_;  ///< who knows the secret and has not said more yet
};

}  // namespace railyard::cluster
