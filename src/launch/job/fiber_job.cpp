#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string>

#include "hosts/virtual_host.hpp"
#include "launch/job/bound_rank.hpp"
#include "launch/job/fabric_set.hpp"
#include "launch/job/fiber_exchange.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace railyard::job {

namespace {

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

class FiberRank final : public Rank {
  public:
    FiberRank(Shared& shared, int id)
        : shared_(shared),
          id_(id),
          bootstrap_(shared.exchange, id, shared.plan.nodes),
          host_(shared.engine) {}

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
    void deliver(std::string bytes) override {
        shared_.result.delivered.push_back(std::move(bytes));
    }

  private:
    Shared& shared_;
    int id_;
    FiberBootstrap bootstrap_;
    // In this order: a Nic goes before its host.
    hosts::VirtualHost host_;
    std::unique_ptr<fabric::Nic> nic_;
};

int exit_code_for(const std::exception_ptr& cause) {
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
                     exit_code_for(error.cause()));
    } catch (const std::exception& error) {  // a deadlock, or what an event threw
        note_failure(shared.result, error.what(), job::exit_code_for(error));
    }
}

void write_trace(const sim::Trace& trace, const std::filesystem::path& path, Result& result) {
    try {
        std::ostringstream text;
        trace.write(text);
        results::write_file(path, text.view());
    } catch (const std::exception& error) {
        if (result.ok) note_failure(result, error.what(), 1);  // else there is worse to tell
    }
}

}  // namespace

Result run_fibers(const Plan& plan, const Body& body) {
    sim::Trace trace;
    Shared shared(plan);
    if (!plan.trace.empty()) {
        results::check_writable(plan.trace);
        shared.engine.record(&trace);
    }
    if (plan.open) shared.fabrics.add(plan.fabric->name(), plan.open(shared.engine));
    for (int id = 0; id < plan.ranks; ++id)
        shared.engine.spawn(fmt::format("rank {}", id), [&shared, &body, id] {
            {
                FiberRank rank(shared, id);
                const BoundRank bound(rank);
                body(rank);
            }
            shared.exchange.leave(id);
        });
    run_engine(shared);
    if (plan.account_for_parts) shared.result.parts = shared.fabrics.parts();
    if (!plan.trace.empty()) write_trace(trace, plan.trace, shared.result);
    return std::move(shared.result);
}

}  // namespace railyard::job
