#include "job/hosts_job.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "job/file_limit.hpp"
#include "job/hosts_setup.hpp"
#include "job/interrupts.hpp"
#include "job/launcher.hpp"
#include "job/line_labels.hpp"
#include "job/own_input.hpp"
#include "job/plan.hpp"
#include "job/program_ranks.hpp"
#include "links/door.hpp"

namespace railyard::job {

namespace {

/// For somebody to type a password, and for a host to answer.
constexpr Duration patience_with_hosts = Duration::s(60);
/// Agents end their ranks by themselves; this long after that they are not waited for.
constexpr Duration patience_with_agents = Duration::ms(500);
/// How long a failure waits for another that explains it: news of one host come before another's.
constexpr Duration settling = Duration::ms(50);

class HostsJob {
  public:
    HostsJob(const ProgramOptions& options, const Placement& placement);
    Result run();

  private:
    void start_agents();
    void wait_and_handle();
    int patience_left() const;
    void lose_patience();

    // Hosts that come and go.
    void let_in();
    void attach(links::Link link, const Here& here);
    void start_ranks();
    void on_command_end(Host& host);
    void on_link(Host& host);
    void on_message(Host& host, HostMessage kind, const std::string& text);
    void print(Host& host, const Printed& printed);
    void set_done(Host& host);

    // The end.
    void on_signal(int signal);
    void cannot_start(const Host& host, const std::string& why, int exit_code);
    void consider(Ending ending);
    void fail(std::string what, int exit_code, int signal);
    void tell_all(HostMessage kind, std::string_view text, const Host* but = nullptr);
    bool is_over() const;
    void await_commands();

    const ProgramOptions& options_;
    const Placement& placement_;
    links::Secret secret_ = links::Secret::make();
    FileLimit file_limit_;
    Interrupts interrupts_{signals_passed_on};
    std::optional<links::Door> door_;    ///< closed once all are here
    std::vector<links::Link> arrivals_;  ///< who knows the secret and has not said more yet
    std::vector<Host> hosts_;
    std::vector<RankOutputs> labels_;  ///< by rank; empty: none are wanted
    OwnInput input_;
    Deadline hosts_are_late_{patience_with_hosts};
    Deadline time_limit_;
    Deadline kill_at_;
    Deadline settled_;
    std::optional<Ending> worst_;
    std::optional<CannotStart> cannot_start_;
    Result result_;
};

HostsJob::HostsJob(const ProgramOptions& options, const Placement& placement)
    : options_(options), placement_(placement), file_limit_(placement.hosts.size() * 4 + 64) {
    links::Door::Options door;
    if (!options.hosts.listen.empty()) door.where = links::parse_host_port(options.hosts.listen);
    door.heartbeat = options.hosts.heartbeat;
    door_.emplace(secret_, door);
    if (options.time_limit) time_limit_ = Deadline(*options.time_limit);
    for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
        const auto node = static_cast<fabric::NodeId>(i);
        hosts_.push_back({node, placement.hosts[i], placement.ranks_on(node)});
    }
    for (std::size_t rank = 0; options.label_output && rank < placement.nodes.size(); ++rank)
        labels_.push_back(labelled_outputs(static_cast<int>(rank)));
}

Result HostsJob::run() {
    start_agents();
    while (!is_over())
        wait_and_handle();
    if (const int signal = interrupts_.take(); asks_to_end(signal)) on_signal(signal);
    if (worst_) fail(std::move(worst_->failure), worst_->exit_code, SIGTERM);
    for (Host& host : hosts_)
        host.link.reset();
    await_commands();
    if (cannot_start_) throw *cannot_start_;
    return std::move(result_);
}

void HostsJob::start_agents() {
    for (Host& host : hosts_)
        host.command = std::make_unique<HostCommand>(
            HostCommand::words(options_.hosts.launcher, host.name, options_.hosts.agent),
            call_for(host, options_.hosts, secret_, door_->port()).text(), [this] {
                interrupts_.restore_for_exec();
                file_limit_.undo_in_child();
            });
}

bool HostsJob::is_over() const {
    return std::ranges::all_of(hosts_, [](const Host& host) { return host.is_done; });
}

void HostsJob::wait_and_handle() {
    std::vector<pollfd> watched;
    // Poll passes over a descriptor of -1.
    const auto watch = [&](int fd) { watched.push_back({fd, POLLIN, 0}); };
    watch(interrupts_.descriptor());
    watch(input_.descriptor());
    for (const Host& host : hosts_) {
        watch(host.command->descriptor());
        watch(host.link && !host.is_done ? host.link->descriptor() : -1);
    }
    watch(door_ ? door_->descriptor() : -1);
    for (const links::Link& link : arrivals_)
        watch(link.descriptor());
    ::poll(watched.data(), watched.size(), patience_left());

    // First of all: ranks that Ctrl-C ended are no failures of their own.
    while (const int signal = interrupts_.take())
        on_signal(signal);
    if (watched[1].revents != 0)
        if (const auto bytes = input_.read()) hosts_.front().tell(HostMessage::input, *bytes);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (watched[2 + 2 * i].revents != 0) on_command_end(hosts_[i]);
        if (watched[3 + 2 * i].revents != 0) on_link(hosts_[i]);
    }
    if (door_) let_in();
    lose_patience();
}

