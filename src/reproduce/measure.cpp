#include "reproduce/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/core/runner.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::reproduce {

namespace {

using experiments::Experiment;

/// The operations of the experiment that are wanted. Matching by the adapter is asked for as a
/// send.
std::vector<fabric::Op> ops(const Experiment& experiment, const Want& want) {
    std::vector<fabric::Op> out;
    for (const fabric::Op op : experiment.known_ops) {
        const bool tagged = op == fabric::Op::send && want.ops.contains("tagged");
        if (tagged || want.ops.contains(std::string(fabric::name(op)))) out.push_back(op);
    }
    return out;
}

/// Parameters that the experiment does not have are not asked for.
experiments::Wishes wishes(const Experiment& experiment, const Want& want) {
    experiments::Wishes out;
    if (!experiment.defaults.sizes.empty())
        for (const std::int64_t size : want.sizes)
            out.sizes.emplace_back(static_cast<std::uint64_t>(size));
    if (!experiment.defaults.queues.empty())
        for (const std::int64_t queue : want.queues)
            out.queues.push_back(static_cast<unsigned>(queue));
    out.ops = ops(experiment, want);
    if (experiment.mpi) out.mpi = experiments::Library::paper;
    return out;
}

/// What to run for it. Throws Error where there is nothing to run, or it cannot be.
experiments::Plan plan_of(const Want& want) {
    const Experiment* experiment = experiments::find(want.experiment);
    if (experiment == nullptr)
        throw Error(fmt::format("there is no experiment '{}'", want.experiment));
    if (job::find_fabric(want.fabric) == nullptr)
        throw Error(fmt::format("there is no fabric '{}'", want.fabric));
    experiments::Plan plan;
    plan.experiments = {experiment};
    plan.fabrics = {want.fabric};
    plan.wishes = wishes(*experiment, want);
    try {
        experiments::check(plan);
    } catch (const Error& error) {
        throw Error(fmt::format("{} on {}: {}", want.experiment, want.fabric, error.what()));
    }
    return plan;
}

}  // namespace

std::vector<Want> wants(std::span<const Selection> selections) {
    std::vector<Want> out;
    for (const Selection& selection : selections) {
        const auto same = [&](const Want& want) {
            return want.experiment == selection.experiment && want.fabric == selection.fabric;
        };
        auto found = std::ranges::find_if(out, same);
        if (found == out.end())
            found = out.insert(out.end(), {selection.experiment, selection.fabric, {}, {}, {}});
        found->sizes.insert(selection.sizes.begin(), selection.sizes.end());
        for (const auto& [name, value] : selection.where) {
            if (name == results::parameter::op) found->ops.insert(results::to_string(value));
            if (const auto* queue = std::get_if<std::int64_t>(&value);
                queue != nullptr && name == results::parameter::queue)
                found->queues.insert(*queue);
        }
    }
    return out;
}

Measured measure(std::span<const Want> wants, const Progress& progress, unsigned jobs) {
    Measured out;
    std::vector<experiments::Plan> plans;
    std::vector<const Want*> planned;
    const auto failed = [&](const Want& want, std::string why) {
        out.failures.emplace(std::pair(want.experiment, want.fabric), std::move(why));
    };
    for (const Want& want : wants)
        try {
            plans.push_back(plan_of(want));
            planned.push_back(&want);
        } catch (const Error& error) {
            failed(want, error.what());
        }
    std::vector<experiments::Outcome> outcomes = experiments::run(plans, progress, jobs);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        std::ranges::move(outcomes[i].rows, std::back_inserter(out.rows));
        if (!outcomes[i].failure.empty()) failed(*planned[i], std::move(outcomes[i].failure));
    }
    return out;
}

}  // namespace railyard::reproduce
