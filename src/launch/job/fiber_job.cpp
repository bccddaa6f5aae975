#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/registry.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/fiber_exchange.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace railyard::job {

namespace {

sim::Engine::Options engine_options(const Plan& plan) {
    sim::Engine::Options options;
    if (plan.stack > Bytes()) options.stack_size = plan.stack;
    return options;
}

/// A fabric's name, that nobody else has.
constexpr std::string_view node_memory = "node memory";

/// What all fibers of a job have in common.
struct Shared {
    explicit Shared(const Plan& p)
        : plan(p),
          engine(engine_options(p)),
          fabrics(find_entry, engine, p.node_count()),
          exchange(engine, p.ranks),
          is_one_node(std::ranges::adjacent_find(p.nodes, std::not_equal_to<>()) == p.nodes.end()),
          explain_wait(static_cast<std::size_t>(p.ranks)) {
        engine.explain_deadlocks_by([this] { return explain_deadlock(); });
    }

    const Plan& plan;
    // In this order: fabrics go before the engine that they run on.
    sim::Engine engine;
    FabricSet fabrics;
    FiberExchange exchange;
    const bool is_one_node;
    std::map<std::string, std::shared_ptr<const void>, std::less<>> common;  ///< see Rank
    std::vector<std::function<std::optional<Waiting>()>> explain_wait;       ///< by rank
    Result result;

    std::string waits_at_failure;

    /// A line each, after a line's end.
    std::string waits_but_of(int failed) const { return ask_all_but(failed).waits(); }

  private:
    Standstill ask_all_but(std::optional<int> failed) const {
        Standstill standstill(plan.ranks);
        for (int rank = 0; rank < plan.ranks; ++rank) {
            const auto& explain = explain_wait[static_cast<std::size_t>(rank)];
            if (exchange.has_left(rank))
                standstill.leave(rank);
            else if (explain && rank != failed)
                standstill.set(rank, explain());
        }
        return standstill;
    }
    /// Empty unless all who wait can say for whom.
    std::string explain_deadlock() const {
        const Standstill standstill = ask_all_but({});
        return standstill.is_complete() ? standstill.report().substr(std::size("deadlock:") - 1)
                                        : std::string();
    }
};

/// A fiber beside a rank's own.
class FiberBeside final : public Beside {
  public:
    FiberBeside(sim::Engine& engine, hosts::VirtualHost& host, const std::string& name,
                std::function<void()> serve)
        : engine_(engine), host_(host), shared_(std::make_shared<State>()) {
        engine.spawn(name, [&engine, &host, shared = shared_, serve = std::move(serve)] {
            while (host.wait_beside())
                serve();
            shared->done = true;
            if (shared->waiter != nullptr) engine.resume(*shared->waiter);
        });
    }
    ~FiberBeside() override {
        try {
            end();
        } catch (...) {  // all fibers are given up, that one as well
        }
    }

    void enter() override {
        host_.settle();
        await(shared_->waiter, "what runs beside it", [this] { return !shared_->has_turn; });
        shared_->is_rank_inside = true;
    }
    void leave() override {
        host_.settle();
        shared_->is_rank_inside = false;
        if (shared_->turn_waiter != nullptr) engine_.resume(*shared_->turn_waiter);
    }
    bool have_a_turn(const std::function<void()>& work) override {
        const std::shared_ptr<State> shared = shared_;  // longer than this
        await(shared->turn_waiter, "its rank to leave what both work on",
              [&] { return !shared->is_rank_inside || shared->is_ending; });
        if (shared->is_ending || engine_.unwinding()) return false;
        shared->has_turn = true;
        work();
        host_.settle();
        shared->has_turn = false;
        if (shared->waiter != nullptr) engine_.resume(*shared->waiter);
        return true;
    }

  private:
    struct State {
        bool done = false;
        bool is_ending = false;
        bool is_rank_inside = false;
        bool has_turn = false;
        sim::Fiber* waiter = nullptr;       ///< the rank's
        sim::Fiber* turn_waiter = nullptr;  ///< the one beside it
    };

    template <class Ready>
    void await(sim::Fiber*& waiter, const char* what, Ready ready) {
        const std::string reason = what;
        waiter = engine_.current();
        while (!ready() && !engine_.unwinding())
            engine_.suspend([&] { return reason; });
        waiter = nullptr;
    }

    /// It may be at work, and what it works on is about to go.
    void end() {
        shared_->is_ending = true;
        host_.end_beside();
        if (shared_->turn_waiter != nullptr) engine_.resume(*shared_->turn_waiter);
        await(shared_->waiter, "what runs beside it to end", [this] { return shared_->done; });
    }

    sim::Engine& engine_;
    hosts::VirtualHost& host_;
    std::shared_ptr<State> shared_;
};

class FiberRank final : public Rank {
  public:
    FiberRank(Shared& shared, int id)
        : shared_(shared),
          id_(id),
          host_(shared.engine),
          bootstrap_(shared.exchange, id, shared.plan.nodes, host_) {}

