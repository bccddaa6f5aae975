#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/registry.hpp"
#include "launch/job/board.hpp"
#include "launch/job/bootstrap.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace railyard::job {

namespace {

/// The exchange behind Bootstrap for ranks that are fibers of one simulation: plain maps, and waits
/// that take no virtual time. It behaves as Board does.
class FiberExchange {
  public:
    FiberExchange(sim::Engine& engine, int ranks);

    int ranks() const { return static_cast<int>(slots_.size()); }

    void put(int rank, std::string_view key, std::span<const std::byte> value);
    std::vector<std::byte> get(int rank, std::string_view key);
    void fence(int rank);
    /// The same, and `meanwhile` is called whenever something has arrived at the rank's host.
    void fence_while(int rank, hosts::VirtualHost& host, const std::function<void()>& meanwhile);
    /// The rank has ended well: nobody waits for it any more.
    void leave(int rank);

  private:
    using Waiters = std::vector<sim::Fiber*>;
    struct Slot {
        std::map<std::string, std::vector<std::byte>, std::less<>> values;
        std::size_t used = 0;
        Waiters waiters;
        bool left = false;
        bool in_fence = false;
    };

    Slot& slot(int rank);
    /// True if it was the last: the fence is done.
    bool enter_fence(int rank);
    void wake_fence();
    void expect_all_in_fence(int rank) const;
    std::optional<int> absent_from_fence() const;
    std::string describe_fence() const;
    void wait_among(Waiters& waiters, const sim::Reason& waits_for);
    void wake(Waiters& waiters);

    sim::Engine& engine_;
    std::vector<Slot> slots_;
    Waiters fence_waiters_;
    std::vector<hosts::VirtualHost*> fence_hosts_;  ///< of those that wait for arrivals as well
    std::size_t in_fence_ = 0;
    std::size_t left_ = 0;
    std::uint64_t fences_done_ = 0;
};

FiberExchange::FiberExchange(sim::Engine& engine, int ranks)
    : engine_(engine), slots_(static_cast<std::size_t>(ranks)) {}

void FiberExchange::put(int rank, std::string_view key, std::span<const std::byte> value) {
    Slot& mine = slot(rank);
    if (mine.values.contains(key)) throw bootstrap_put_twice(rank, key);
    // Memory is no reason here, but what runs in virtual time is to run for real as well.
    const std::size_t size = Board::record_size(key, value);
    const std::size_t room = Board::capacity_per_rank.count() - mine.used;
    if (size > room) throw bootstrap_full(rank, room, key, value.size());
    mine.used += size;
    mine.values.emplace(key, std::vector(value.begin(), value.end()));
    wake(mine.waiters);
}

std::vector<std::byte> FiberExchange::get(int rank, std::string_view key) {
    Slot& theirs = slot(rank);
    for (;;) {
        if (const auto found = theirs.values.find(key); found != theirs.values.end())
            return found->second;
        if (theirs.left) throw bootstrap_never_put(rank, key);
        wait_among(theirs.waiters, [&] { return fmt::format("'{}' of rank {}", key, rank); });
    }
}

bool FiberExchange::enter_fence(int rank) {
    slot(rank).in_fence = true;
    if (++in_fence_ != slots_.size()) return false;
    in_fence_ = 0;
    for (Slot& each : slots_)
        each.in_fence = false;
    ++fences_done_;
    wake_fence();
    return true;
}

void FiberExchange::wake_fence() {
    wake(fence_waiters_);
    for (hosts::VirtualHost* host : fence_hosts_)
        host->end_wait();
}

void FiberExchange::expect_all_in_fence(int rank) const {
    if (const auto absent = absent_from_fence()) throw bootstrap_outside_fence(*absent, rank);
}

void FiberExchange::fence(int rank) {
    if (enter_fence(rank)) return;
    for (const std::uint64_t before = fences_done_; fences_done_ == before;) {
        expect_all_in_fence(rank);
        wait_among(fence_waiters_, [this] { return describe_fence(); });
    }
}

void FiberExchange::fence_while(int rank, hosts::VirtualHost& host,
                                const std::function<void()>& meanwhile) {
    if (enter_fence(rank)) return;
    struct Registered {  // undone by an unwinding, too
        std::vector<hosts::VirtualHost*>& hosts;
        hosts::VirtualHost* host;
        ~Registered() { std::erase(hosts, host); }
    };
    fence_hosts_.push_back(&host);
    const Registered registered{fence_hosts_, &host};
    for (const std::uint64_t before = fences_done_; fences_done_ == before;) {
        expect_all_in_fence(rank);
        const auto ticket = host.prepare_wait();
        meanwhile();
        if (fences_done_ == before) host.wait_while(ticket, [this] { return describe_fence(); });
    }
}

std::optional<int> FiberExchange::absent_from_fence() const {
    if (left_ == 0) return std::nullopt;  // As a rule, and thousands may ask.
    const auto absent =
        std::ranges::find_if(slots_, [](const Slot& each) { return each.left && !each.in_fence; });
    if (absent == slots_.end()) return std::nullopt;
    return static_cast<int>(absent - slots_.begin());
}

void FiberExchange::leave(int rank) {
    slot(rank).left = true;
    ++left_;
    wake(slot(rank).waiters);
    wake_fence();
}

FiberExchange::Slot& FiberExchange::slot(int rank) {
    const int ranks = static_cast<int>(slots_.size());
    if (rank < 0 || rank >= ranks) throw bootstrap_no_such_rank(rank, ranks);
    return slots_[static_cast<std::size_t>(rank)];
}

std::string FiberExchange::describe_fence() const {
    const auto missing = std::ranges::find(slots_, false, &Slot::in_fence);
    return fmt::format("all ranks to enter the fence; {} of {} have not, rank {} first",
                       slots_.size() - in_fence_, slots_.size(), missing - slots_.begin());
}

void FiberExchange::wait_among(Waiters& waiters, const sim::Reason& waits_for) {
    waiters.push_back(engine_.current());
    engine_.suspend(waits_for);
}

void FiberExchange::wake(Waiters& waiters) {
    // Whoever is woken looks again, and waits again if it must.
    for (sim::Fiber* fiber : std::exchange(waiters, {}))
        engine_.resume(*fiber);
}

/// One rank's view of it.
class FiberBootstrap final : public Bootstrap {
  public:
    /// Nodes, one a rank, outlive it, and so does the rank's host.
    FiberBootstrap(FiberExchange& exchange, int rank, std::span<const fabric::NodeId> nodes,
                   hosts::VirtualHost& host)
        : exchange_(exchange), rank_(rank), nodes_(nodes), host_(host) {}

