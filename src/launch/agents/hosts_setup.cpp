#include "launch/agents/hosts_setup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "launch/agents/host_list.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/program_job.hpp"
#include "launch/job/spawn.hpp"
#include "launch/tls/addresses.hpp"
#include "railyard/base/error.hpp"

namespace railyard::agents {

namespace {

/// As a shell reads it back.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

/// Where one can listen, but not call.
bool is_any(const std::string& address) {
    return address.empty() || address == "0.0.0.0" || address == "::";
}

/// Where that host may find us.
std::vector<std::string> addresses_for(const Host& host, const HostOptions& options) {
    if (!options.listen.empty())
        if (const auto chosen = tls::parse_host_port(options.listen).host; !is_any(chosen))
            return {chosen};
    // A name that is none of the network's would only be looked for in vain.
    const bool is_known = HostCommand::takes_network_names(options.launcher) && !is_here(host.name);
    // As in "user@node7"; without the sign, npos + 1 is the start.
    const std::string name = host.name.substr(host.name.rfind('@') + 1);
    return tls::own_addresses(is_known ? name : "");
}

/// The address by which other hosts reach this one.
std::string address_of_this_host(const std::vector<Host>& hosts) {
    for (const Host& host : hosts)
        if (host.link && !is_here(host.name)) return host.link->own_address();
    return {};
}

tls::Listener::Options listener_options(const HostOptions& options) {
    tls::Listener::Options chosen;
    if (!options.listen.empty()) chosen.where = tls::parse_host_port(options.listen);
    chosen.heartbeat = options.heartbeat;
    return chosen;
}

}  // namespace

bool HostCommand::takes_network_names(const std::vector<std::string>& launcher) {
    const std::string name = std::filesystem::path(launcher.front()).filename().string();
    return name == "ssh" || name == "rsh";
}

std::vector<std::string> HostCommand::words(const std::vector<std::string>& launcher,
                                            const std::string& host,
                                            const std::vector<std::string>& agent) {
    if (is_here(host) || launcher == std::vector<std::string>{"fork"}) return agent;
    std::vector<std::string> all = launcher;
    all.push_back(host);
    // These give their words to a shell on the other side; others run them as they are.
    for (const std::string& word : agent)
        all.push_back(takes_network_names(launcher) ? quoted(word) : word);
    return all;
}

HostCommand::HostCommand(const std::vector<std::string>& words, const std::string& input,
                         const std::function<void()>& prepare)
    : text_(fmt::format("{}", fmt::join(words, " "))) {
    const std::string path = job::find_program({.ranks = 1, .arguments = words});
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe");
    const Descriptor read(ends[0]);
    const Descriptor write(ends[1]);
    if (::write(write.get(), input.data(), input.size()) != static_cast<ssize_t>(input.size()))
        throw system_error("cannot write to a pipe");
    // What it says is about the job, not of it.
    const job::Spawn what{.path = path.c_str(),
                          .arguments = arguments.data(),
                          .environment = environ,
                          .input = read.get(),
                          .output = STDERR_FILENO};
    pid_ = job::spawn(what, prepare);
    process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (process_) return;
    const Error error = system_error(fmt::format("cannot watch `{}`", text_));
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw error;
}

HostCommand::~HostCommand() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::optional<std::string> HostCommand::ending() {
    siginfo_t info{};
    if (pid_ <= 0 || ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG) != 0 ||
        info.si_pid == 0)
        return std::nullopt;
    pid_ = -1;
    process_.reset();
    if (info.si_code == CLD_EXITED) return fmt::format("exited with code {}", info.si_status);
    const char* meaning = ::sigdescr_np(info.si_status);
    return fmt::format("was killed by signal {} ({})", info.si_status,
                       meaning != nullptr ? meaning : "unknown");
}

std::string Host::describe() const {
    return fmt::format("host {} (rank{} {})", name, ranks.size() == 1 ? "" : "s",
                       fmt::join(ranks, ", "));
}

AgentCall call_for(const Host& host, const HostOptions& options, const tls::Secret& secret,
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
                .environment = {},
                .kept = options.kept};
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

RollCall::RollCall(const HostOptions& options, std::vector<Host>& hosts, Reactor& reactor,
                   std::function<void(Host&)> arrived)
    : options_(options),
      hosts_(hosts),
      reactor_(reactor),
      arrived_(std::move(arrived)),
      listener_(reactor, secret_, listener_options(options), [this](tls::Link link) {
          arrivals_.push_back(std::move(link));
          const auto arrival = std::prev(arrivals_.end());
          arrival->attach(reactor_, [this, arrival] { hear(arrival); });
      }) {}

void RollCall::start_agents(const std::function<void()>& prepare) {
    for (Host& host : hosts_)
        host.command = std::make_unique<HostCommand>(
            HostCommand::words(options_.launcher, host.name, options_.agent),
            call_for(host, options_, secret_, listener_.port()).text(), prepare);
}

void RollCall::hear(Arrivals::iterator arrival) {
    std::optional<Here> here;
    const bool alive = arrival->receive([&](std::uint32_t kind, const std::string& text) {
        if (static_cast<HostMessage>(kind) == HostMessage::here) here = Here::parse(text);
    });
    if (alive && !here) return;
    tls::Link link = std::move(*arrival);
    arrivals_.erase(arrival);
    if (here) attach(std::move(link), *here);
}

void RollCall::attach(tls::Link link, const Here& here) {
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

}  // namespace railyard::agents
