#include "launch/job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "base/topology.hpp"
#include "interconnects/profile_keys.hpp"
#include "interconnects/registry.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/profile_keys.hpp"
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

void check_node_memory(const Plan& plan) {
    if (!plan.node_memory) return;
    if (plan.kind != Kind::fibers)
        throw UsageError("ranks that are real share their node's memory anyway");
    if (plan.fabric->traits.tagged)
        throw UsageError(
            fmt::format("fabric '{}' matches messages itself, those inside a node too: it serves "
                        "them without the node's memory",
                        plan.fabric->name()));
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
    plan.node_memory = options.node_memory;
    check_node_memory(plan);
    check_trace(options, *plan.fabric);
    plan.trace = options.trace;
    plan.trace_above = options.trace_above;
    plan.account_for_parts = options.account_for_parts;
    plan.stack = options.stack;
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

Result run(const Options& options, const Body& body) {
    const Plan plan = make_plan(options);
    switch (plan.kind) {
        case Kind::processes:
            return run_processes(plan, body);
        case Kind::threads:
            return run_threads(plan, body);
        case Kind::fibers:
            return run_fibers(plan, body);
    }
    return {};
}

std::vector<fabric::Traits> fabrics() {
    std::vector<fabric::Traits> all;
    for (const auto& entry : interconnects::registry())
        all.push_back(entry.traits);
    return all;
}

const fabric::Traits* find_fabric(std::string_view name) {
    const auto* entry = interconnects::find(name);
    return entry != nullptr ? &entry->traits : nullptr;
}

std::optional<fabric::Datasheet> datasheet(std::string_view fabric) {
    const interconnects::Entry& entry = find_entry(fabric);
    if (!entry.datasheet) return std::nullopt;
    return entry.datasheet();
}

std::vector<fabric::ProfileSection> profile_sections() {
    return interconnects::profile_sections();
}

std::string survey(std::string_view fabric) {
    const interconnects::Entry& entry = find_entry(fabric);
    return entry.survey ? entry.survey() : "";
}

std::set<std::string> cited_records(std::string_view fabric) {
    const auto sheet = datasheet(fabric);
    return sheet ? sheet->cited_records : std::set<std::string>{};
}

Result run_with_faults(const Options& options, Faults& faults, const Body& body) {
    Plan plan = make_plan(options);
    if (!plan.fabric->with_faults)
        throw UsageError(fmt::format(
            "fabric '{}' has no faults: they strike the parts of a modelled interconnect, and "
            "`railyard fabrics` lists those",
            plan.fabric->name()));
    const interconnects::Faulty faulty = plan.fabric->with_faults(faults.script, plan.node_count());
    plan.open = faulty.open;
    Result result = run_fibers(plan, body);
    faults.report = *faulty.report;
    return result;
}

const interconnects::Entry& find_entry(std::string_view name) {
    if (const auto* entry = interconnects::find(name)) return *entry;
    std::vector<std::string> names;
    for (const auto& entry : interconnects::registry())
        names.emplace_back(entry.name());
    for (const auto* entry : interconnects::added())
        names.emplace_back(entry->name());
    throw UsageError(
        fmt::format("there is no fabric '{}'; {}", name, advice(name, names, "there are:")));
}

void check_part_of_trace(bool is_written, Duration from, Duration to) {
    const bool is_part = from != Duration() || to != Duration::forever();
    if (is_part && !is_written)
        throw UsageError(
            "--trace-from and --trace-to are parts of a trace; name its file with "
            "--trace");
    if (to <= from)
        throw UsageError(fmt::format("--trace-to: {} is not after --trace-from, {}", to_string(to),
                                     to_string(from)));
}

}  // namespace railyard::job
