#include "reproduce/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/runner.hpp"
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

/// Adds the rows; answers with what went wrong, or nothing.
std::string run(const Want& want, const Progress& progress, std::vector<results::Row>& rows) {
    const Experiment* experiment = experiments::find(want.experiment);
    if (experiment == nullptr) return fmt::format("there is no experiment '{}'", want.experiment);
    if (job::find_fabric(want.fabric) == nullptr)
        return fmt::format("there is no fabric '{}'", want.fabric);
    try {
        experiments::Plan plan;
        plan.experiments = {experiment};
        plan.fabrics = {want.fabric};
        plan.wishes = wishes(*experiment, want);
        experiments::Outcome outcome = experiments::run(plan, progress);
        std::ranges::move(outcome.rows, std::back_inserter(rows));
        return outcome.failure;
    } catch (const Error& error) {
        return fmt::format("{} on {}: {}", want.experiment, want.fabric, error.what());
    }
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

Measured measure(std::span<const Want> wants, const Progress& progress) {
    Measured out;
    for (const Want& want : wants) {
        std::string failure = run(want, progress, out.rows);
        if (!failure.empty())
            out.failures.emplace(std::pair(want.experiment, want.fabric), std::move(failure));
    }
    return out;
}

}  // namespace railyard::reproduce
