#include "launch/agents/hosts_job.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "launch/agents/hosts_setup.hpp"
#include "launch/agents/own_input.hpp"
#include "launch/agents/printer.hpp"
#include "launch/agents/roll_call.hpp"
#include "launch/job/file_limit.hpp"
#include "launch/job/interrupts.hpp"
#include "launch/job/launcher.hpp"
#include "launch/job/program_ranks.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cluster {

namespace {

/// Agents end their ranks by themselves; this long after that they are not waited for.
constexpr Duration patience_with_agents = Duration::ms(500);
/// How long a failure waits for another that explains it: news of one host come before another's.
constexpr Duration settling = Duration::ms(50);

class HostsJob {
  public:
    HostsJob(const job::ProgramOptions& options, const HostOptions& host_options,
             const Placement& placement);
    job::Result run();

  private:
    void wait_and_handle();
    int patience_left() const;
    void lose_patience();

    // Of the hosts.
    void start_ranks();
    void on_command_end(Host& host);
    void on_link(Host& host);
    void on_message(Host& host, HostMessage kind, const std::string& text);
    void print(Host& host, const Printed& printed);
    void ask_for_more();
    void finish_output(const Host& host);

    // The end.
    void on_signal(int signal);
    void cannot_start(const Host& host, const std::string& why, int exit_code);
    void consider(job::Ending ending);
    void fail(std::string what, int exit_code, int signal);
    void tell_all(HostMessage kind, std::string_view text, const Host* but = nullptr);
    bool is_over() const;
    void await_commands();
    void await_reader();

    const job::ProgramOptions& options_;
    const Placement& placement_;
    job::FileLimit file_limit_;
    job::Interrupts interrupts_{job::signals_passed_on};
    std::vector<Host> hosts_;
    std::optional<RollCall> roll_call_;  ///< until all are here
    Printer printer_;
    OwnInput input_;
    Deadline time_limit_;
    Deadline kill_at_;
    Deadline settled_;
    bool is_asked_twice_ = false;  ///< to end: no more patience with anybody
    std::optional<job::Ending> worst_;
    std::optional<job::CannotStart> cannot_start_;
    job::Result result_;
};

std::vector<Host> hosts_of(const Placement& placement) {
    std::vector<Host> hosts;
    for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
        const auto node = static_cast<fabric::NodeId>(i);
        hosts.push_back({node, placement.hosts[i], placement.ranks_on(node)});
    }
    return hosts;
}

HostsJob::HostsJob(const job::ProgramOptions& options, const HostOptions& host_options,
                   const Placement& placement)
    : options_(options),
      placement_(placement),
      file_limit_(placement.hosts.size() * 4 + 64),
      hosts_(hosts_of(placement)),
      roll_call_(std::in_place, host_options, hosts_),
      printer_(static_cast<int>(placement.nodes.size()), options.label_output) {
    if (options.time_limit) time_limit_ = Deadline(*options.time_limit);
}

job::Result HostsJob::run() {
    roll_call_->start_agents([this] {
        interrupts_.restore_for_exec();
        file_limit_.undo_in_child();
    });
    while (!is_over())
        wait_and_handle();
    if (const int signal = interrupts_.take(); job::asks_to_end(signal)) on_signal(signal);
    if (worst_) fail(std::move(worst_->failure), worst_->exit_code, SIGTERM);
    for (Host& host : hosts_) {
        finish_output(host);
        host.link.reset();
    }
    await_commands();
    await_reader();
    if (cannot_start_) throw *cannot_start_;
    return std::move(result_);
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
    if (roll_call_) roll_call_->watch(watched);
    printer_.watch(watched);
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
    if (roll_call_ && result_.ok && roll_call_->advance()) start_ranks();
    printer_.advance();
    ask_for_more();
    lose_patience();
}

int HostsJob::patience_left() const {
    // While agents are expected, patience with strangers may end at any time; and nobody is told
    // when the terminal becomes ours.
    int least = roll_call_ || input_.waits_for_terminal() ? 500 : -1;
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
             job::time_limit_exit_code, SIGTERM);
    if (roll_call_)
        if (const auto late = roll_call_->late()) cannot_start(late->host, late->why, 1);
    if (!kill_at_.passed()) return;
    // Whoever loses the connection ends its ranks.
    for (Host& host : hosts_)
        host.is_done = true;
}

void HostsJob::start_ranks() {
    roll_call_.reset();
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
              job::Ending::Cause::signal});
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
            host.is_done = true;
            return finish_output(host);
        default:
            return;  // Not for us.
    }
}

void HostsJob::print(Host& host, const Printed& printed) {
    if (std::ranges::find(host.ranks, static_cast<int>(printed.rank)) == host.ranks.end()) return;
    printer_.print(printed);
    host.printed += printed.bytes.size();
}

void HostsJob::ask_for_more() {
    // Whoever reads what we print has taken it: there may come as much again.
    if (!printer_.is_idle()) return;
    for (Host& host : hosts_)
        if (const std::size_t bytes = std::exchange(host.printed, 0); bytes > 0)
            host.tell(HostMessage::output_credit, number_text(bytes));
}

void HostsJob::finish_output(const Host& host) {
    for (const int rank : host.ranks)
        printer_.finish(rank);
}

void HostsJob::on_signal(int signal) {
    const std::string number = number_text(static_cast<std::uint64_t>(signal));
    if (!job::asks_to_end(signal)) return tell_all(HostMessage::signal, number);
    if (kill_at_.is_set()) {
        kill_at_ = Deadline(Duration());
        is_asked_twice_ = true;
        return;
    }
    fail("interrupted", 128 + signal, signal);
}

void HostsJob::cannot_start(const Host& host, const std::string& why, int exit_code) {
    if (!result_.ok) return;
    cannot_start_.emplace(fmt::format("host {}: {}", host.name, why), exit_code);
    fail(cannot_start_->what(), exit_code, SIGTERM);
}

void HostsJob::consider(job::Ending ending) {
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
        if (roll_call_ || !host.link) host.is_done = true;
    kill_at_ = Deadline(job::grace + patience_with_agents);
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

void HostsJob::await_reader() {
    // Nothing runs any more; whoever does not want to wait for the rest of the output says so.
    while (!printer_.is_idle() && !is_asked_twice_) {
        std::vector<pollfd> watched{{interrupts_.descriptor(), POLLIN, 0}};
        printer_.watch(watched);
        ::poll(watched.data(), watched.size(), -1);
        if (const int signal = interrupts_.take(); job::asks_to_end(signal))
            return fail("interrupted", 128 + signal, signal);
        printer_.advance();
    }
}

}  // namespace

job::Result run_programs(const job::ProgramOptions& options, const HostOptions& hosts) {
    if (std::ranges::all_of(hosts.list, [](const HostSlots& host) { return is_here(host.name); }))
        return job::run_programs(options);
    const Placement placement = place_ranks(hosts.list, job::ranks_of(options.programs));
    return HostsJob(options, hosts, placement).run();
}

}  // namespace railyard::cluster