int HostsJob::patience_left() const {
    // While the door is open, patience with strangers may end at any time.
    int least = door_ ? 500 : -1;
    for (const Deadline* deadline : {&time_limit_, &kill_at_, &settled_})
        if (const int left = deadline->milliseconds_left(); left >= 0)
            least = least < 0 ? left : std::min(least, left);
    return least;
}

void HostsJob::lose_patience() {
    if (settled_.passed()) {
        settled_ = Deadline();
        fail(worst_->failure, worst_->exit_code, SIGTERM);
    }
    if (time_limit_.passed())
        fail(fmt::format("not done within the time limit of {} s", options_.time_limit->seconds()),
             time_limit_exit_code, SIGTERM);
    if (door_ && result_.ok && hosts_are_late_.passed())
        for (const Host& host : hosts_)
            if (!host.link)
                cannot_start(host,
                             fmt::format("`{}` runs, but no agent has called from there within {} "
                                         "s; can that host reach this one (--listen ADDRESS)?",
                                         host.command->text(), patience_with_hosts.seconds()),
                             1);
    if (!kill_at_.passed()) return;
    // Whoever loses the connection ends its ranks.
    for (Host& host : hosts_)
        host.is_done = true;
}

void HostsJob::let_in() {
    while (auto link = door_->poll())
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
        links::Link link = std::move(arrivals_[i]);
        arrivals_.erase(arrivals_.begin() + static_cast<std::ptrdiff_t>(i));
        if (here) attach(std::move(link), *here);
    }
    if (std::ranges::all_of(hosts_, [](const Host& host) { return host.link.has_value(); }))
        start_ranks();
}

void HostsJob::attach(links::Link link, const Here& here) {
    // Once a host; who comes again knows the secret, but is nobody that we wait for.
    if (here.host >= hosts_.size() || hosts_[here.host].link) return;
    hosts_[here.host].link.emplace(std::move(link));
    hosts_[here.host].machine = here.machine;
    if (!result_.ok) hosts_[here.host].is_done = true;
}

void HostsJob::start_ranks() {
    door_.reset();
    const std::vector<Start> starts = starts_for(hosts_, options_, placement_);
    for (std::size_t i = 0; i < hosts_.size(); ++i)
        hosts_[i].tell(HostMessage::start, starts[i].text());
}

void HostsJob::on_command_end(Host& host) {
    const auto how = host.command->ending();
    if (!how || host.link || host.is_done) return;
    cannot_start(host,
                 fmt::format("`{}` {} before an agent had called from there; what it says by hand "
                             "may tell why",
                             host.command->text(), *how),
                 1);
}

void HostsJob::on_link(Host& host) {
    const bool alive = host.link->receive([&](std::uint32_t kind, const std::string& text) {
        on_message(host, static_cast<HostMessage>(kind), text);
    });
    if (alive || host.is_done) return;
    host.is_done = true;
    consider({fmt::format("{} was lost: {}", host.describe(), host.link->why()), 1,
              Ending::Cause::signal});
}

