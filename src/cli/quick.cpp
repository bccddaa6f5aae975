#include "cli/quick.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "cli/words.hpp"
#include "experiments/core/plan.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"

namespace railyard::cli {

namespace {

using experiments::Plan;

std::vector<Bytes> sizes(std::initializer_list<std::uint64_t> all) {
    std::vector<Bytes> found;
    for (const std::uint64_t bytes : all)
        found.emplace_back(bytes);
    return found;
}

Plan plan_of(std::initializer_list<std::string_view> names, std::vector<std::string> fabrics) {
    Plan plan;
    for (const std::string_view name : names)
        plan.experiments.push_back(&experiment_named(name));
    plan.fabrics = std::move(fabrics);
    return plan;
}

/// Interconnects that are nothing but a formula say nothing beside the others.
constexpr std::string_view formula = "ideal";

std::vector<std::string> models() {
    std::vector<std::string> names;
    for (const fabric::Traits& traits : job::fabrics())
        if (traits.clock == fabric::Clock::virtual_time && traits.name != formula)
            names.push_back(traits.name);
    return names;
}

/// Enough of everything for each part of the page, and no more.
std::vector<Plan> plans() {
    Plan here = plan_of({"limits", "latency-uni", "bandwidth-uni-queue"}, {job::Options().fabric});
    here.wishes.quick = true;
    here.wishes.queues = {16};
    Plan two = plan_of({"latency-uni", "bandwidth-uni-queue"}, models());
    two.wishes.sizes = sizes({8, 64, 512, 4 << 10, 32 << 10, 256 << 10});
    two.wishes.queues = {16};
    two.wishes.ops = {fabric::Op::rdma_write, fabric::Op::send};
    two.wishes.quick = true;
    Plan host = plan_of({"host-overhead-latency"}, models());
    host.wishes.sizes = sizes({8});
    std::vector<Plan> all{std::move(here), std::move(two), std::move(host)};
    for (const int ranks : {4, 16, 64}) {
        Plan many = plan_of({"allreduce-latency"}, models());
        many.wishes.sizes = sizes({8});
        many.wishes.quick = true;
        many.ranks = ranks;
        many.only = {{"collective", "allreduce"}, {"mode", "static"}};
        all.push_back(std::move(many));
    }
    return all;
}

}  // namespace

void measure_quickly(report::PageInput& input) {
    results::Results found{.machine = results::this_machine(), .rows = {}};
    const std::vector<Plan> all = plans();
    const ProgressLine line(true);
    const auto outcomes = experiments::run(
        all, [&](std::string_view what) { line.show(what); },
        experiments::Carrying{.time_budget = Duration::s(60)});
    for (const experiments::Outcome& outcome : outcomes) {
        if (outcome.ended_by_signal())
            throw experiments::Stopped(outcome.failure, outcome.exit_code);
        if (!outcome.failure.empty()) throw Error(outcome.failure);
        found.rows.insert(found.rows.end(), outcome.rows.begin(), outcome.rows.end());
    }
    input.sources.push_back({"measured for this page", std::move(found)});
}

}  // namespace railyard::cli
