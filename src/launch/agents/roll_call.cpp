#include "launch/agents/roll_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace railyard::cluster {

namespace {

/// For somebody to type a password, and for a host to answer.
constexpr Duration patience_with_hosts = Duration::s(60);

channel::Listener::Options door_options(const HostOptions& options) {
    channel::Listener::Options door;
    if (!options.listen.empty()) door.where = channel::parse_host_port(options.listen);
    door.heartbeat = options.heartbeat;
    return door;
}

}  // namespace

RollCall::RollCall(const HostOptions& options, std::vector<Host>& hosts)
    : options_(options),
      hosts_(hosts),
      door_(secret_, door_options(options)),
      patience_(patience_with_hosts) {}

void RollCall::start_agents(const std::function<void()>& prepare) {
    for (Host& host : hosts_)
        host.command = std::make_unique<HostCommand>(
            HostCommand::words(options_.launcher, host.name, options_.agent),
            call_for(host, options_, secret_, door_.port()).text(), prepare);
}

void RollCall::watch(std::vector<pollfd>& watched) const {
    watched.push_back({door_.descriptor(), POLLIN, 0});
    for (const channel::Channel& link : arrivals_)
        watched.push_back({link.descriptor(), POLLIN, 0});
}

bool RollCall::advance() {
    while (auto link = door_.poll())
        arrivals_.push_back(std::move(*link));
    for (std::size_t i = 0; i < arrivals_.size();) {
        std::optional<Here> here;
        const bool alive = arrivals_[i].receive([&](std::uint32_t kind, const std::string& text) {
            if (static_cast<HostMessage>(kind) == HostMessage::here) here = Here::parse(text);
        });
        if (alive && !here) {
            ++i;
            continue;
        }
        channel::Channel link = std::move(arrivals_[i]);
        arrivals_.erase(arrivals_.begin() + static_cast<std::ptrdiff_t>(i));
        if (here) attach(std::move(link), *here);
    }
    return std::ranges::all_of(hosts_, [](const Host& host) { return host.link.has_value(); });
}

void RollCall::attach(channel::Channel link, const Here& here) {
    // Once a host; who comes again knows the secret, but is nobody that we wait for.
    if (here.host >= hosts_.size() || hosts_[here.host].link) return;
    hosts_[here.host].link.emplace(std::move(link));
    hosts_[here.host].machine = here.machine;
}

std::optional<RollCall::Late> RollCall::late() const {
    if (!patience_.passed()) return std::nullopt;
    for (const Host& host : hosts_)
        if (!host.link)
            return Late{host, fmt::format("`{}` runs, but no agent has called from there within {} "
                                          "s; can that host reach this one (--listen ADDRESS)?",
                                          host.command->text(), patience_with_hosts.seconds())};
    return std::nullopt;
}

}  // namespace railyard::cluster