void HostsJob::on_message(Host& host, HostMessage kind, const std::string& text) {
    switch (kind) {
        case HostMessage::put:
        case HostMessage::fence:
        case HostMessage::left:
            return tell_all(kind, text, &host);
        case HostMessage::output:
            if (const auto printed = Printed::parse(text)) print(host, *printed);
            return;
        case HostMessage::input_credit:
            return input_.allow(parse_number(text).value_or(0));
        case HostMessage::failed:
            if (auto failure = Failure::parse(text)) consider(std::move(failure->ending));
            return;
        case HostMessage::cannot_start:
            if (const auto failure = Failure::parse(text))
                cannot_start(host, failure->ending.failure, failure->ending.exit_code);
            return;
        case HostMessage::done:
            return set_done(host);
        default:
            return;  // Not for us.
    }
}

void HostsJob::print(Host& host, const Printed& printed) {
    if (std::ranges::find(host.ranks, static_cast<int>(printed.rank)) == host.ranks.end()) return;
    if (labels_.empty()) {
        write_all(printed.is_error ? STDERR_FILENO : STDOUT_FILENO, printed.bytes);
    } else {
        RankOutputs& labels = labels_[printed.rank];
        (printed.is_error ? labels.errors : labels.output)->feed(printed.bytes);
    }
    // Whoever reads what we print has taken it: there may come as much again.
    host.tell(HostMessage::output_credit, number_text(printed.bytes.size()));
}

void HostsJob::set_done(Host& host) {
    host.is_done = true;
    if (labels_.empty()) return;
    for (const int rank : host.ranks) {
        labels_[static_cast<std::size_t>(rank)].output->finish();
        labels_[static_cast<std::size_t>(rank)].errors->finish();
    }
}

void HostsJob::on_signal(int signal) {
    const std::string number = number_text(static_cast<std::uint64_t>(signal));
    if (!asks_to_end(signal)) return tell_all(HostMessage::signal, number);
    if (kill_at_.is_set()) {  // Asked twice: no more patience.
        kill_at_ = Deadline(Duration());
        return;
    }
    fail("interrupted", 128 + signal, signal);
}

void HostsJob::cannot_start(const Host& host, const std::string& why, int exit_code) {
    if (!result_.ok) return;
    cannot_start_.emplace(fmt::format("host {}: {}", host.name, why), exit_code);
    fail(cannot_start_->what(), exit_code, SIGTERM);
}

void HostsJob::consider(Ending ending) {
    if (!worst_) settled_ = Deadline(settling);
    if (!worst_ || ending.cause > worst_->cause) worst_ = std::move(ending);
}

void HostsJob::fail(std::string what, int exit_code, int signal) {
    if (!result_.ok) return;  // How the others end once they were asked to is no news.
    result_.ok = false;
    result_.failure = std::move(what);
    result_.exit_code = exit_code;
    tell_all(HostMessage::end, number_text(static_cast<std::uint64_t>(signal)));
    // Nobody runs anything on a host that was not told to.
    for (Host& host : hosts_)
        if (door_ || !host.link) host.is_done = true;
    kill_at_ = Deadline(grace + patience_with_agents);
    time_limit_ = Deadline();
}

void HostsJob::tell_all(HostMessage kind, std::string_view text, const Host* but) {
    for (Host& host : hosts_)
        if (&host != but) host.tell(kind, text);
}

void HostsJob::await_commands() {
    // They end with their agents. Whoever does not is killed when it is destroyed.
    const Deadline deadline(result_.ok ? Duration::s(2) : patience_with_agents);
    for (const Host& host : hosts_)
        while (host.command && host.command->descriptor() >= 0 && !host.command->ending() &&
               !deadline.passed()) {
            pollfd wait{host.command->descriptor(), POLLIN, 0};
            ::poll(&wait, 1, deadline.milliseconds_left());
        }
}

}  // namespace

Result run_on_hosts(const ProgramOptions& options) {
    const Placement placement = place_ranks(options.hosts.list, ranks_of(options.programs));
    return HostsJob(options, placement).run();
}

}  // namespace railyard::job
