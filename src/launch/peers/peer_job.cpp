#include "launch/peers/peer_job.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "base/reactor.hpp"
#include "launch/job/process_job.hpp"
#include "launch/peers/board_relay.hpp"
#include "launch/peers/messages.hpp"
#include "launch/tls/link.hpp"
#include "launch/tls/listener.hpp"
#include "railyard/base/error.hpp"

namespace railyard::peers {

namespace {

constexpr Duration heartbeat = Duration::s(5);
constexpr fabric::NodeId calling_node = 0;
constexpr fabric::NodeId listening_node = 1;

/// Fabrics between hosts take that address of this one, unless the user has chosen another.
void choose_address(const std::string& address) {
    constexpr int keep_what_is_there = 0;
    ::setenv("RAILYARD_IWARP_ADDRESS", address.c_str(), keep_what_is_there);
}

tls::HostPort where(const PeerOptions& peer) {
    tls::HostPort address = tls::parse_host_port(peer.address);
    if (address.port == 0) address.port = PeerOptions::usual_port;
    return address;
}

/// Waits for the other side. An interrupt ends the process here: nothing runs yet.
tls::Link await_peer(const PeerOptions& peer, const tls::Secret& secret) {
    tls::Listener::Options options;
    options.where = where(peer);
    options.heartbeat = heartbeat;
    Reactor reactor;
    std::optional<tls::Link> caller;
    bool is_late = false;
    const tls::Listener listener(reactor, secret, options, [&](tls::Link link) {
        if (!caller) caller.emplace(std::move(link));
    });
    const auto timer = reactor.after(peer.patience, [&] { is_late = true; });
    reactor.run_until([&] { return caller || is_late; });
    if (caller) return std::move(*caller);
    throw Error(fmt::format(
        "nobody has called at port {} within {} s{}", listener.port(), peer.patience.seconds(),
        listener.refused() > 0 ? ", but for some who do not know the secret" : ""));
}

tls::Link meet(const PeerOptions& peer) {
    const tls::Secret secret = peer.secret_file.empty() ? tls::Secret::parse(peer.secret)
                                                        : tls::Secret::of_file(peer.secret_file);
    if (peer.side == PeerOptions::Side::listens) return await_peer(peer, secret);
    const tls::HostPort address = where(peer);
    return tls::connect({fmt::format("[{}]:{}", address.host, address.port)}, secret, heartbeat,
                        peer.patience);
}

/// The relay between the two boards, and what each side hears of the other.
class PeerJob final : private job::Overseer {
  public:
    PeerJob(const job::Plan& plan, const PeerOptions& peer, const job::Body& body)
        : peer_(peer),
          here_(peer.side == PeerOptions::Side::calls ? calling_node : listening_node),
          link_(meet(peer)),
          job_(plan, body, launcher_options(), reactor_),
          relay_(job_.board(), here_, plan.nodes,
                 [this](Message kind, const std::string& text) { tell(kind, text); }) {}

    job::Result run() {
        link_.attach(reactor_, [this] { on_link(); });
        agree();
        choose_address(link_.own_address());
        job::Result result = job_.run();
        for (const std::string& row : result.delivered)
            tell(Message::row, row);
        if (!result.ok) on_failure({result.failure, result.exit_code, {}});
        tell(Message::done, {});
        while (result.ok && !failure_ && !is_done_ && !is_lost_)
            wait_for_link();
        link_.drain(Duration::s(2));
        if (result.ok && failure_) {
            result.ok = false;
            result.failure = failure_->failure;
            result.exit_code = failure_->exit_code;
        }
        std::move(rows_.begin(), rows_.end(), std::back_inserter(result.delivered));
        return result;
    }

  private:
    job::Launcher::Options launcher_options() {
        job::Launcher::Options options;
        options.ranks = {static_cast<int>(here_)};
        options.host = here_ == calling_node ? "that calls" : "that listens";
        options.overseer = this;
        return options;
    }

    void tell(Message kind, std::string_view text) {
        link_.send(static_cast<std::uint32_t>(kind), text);
    }
    void wait_for_link() {
        const int signal = job_.launcher().turn();
        if (signal == 0) return;
        fail({"interrupted", 128 + signal, {}});
        on_failure(*failure_);
    }

    /// Both sides do the same, or nothing.
    void agree() {
        tell(Message::task, peer_.task);
        while (!failure_ && !is_lost_ && !their_task_)
            wait_for_link();
        if (their_task_ && *their_task_ != peer_.task)
            throw UsageError(
                fmt::format("the two sides want different things: `{}` here and `{}` there; give "
                            "both the same experiments and options",
                            peer_.task, *their_task_));
    }

    void on_exchange(int rank, job::FrameKind kind, std::string payload) override {
        relay_.on_frame(rank, kind, payload);
    }
    void on_leave(int rank) override { relay_.on_leave(rank); }
    void on_failure(const job::Ending& ending) override {
        tell(Message::failed, Failure{ending}.text());
    }

    void on_link() {
        if (is_lost_) return;
        const bool alive = link_.receive([this](std::uint32_t kind, const std::string& text) {
            on_message(static_cast<Message>(kind), text);
        });
        if (alive) return;
        is_lost_ = true;
        if (!is_done_ || !their_task_)
            fail({fmt::format("the other side is gone: {}", link_.why()), 1, {}});
    }

    void on_message(Message kind, const std::string& text) {
        switch (kind) {
            case Message::task:
                their_task_ = text;
                return;
            case Message::row:
                rows_.push_back(text);
                return;
            case Message::done:
                is_done_ = true;
                return;
            case Message::failed:
                return fail(Failure::parse(text).value_or(Failure{{"it failed", 1, {}}}).ending);
            case Message::put:
            case Message::fence:
            case Message::left:
                try {
                    return relay_.on_message(kind, text);
                } catch (const Error& error) {
                    return fail({error.what(), 1, {}});
                }
        }
    }

    void fail(job::Ending ending) {
        job_.launcher().fail(ending.failure, ending.exit_code, SIGTERM);
        if (!failure_) failure_ = std::move(ending);
    }

    const PeerOptions& peer_;
    fabric::NodeId here_;
    Reactor reactor_;
    tls::Link link_;
    job::ProcessJob job_;
    BoardRelay relay_;
    std::optional<std::string> their_task_;
    std::vector<std::string> rows_;
    std::optional<job::Ending> failure_;
    bool is_done_ = false;
    bool is_lost_ = false;
};

}  // namespace

job::Result run_with_peer(const job::Options& options, const PeerOptions& peer,
                          const job::Body& body) {
    job::Options two = options;
    two.ranks = 2;
    two.nodes = {calling_node, listening_node};
    const job::Plan plan = job::make_plan(two);
    const fabric::Traits* traits = job::find_fabric(two.fabric);
    if (plan.kind != job::Kind::processes || traits == nullptr || !traits->crosses_nodes)
        throw UsageError(fmt::format(
            "{} does not reach other hosts; `railyard fabrics` says which one does", two.fabric));
    return PeerJob(plan, peer, body).run();
}

}  // namespace railyard::peers
