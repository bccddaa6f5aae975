#include "launch/agents/hosts_job.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/reactor.hpp"
#include "launch/agents/hosts_setup.hpp"
#include "launch/agents/streams.hpp"
#include "launch/job/launcher.hpp"
#include "launch/job/program_job.hpp"
#include "launch/job/signals_and_limits.hpp"
#include "launch/job/standstill.hpp"
#include "railyard/base/error.hpp"

namespace railyard::agents {

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
    void watch();
    void watch_input();
    void settle();
    void give_up();

    // Of the hosts.
    void start_ranks();
    void on_command_end(Host& host);
    void on_link(Host& host);
    void on_message(Host& host, HostMessage kind, const std::string& text);
    void print(Host& host, const Printed& printed);
    void keep(const Host& host, const Printed& part);
    void on_waiting(const Host& host, const RankPut& what);
    void on_left(std::uint32_t rank);
    void find_deadlock_soon();
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
    Reactor reactor_;
    Reactor::Watch signals_;
    std::vector<Host> hosts_;
    std::optional<RollCall> roll_call_;  ///< until all are here
    Printer printer_;
    OwnInput input_;
    Reactor::Watch input_watch_;
    Reactor::Timer input_later_;
    Reactor::Timer patience_;  ///< with hosts that are not here yet
    Reactor::Timer time_limit_;
    Reactor::Timer kill_;  ///< set once all were asked to end
    Reactor::Timer settled_;
    job::Standstill standstill_;
    Reactor::Timer deadlock_;
    bool is_closing_ = false;      ///< nothing runs any more
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
      roll_call_(
          std::in_place, host_options, hosts_, reactor_,
          [this](Host& host) { host.link->attach(reactor_, [this, &host] { on_link(host); }); }),
      printer_(reactor_, static_cast<int>(placement.nodes.size()), options.label_output),
      standstill_(static_cast<int>(placement.nodes.size())) {}

job::Result HostsJob::run() {
    roll_call_->start_agents([this] {
        interrupts_.restore_for_exec();
        file_limit_.undo_in_child();
    });
    watch();
    reactor_.run_until([this] {
        settle();
        return is_over();
    });
    while (const int signal = interrupts_.take())
        on_signal(signal);
    if (worst_) fail(std::move(worst_->failure), worst_->exit_code, SIGTERM);
    for (Host& host : hosts_) {
        finish_output(host);
        host.link.reset();
    }
    is_closing_ = true;
    await_commands();
    await_reader();
    if (cannot_start_) throw *cannot_start_;
    return std::move(result_);
}

bool HostsJob::is_over() const {
    return std::ranges::all_of(hosts_, [](const Host& host) { return host.is_done; });
}

void HostsJob::watch() {
    signals_ = reactor_.watch(interrupts_.descriptor(), Reactor::For::reading, [] {});
    // First of all: ranks that Ctrl-C ended are no failures of their own.
    reactor_.look_first([this] {
        while (const int signal = interrupts_.take())
            on_signal(signal);
    });
    for (Host& host : hosts_)
        host.command_watch = reactor_.watch(host.command->descriptor(), Reactor::For::reading,
                                            [this, &host] { on_command_end(host); });
    patience_ = reactor_.after(RollCall::patience, [this] {
        if (!roll_call_) return;
        if (const auto absent = roll_call_->absent()) cannot_start(absent->host, absent->why, 1);
    });
    if (options_.time_limit)
        time_limit_ = reactor_.after(*options_.time_limit, [this] {
            fail(fmt::format("not done within the time limit of {} s",
                             options_.time_limit->seconds()),
                 job::time_limit_exit_code, SIGTERM);
        });
}

void HostsJob::watch_input() {
    if (input_.descriptor() < 0)
        input_watch_.reset();
    else if (!input_watch_)
        input_watch_ = reactor_.watch(input_.descriptor(), Reactor::For::reading, [this] {
            if (const auto bytes = input_.read()) hosts_.front().tell(HostMessage::input, *bytes);
        });
    // Nobody is told when the terminal becomes ours.
    if (input_.waits_for_terminal() && !input_later_)
        input_later_ = reactor_.after(Duration::ms(500), [this] { input_later_.reset(); });
}

void HostsJob::settle() {
    if (roll_call_ && result_.ok && roll_call_->is_complete()) start_ranks();
    ask_for_more();
    watch_input();
}

/// Whoever loses the connection ends its ranks.
void HostsJob::give_up() {
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
    host.command_watch.reset();
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
            return tell_all(kind, text, &host);
        case HostMessage::left:
            if (const auto rank = parse_number(text)) on_left(*rank);
            return tell_all(kind, text, &host);
        case HostMessage::waiting:
            if (const auto what = RankPut::parse(text)) on_waiting(host, *what);
            return;
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
        case HostMessage::kept:
            if (const auto part = Printed::parse(text)) keep(host, *part);
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

void HostsJob::keep(const Host& host, const Printed& part) {
    if (std::ranges::find(host.ranks, static_cast<int>(part.rank)) == host.ranks.end()) return;
    result_.kept.resize(placement_.nodes.size());
    result_.kept[part.rank] += part.bytes;
}

void HostsJob::on_waiting(const Host& host, const RankPut& what) {
    if (std::ranges::find(host.ranks, static_cast<int>(what.rank)) == host.ranks.end()) return;
    standstill_.hear(static_cast<int>(what.rank), what.value);
    find_deadlock_soon();
}

void HostsJob::on_left(std::uint32_t rank) {
    if (rank >= placement_.nodes.size()) return;
    standstill_.leave(static_cast<int>(rank));
    find_deadlock_soon();
}

void HostsJob::find_deadlock_soon() {
    // What one says may be older than what another, on another host, has done meanwhile.
    deadlock_ = reactor_.after(job::standstill_settling, [this] {
        if (standstill_.is_complete()) fail(standstill_.report(), job::deadlock_exit_code, SIGTERM);
    });
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
    if (kill_ || is_closing_) is_asked_twice_ = true;
    if (kill_) return give_up();
    fail("interrupted", 128 + signal, signal);
}

void HostsJob::cannot_start(const Host& host, const std::string& why, int exit_code) {
    if (!result_.ok) return;
    cannot_start_.emplace(fmt::format("host {}: {}", host.name, why), exit_code);
    fail(cannot_start_->what(), exit_code, SIGTERM);
}

void HostsJob::consider(job::Ending ending) {
    if (!worst_)
        settled_ =
            reactor_.after(settling, [this] { fail(worst_->failure, worst_->exit_code, SIGTERM); });
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
    kill_ = reactor_.after(job::grace + patience_with_agents, [this] { give_up(); });
    time_limit_.reset();
}

void HostsJob::tell_all(HostMessage kind, std::string_view text, const Host* but) {
    for (Host& host : hosts_)
        if (&host != but) host.tell(kind, text);
}

void HostsJob::await_commands() {
    // They end with their agents. Whoever does not is killed when it is destroyed.
    bool is_late = false;
    const auto timer =
        reactor_.after(result_.ok ? Duration::s(2) : patience_with_agents, [&] { is_late = true; });
    input_watch_.reset();
    reactor_.run_until([&] {
        return is_late || std::ranges::all_of(hosts_, [](const Host& host) {
                   return !host.command || host.command->descriptor() < 0;
               });
    });
}

void HostsJob::await_reader() {
    // Nothing runs any more; whoever does not want to wait for the rest of the output says so.
    reactor_.run_until([this] { return printer_.is_idle() || is_asked_twice_; });
}

}  // namespace

job::Result run_programs(const job::ProgramOptions& options, const HostOptions& hosts) {
    if (std::ranges::all_of(hosts.list, [](const HostSlots& host) { return is_here(host.name); }))
        return job::run_programs(options);
    const Placement placement = place_ranks(hosts.list, job::ranks_of(options.programs));
    return HostsJob(options, hosts, placement).run();
}

}  // namespace railyard::agents
