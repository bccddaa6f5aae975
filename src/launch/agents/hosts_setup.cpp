#include "launch/agents/hosts_setup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "launch/channel/endpoint.hpp"
#include "launch/job/fabrics.hpp"

namespace railyard::cluster {

namespace {

/// Where one can listen, but not call.
bool is_any(const std::string& address) {
    return address.empty() || address == "0.0.0.0" || address == "::";
}

/// Where that host may find us.
std::vector<std::string> addresses_for(const Host& host, const HostOptions& options) {
    if (!options.listen.empty())
        if (const auto chosen = channel::parse_host_port(options.listen).host; !is_any(chosen))
            return {chosen};
    // A name that is none of the network's would only be looked for in vain.
    const bool is_known = HostCommand::takes_network_names(options.launcher) && !is_here(host.name);
    // As in "user@node7"; without the sign, npos + 1 is the start.
    const std::string name = host.name.substr(host.name.rfind('@') + 1);
    return channel::own_addresses(is_known ? name : "");
}

/// The address by which other hosts reach this one.
std::string address_of_this_host(const std::vector<Host>& hosts) {
    for (const Host& host : hosts)
        if (host.link && !is_here(host.name)) return host.link->own_address();
    return {};
}

}  // namespace

std::string Host::describe() const {
    return fmt::format("host {} (rank{} {})", name, ranks.size() == 1 ? "" : "s",
                       fmt::join(ranks, ", "));
}

AgentCall call_for(const Host& host, const HostOptions& options, const channel::Secret& secret,
                   std::uint16_t port) {
    AgentCall call{.secret = secret,
                   .host = host.node,
                   .name = host.name,
                   .heartbeat = options.heartbeat,
                   .addresses = {}};
    for (const std::string& address : addresses_for(host, options))
        call.addresses.push_back(fmt::format("[{}]:{}", address, port));
    return call;
}

std::vector<Start> starts_for(const std::vector<Host>& hosts, const job::ProgramOptions& options,
                              const Placement& placement) {
    Start start{.nodes = placement.nodes,
                .programs = options.programs,
                .fabric = job::FabricPair::for_hosts(options.fabric).text(),
                .pin = options.pin,
                .environment = {}};
    for (char** entry = environ; *entry != nullptr; ++entry)
        start.environment.emplace_back(*entry);
    // An agent works somewhere else.
    const std::filesystem::path here = std::filesystem::current_path();
    for (job::Program& program : start.programs)
        program.directory =
            program.directory.empty() ? here.string() : (here / program.directory).string();
    std::map<std::string, std::uint32_t> on_machine;
    for (const Host& host : hosts)
        on_machine[host.machine] += static_cast<std::uint32_t>(host.ranks.size());
    std::map<std::string, std::uint32_t> before;
    std::vector<Start> starts;
    for (const Host& host : hosts) {
        start.host = host.node;
        // An agent beside us called at whatever address came first, which others may not reach.
        start.address = is_here(host.name) ? address_of_this_host(hosts) : "";
        start.first_on_machine = before[host.machine];
        start.ranks_on_machine = on_machine[host.machine];
        before[host.machine] += static_cast<std::uint32_t>(host.ranks.size());
        starts.push_back(start);
    }
    return starts;
}

}  // namespace railyard::cluster