    int id() const override { return id_; }
    int size() const override { return shared_.plan.ranks; }
    fabric::NodeId node_of(int rank) const override {
        return shared_.plan.nodes.at(static_cast<std::size_t>(rank));
    }
    bool is_all_on_one_node() const override { return shared_.is_one_node; }
    const Settings& all_settings() const override { return shared_.plan.settings; }
    std::shared_ptr<const void> common_object(std::string_view name,
                                              const MakeCommon& make) override {
        if (const auto found = shared_.common.find(name); found != shared_.common.end())
            return found->second;
        return shared_.common.emplace(name, make()).first->second;
    }
    fabric::Host& host() override { return host_; }
    Bootstrap& bootstrap() override { return bootstrap_; }
    fabric::Nic& nic() override {
        if (!nic_)
            nic_ = open(shared_.plan.node_memory ? node_memory : shared_.plan.fabric->name());
        return *nic_;
    }
    std::string_view fabric_between_nodes() const override {
        return shared_.plan.node_memory ? shared_.plan.fabric->name() : std::string_view();
    }
    std::unique_ptr<fabric::Nic> open(std::string_view fabric) override {
        return shared_.fabrics.open_nic(fabric, node(), host_);
    }
    std::unique_ptr<Beside> serve_beside(std::function<void()> serve) override {
        return std::make_unique<FiberBeside>(shared_.engine, host_,
                                             fmt::format("rank {}, beside", id_), std::move(serve));
    }
    void explain_wait_by(std::function<std::optional<Waiting>()> what) override {
        shared_.explain_wait[static_cast<std::size_t>(id_)] = std::move(what);
    }
    std::string waits_of_others() override { return shared_.waits_but_of(id_); }
    void deliver(std::string bytes) override {
        shared_.result.delivered.push_back(std::move(bytes));
    }

  private:
    Shared& shared_;
    int id_;
    // In this order: a Nic goes before its host.
    hosts::VirtualHost host_;
    FiberBootstrap bootstrap_;
    std::unique_ptr<fabric::Nic> nic_;
};

int exit_code_of(const std::exception_ptr& cause) {
    try {
        std::rethrow_exception(cause);
    } catch (const std::exception& error) {
        return job::exit_code_for(error);
    } catch (...) {
        return 1;
    }
}

void note_failure(Result& result, std::string what, int exit_code) {
    result.ok = false;
    result.failure = std::move(what);
    result.exit_code = exit_code;
}

void run_engine(Shared& shared) {
    try {
        shared.engine.run();
    } catch (const sim::FiberError& error) {
        const std::string prefix = error.fiber() + ": ";
        const std::string message = std::string(error.what()).substr(prefix.size());
        note_failure(
            shared.result,
            fmt::format("{} failed: {}{}", error.fiber(), message, shared.waits_at_failure),
            exit_code_of(error.cause()));
    } catch (const sim::Deadlock& error) {
        note_failure(shared.result, error.what(), deadlock_exit_code);
    } catch (const std::exception& error) {  // what an event threw
        note_failure(shared.result, error.what(), job::exit_code_for(error));
    }
}

void run_rank(Shared& shared, int id, const Body& body) {
    try {
        FiberRank rank(shared, id);
        const BoundRank bound(rank);
        body(rank);
    } catch (...) {
        // The others are still there, and will not be once this has left its fiber.
        if (!shared.engine.unwinding()) shared.waits_at_failure = shared.waits_but_of(id);
        throw;
    }
    shared.exchange.leave(id);
}

void write_trace(const sim::Trace& trace, const Plan& plan, Result& result) {
    try {
        std::ostringstream text;
        const TraceAbove& above = plan.trace_above;
        const std::string others = above.events ? above.events() : "";
        trace.write(text, {.others = others,
                           .their_processes = above.processes,
                           .from = Time::at(above.from),
                           .to = Time::at(above.to)});
        results::write_file(plan.trace, text.view());
    } catch (const std::exception& error) {
        if (result.ok) note_failure(result, error.what(), 1);  // else there is worse to tell
    }
}

}  // namespace

Result run_fibers(const Plan& plan, const Body& body) {
    sim::Trace trace;
    Result result;
    {
        Shared shared(plan);
        if (!plan.trace.empty()) {
            results::check_writable(plan.trace);
            shared.engine.record(&trace);
        }
        if (plan.node_memory)
            shared.fabrics.add(node_memory, interconnects::open_node_memory(shared.engine));
        if (plan.open) shared.fabrics.add(plan.fabric->name(), plan.open(shared.engine));
        for (int id = 0; id < plan.ranks; ++id)
            shared.engine.spawn_on(plan.nodes.at(static_cast<std::size_t>(id)),
                                   fmt::format("rank {}", id),
                                   [&shared, &body, id] { run_rank(shared, id, body); });
        run_engine(shared);
        shared.result.events = shared.engine.events_run();
        if (plan.account_for_parts) shared.result.parts = shared.fabrics.parts();
        shared.result.receiver_not_ready = shared.fabrics.receiver_not_ready();
        result = std::move(shared.result);
    }
    // Behind the last words of parts that are gone now.
    if (!plan.trace.empty()) write_trace(trace, plan, result);
    return result;
}

}  // namespace railyard::job
