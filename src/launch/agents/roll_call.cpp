#include "launch/agents/roll_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace railyard::cluster {

namespace {

channel::Listener::Options door_options(const HostOptions& options) {
    channel::Listener::Options door;
    if (!options.listen.empty()) door.where = channel::parse_host_port(options.listen);
    door.heartbeat = options.heartbeat;
    return door;
}

}  // namespace

RollCall::RollCall(const HostOptions& options, std::vector<Host>& hosts, Reactor& reactor,
                   std::function<void(Host&)> arrived)
    : options_(options),
      hosts_(hosts),
      reactor_(reactor),
      arrived_(std::move(arrived)),
      door_(reactor, secret_, door_options(options), [this](channel::Channel link) {
          arrivals_.push_back(std::move(link));
          const auto arrival = std::prev(arrivals_.end());
          arrival->attach(reactor_, [this, arrival] { hear(arrival); });
      }) {}

void RollCall::start_agents(const std::function<void()>& prepare) {
    for (Host& host : hosts_)
        host.command = std::make_unique<HostCommand>(
            HostCommand::words(options_.launcher, host.name, options_.agent),
            call_for(host, options_, secret_, door_.port()).text(), prepare);
}

void RollCall::hear(Arrivals::iterator arrival) {
    std::optional<Here> here;
    const bool alive = arrival->receive([&](std::uint32_t kind, const std::string& text) {
        if (static_cast<HostMessage>(kind) == HostMessage::here) here = Here::parse(text);
    });
    if (alive && !here) return;
    channel::Channel link = std::move(*arrival);
    arrivals_.erase(arrival);
    if (here) attach(std::move(link), *here);
}

void RollCall::attach(channel::Channel link, const Here& here) {
    // Once a host; who comes again knows the secret, but is nobody that we wait for.
    if (here.host >= hosts_.size() || hosts_[here.host].link) return;
    hosts_[here.host].link.emplace(std::move(link));
    hosts_[here.host].machine = here.machine;
    arrived_(hosts_[here.host]);
}

bool RollCall::is_complete() const {
    return std::ranges::all_of(hosts_, [](const Host& host) { return host.link.has_value(); });
}

std::optional<RollCall::Late> RollCall::absent() const {
    for (const Host& host : hosts_)
        if (!host.link)
            return Late{host, fmt::format("`{}` runs, but no agent has called from there within {} "
                                          "s; can that host reach this one (--listen ADDRESS)?",
                                          host.command->text(), patience.seconds())};
    return std::nullopt;
}

}  // namespace railyard::cluster