    int rank() const override { return rank_; }
    int size() const override { return exchange_.ranks(); }
    fabric::NodeId node_of(int rank) const override {
        return nodes_[static_cast<std::size_t>(rank)];
    }

    void put(std::string_view key, std::span<const std::byte> value) override {
        exchange_.put(rank_, key, value);
    }
    std::vector<std::byte> get(int rank, std::string_view key) override {
        return exchange_.get(rank, key);
    }
    void fence() override { exchange_.fence(rank_); }
    void fence_while(const std::function<void()>& meanwhile) override {
        exchange_.fence_while(rank_, host_, meanwhile);
    }
    void abort(int code, std::string_view why) override { throw AbortCalled(code, why); }

  private:
    FiberExchange& exchange_;
    int rank_;
    std::span<const fabric::NodeId> nodes_;
    hosts::VirtualHost& host_;
};

/// What all fibers of a job have in common.
struct Shared {
    explicit Shared(const Plan& p)
        : plan(p), fabrics(find_entry, engine, p.node_count()), exchange(engine, p.ranks) {}

    const Plan& plan;
    // In this order: fabrics go before the engine that they run on.
    sim::Engine engine;
    FabricSet fabrics;
    FiberExchange exchange;
    Result result;
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

  private:
    struct State {
        bool done = false;
        sim::Fiber* waiter = nullptr;
    };

    /// It may be at work, and what it works on is about to go.
    void end() {
        host_.end_beside();
        shared_->waiter = engine_.current();
        while (!shared_->done && !engine_.unwinding())
            engine_.suspend("what runs beside it to end");
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
    const Settings& all_settings() const override { return shared_.plan.settings; }
    fabric::Host& host() override { return host_; }
    Bootstrap& bootstrap() override { return bootstrap_; }
    fabric::Nic& nic() override {
        if (!nic_) nic_ = open(shared_.plan.fabric->name());
        return *nic_;
    }
    std::unique_ptr<fabric::Nic> open(std::string_view fabric) override {
        return shared_.fabrics.open_nic(fabric, node(), host_);
    }
    std::unique_ptr<Beside> serve_beside(std::function<void()> serve) override {
        return std::make_unique<FiberBeside>(shared_.engine, host_,
                                             fmt::format("rank {}, beside", id_), std::move(serve));
    }
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
        note_failure(shared.result, fmt::format("{} failed: {}", error.fiber(), message),
                     exit_code_of(error.cause()));
    } catch (const std::exception& error) {  // a deadlock, or what an event threw
        note_failure(shared.result, error.what(), job::exit_code_for(error));
    }
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
        if (plan.open) shared.fabrics.add(plan.fabric->name(), plan.open(shared.engine));
        for (int id = 0; id < plan.ranks; ++id)
            shared.engine.spawn_on(plan.nodes.at(static_cast<std::size_t>(id)),
                                   fmt::format("rank {}", id), [&shared, &body, id] {
                                       {
                                           FiberRank rank(shared, id);
                                           const BoundRank bound(rank);
                                           body(rank);
                                       }
                                       shared.exchange.leave(id);
                                   });
        run_engine(shared);
        if (plan.account_for_parts) shared.result.parts = shared.fabrics.parts();
        shared.result.receiver_not_ready = shared.fabrics.receiver_not_ready();
        result = std::move(shared.result);
    }
    // Behind the last words of parts that are gone now.
    if (!plan.trace.empty()) write_trace(trace, plan, result);
    return result;
}

}  // namespace railyard::job
