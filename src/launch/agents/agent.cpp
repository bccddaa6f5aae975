#include "launch/agents/hosts_job.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/reactor.hpp"
#include "base/shared_memory.hpp"
#include "base/topology.hpp"
#include "launch/agents/board_relay.hpp"
#include "launch/agents/host_list.hpp"
#include "launch/agents/host_messages.hpp"
#include "launch/agents/streams.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/launcher.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/program_job.hpp"
#include "launch/tls/link.hpp"
#include "railyard/base/error.hpp"

namespace railyard::agents {

namespace {

constexpr Duration patience_with_launcher = Duration::s(20);

/// Reads it and nothing behind it.
AgentCall read_call(int input) {
    std::string text;
    char byte = 0;
    // Byte by byte: what follows the empty line, if anything, is not ours.
    while (!text.ends_with("\n\n") && text.size() < 65536 && ::read(input, &byte, 1) == 1)
        text += byte;
    const auto call = AgentCall::parse(text);
    if (!call)
        throw UsageError(
            "an agent is told by its launcher, on standard input, whom to call; it is not for "
            "people: see `mpiexec --hosts`");
    return *call;
}

/// What hosts that are one machine have in common.
std::string machine_id() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

/// This process's environment becomes the launcher's, but for what tells of the host itself.
void take_environment(const std::vector<std::string>& theirs) {
    const auto is_hosts_own = [](std::string_view entry) {
        return entry.starts_with("HOSTNAME=") || entry.starts_with("SSH_");
    };
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (is_hosts_own(*entry)) all.emplace_back(*entry);
    for (const std::string& entry : theirs)
        if (!is_hosts_own(entry)) all.push_back(entry);
    ::clearenv();
    for (const std::string& entry : all)
        if (const auto equals = entry.find('='); equals != std::string::npos)
            ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
}

/// The job as the ranks `here` see it, which share their cores with those of other hosts on this
/// machine.
job::Plan plan_of(const Start& start, const std::vector<int>& here) {
    job::Plan plan;
    plan.ranks = static_cast<int>(start.nodes.size());
    const job::FabricPair fabrics = job::FabricPair::parse(start.fabric);
    plan.fabric = fabrics.inside;
    plan.fabric_between = fabrics.between;
    plan.nodes = start.nodes;
    const auto together = static_cast<int>(start.ranks_on_machine);
    plan.shares_core = start.ranks_on_machine > allowed_cores().size();
    const std::vector<int> cores = start.pin ? spread(together) : std::vector<int>{};
    if (cores.size() < start.first_on_machine + here.size()) return plan;
    plan.cores.resize(start.nodes.size());
    for (std::size_t i = 0; i < here.size(); ++i)
        plan.cores[static_cast<std::size_t>(here[i])] = cores[start.first_on_machine + i];
    return plan;
}

class Agent final : private job::Overseer {
  public:
    explicit Agent(const AgentCall& call)
        : call_(call),
          link_(tls::connect(call.addresses, call.secret, call.heartbeat, patience_with_launcher)) {
    }

    int run();

  private:
    std::optional<Start> await_start();
    void run_ranks(const Start& start);
    void finish();
    void tell_kept(const std::vector<int>& ranks, const job::KeptMemories& kept);
    void tell(HostMessage kind, std::string_view text) {
        link_.send(static_cast<std::uint32_t>(kind), text);
    }

    // Of the ranks.
    void on_exchange(int rank, job::FrameKind kind, std::string payload) override {
        if (kind == job::FrameKind::waiting)
            return tell(HostMessage::waiting,
                        RankPut{static_cast<std::uint32_t>(rank), {}, std::move(payload)}.text());
        relay_->on_frame(rank, kind, payload);
    }
    void on_leave(int rank) override { relay_->on_leave(rank); }
    void on_failure(const job::Ending& ending) override {
        tell(HostMessage::failed, Failure{ending}.text());
    }
    void print(Printed printed);
    void print_what_may_go();

    // Of the launcher.
    void on_link();
    void on_message(HostMessage kind, std::string_view text);
    void give_input();

    /// Passes a rank's output on.
    class Relayed final : public job::Output {
      public:
        Relayed(Agent& agent, int rank, bool is_error)
            : agent_(agent), rank_(static_cast<std::uint32_t>(rank)), is_error_(is_error) {}
        void feed(std::string_view piece) override {
            if (!piece.empty()) agent_.print({rank_, is_error_, std::string(piece)});
        }
        void finish() override {}

      private:
        Agent& agent_;
        std::uint32_t rank_;
        bool is_error_;
    };

