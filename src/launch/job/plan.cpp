#include "launch/job/plan.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/topology.hpp"
#include "launch/job/fabric_pair.hpp"
#include "launch/job/find_entry.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

FabricPair choose_fabrics(const std::string& name) {
    const bool is_pair = name.find('+') != name.npos && !name.ends_with(".toml");
    return is_pair ? FabricPair::parse(name) : FabricPair{.inside = &find_entry(name)};
}

Kind choose_kind(const Options& options, const interconnects::Entry& entry) {
    const Kind kind = options.kind.value_or(entry.is_virtual() ? Kind::fibers : Kind::processes);
    if (entry.is_virtual() && kind != Kind::fibers)
        throw UsageError(
            fmt::format("fabric '{}' runs in virtual time, where ranks are fibers, not {}",
                        entry.name(), kind == Kind::threads ? "threads" : "processes"));
    if (!entry.is_virtual() && kind == Kind::fibers)
        throw UsageError(fmt::format(
            "fabric '{}' runs in real time, where ranks are processes or threads, not fibers",
            entry.name()));
    return kind;
}

std::vector<fabric::NodeId> choose_nodes(const Options& options, Kind kind) {
    const auto ranks = static_cast<std::size_t>(options.ranks);
    if (!options.nodes.empty()) {
        if (options.nodes.size() != ranks)
            throw UsageError(fmt::format("a job of {} ranks needs a node for each, not {} nodes",
                                         ranks, options.nodes.size()));
        return options.nodes;
    }
    std::vector<fabric::NodeId> nodes(ranks, 0);
    if (kind == Kind::fibers) std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

void check_trace(const Options& options, const interconnects::Entry& entry) {
    if (options.trace.empty() || entry.is_virtual()) return;
    throw UsageError(
        fmt::format("fabric '{}' runs in real time, where nobody sees what its parts do; take one "
                    "that runs in virtual time (`railyard fabrics` lists them), or no trace",
                    entry.name()));
}

}  // namespace

Plan make_plan(const Options& options) {
    if (options.ranks < 1)
        throw UsageError(fmt::format("a job has at least 1 rank, not {}", options.ranks));
    Plan plan;
    plan.ranks = options.ranks;
    const FabricPair fabrics = choose_fabrics(options.fabric);
    plan.fabric = fabrics.inside;
    plan.fabric_between = fabrics.between;
    plan.kind = choose_kind(options, *plan.fabric);
    plan.nodes = choose_nodes(options, plan.kind);
    plan.label_output = options.label_output;
    check_trace(options, *plan.fabric);
    plan.trace = options.trace;
    plan.account_for_parts = options.account_for_parts;
    plan.settings = options.settings;
    if (plan.kind != Kind::fibers) {
        if (options.pin) plan.cores = spread(options.ranks);
        plan.shares_core = static_cast<std::size_t>(options.ranks) > allowed_cores().size();
    }
    return plan;
}

int exit_code_for(const std::exception& error) {
    if (const auto* abort = dynamic_cast<const AbortCalled*>(&error)) return abort->code();
    return dynamic_cast<const UsageError*>(&error) != nullptr ? 2 : 1;
}

}  // namespace railyard::job