    AgentCall call_;
    Reactor reactor_;
    tls::Link link_;
    bool is_lost_ = false;
    std::vector<std::pair<HostMessage, std::string>> early_;  ///< that came right behind the start
    std::optional<SharedMemory> memory_;  ///< of the board: others may speak of it to the very end
    std::optional<BoardRelay> relay_;
    std::unique_ptr<job::Launcher> launcher_;
    std::optional<InputFeed> input_;  ///< of rank 0, if it is here
    std::deque<Printed> printed_;     ///< what may not go yet
    std::size_t output_credit_ = stream_window;
};

int Agent::run() {
    tell(HostMessage::here, Here{call_.host, machine_id()}.text());
    const auto start = await_start();
    if (!start) return 1;
    try {
        run_ranks(*start);
    } catch (const job::CannotStart& error) {
        tell(HostMessage::cannot_start,
             Failure{{error.what(), error.exit_code(), job::Ending::Cause::exit}}.text());
    } catch (const std::exception& error) {
        tell(HostMessage::cannot_start,
             Failure{{error.what(), 1, job::Ending::Cause::exit}}.text());
    }
    finish();
    return 0;
}

std::optional<Start> Agent::await_start() {
    std::optional<Start> start;
    bool alive = true;
    link_.attach(reactor_, [&] {
        alive = link_.receive([&](std::uint32_t kind, const std::string& text) {
            if (start)
                early_.emplace_back(static_cast<HostMessage>(kind), text);
            else if (static_cast<HostMessage>(kind) == HostMessage::start)
                start = Start::parse(text);
        });
    });
    // The launcher may wait long for other hosts.
    reactor_.run_until([&] { return start || !alive; });
    return start;
}

void Agent::run_ranks(const Start& start) {
    take_environment(start.environment);
    choose_address(start.address.empty() ? link_.own_address() : start.address);
    const std::vector<int> here = Placement{{}, start.nodes}.ranks_on(start.host);
    const job::Plan plan = plan_of(start, here);
    memory_.emplace(SharedMemory::create("railyard-board", job::Board::size_for(plan.ranks)));
    const job::Board board =
        job::Board::format({memory_->data(), memory_->size().count()}, plan.ranks);
    relay_.emplace(board, start.host, start.nodes,
                   [this](HostMessage kind, const std::string& text) { tell(kind, text); });
    job::Launcher::Options options;
    options.ranks = here;
    options.outputs = [this](int rank) {
        return job::RankOutputs{std::make_unique<Relayed>(*this, rank, false),
                                std::make_unique<Relayed>(*this, rank, true)};
    };
    options.whole_process = true;
    options.host = call_.name;
    options.overseer = this;
    launcher_ = std::make_unique<job::Launcher>(options, board, reactor_);
    link_.attach(reactor_, [this] { on_link(); });
    if (start.nodes.at(0) == start.host) {
        input_.emplace(reactor_, [this] { give_input(); });
        tell(HostMessage::input_credit, number_text(stream_window));
    }
    for (const auto& [kind, text] : std::exchange(early_, {}))
        on_message(kind, text);
    const job::KeptMemories kept(start.kept, here);
    job::ProgramRanks ranks(start.programs, plan, here, memory_->handle(), kept,
                            input_ ? input_->reading_end() : -1);
    const job::Result result = ranks.run(*launcher_);
    tell_kept(here, kept);
    if (!result.ok && !is_lost_) on_failure({result.failure, result.exit_code, {}});
}

void Agent::tell_kept(const std::vector<int>& ranks, const job::KeptMemories& kept) {
    constexpr std::size_t at_a_time = 256 << 10;
    for (const int rank : ranks)
        for (std::string_view rest = kept.used(rank); !rest.empty() && !is_lost_;) {
            const std::string_view part = rest.substr(0, at_a_time);
            tell(HostMessage::kept,
                 Printed{static_cast<std::uint32_t>(rank), false, std::string(part)}.text());
            rest.remove_prefix(part.size());
        }
}

void Agent::finish() {
    launcher_.reset();
    if (!is_lost_) link_.attach(reactor_, [this] { on_link(); });
    // All that was printed goes before the end is told, however slowly it is read.
    reactor_.run_until([this] { return is_lost_ || printed_.empty(); });
    tell(HostMessage::done, {});
    // The launcher hangs up once it has heard; to do so first could cut off what is on the way.
    reactor_.run_until([this] { return is_lost_; });
}

void Agent::print(Printed printed) {
    printed_.push_back(std::move(printed));
    print_what_may_go();
}

void Agent::print_what_may_go() {
    while (!printed_.empty() && output_credit_ > 0) {
        Printed& next = printed_.front();
        const std::size_t size = std::min(next.bytes.size(), output_credit_);
        tell(HostMessage::output,
             Printed{next.rank, next.is_error, next.bytes.substr(0, size)}.text());
        output_credit_ -= size;
        next.bytes.erase(0, size);
        if (next.bytes.empty()) printed_.pop_front();
    }
    if (launcher_) launcher_->read_outputs(printed_.empty());
}

void Agent::on_link() {
    if (is_lost_) return;
    bool makes_sense = true;
    const bool alive = link_.receive([&](std::uint32_t kind, const std::string& text) {
        try {
            on_message(static_cast<HostMessage>(kind), text);
        } catch (const Error&) {
            makes_sense = false;
        }
    });
    if (alive && makes_sense) return;
    is_lost_ = true;
    // Nobody is left to whom anything could matter.
    if (!launcher_) return;
    launcher_->fail("the launcher is gone", 1, SIGKILL);
    launcher_->signal_all(SIGKILL);  // Those, too, that were being ended with more patience.
}

void Agent::on_message(HostMessage kind, std::string_view text) {
    switch (kind) {
        case HostMessage::put:
        case HostMessage::fence:
        case HostMessage::left:
            if (relay_) relay_->on_message(kind, text);
            return;
        case HostMessage::output_credit:
            output_credit_ += parse_number(text).value_or(0);
            return print_what_may_go();
        case HostMessage::input:
            if (!input_) return;
            if (text.empty())
                input_->end();
            else
                input_->add(text);
            return give_input();
        case HostMessage::signal:
            if (launcher_) launcher_->signal_all(static_cast<int>(parse_number(text).value_or(0)));
            return;
        case HostMessage::end:
            if (launcher_)
                launcher_->fail("ended", 1, static_cast<int>(parse_number(text).value_or(SIGTERM)));
            return;
        default:
            throw Error("a message that is not for agents");
    }
}

void Agent::give_input() {
    if (const std::size_t given = input_->advance(); given > 0)
        tell(HostMessage::input_credit, number_text(given));
}

}  // namespace

int run_agent(int input) {
    return Agent(read_call(input)).run();
}

}  // namespace railyard::agents
