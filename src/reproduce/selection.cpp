#include "reproduce/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "experiments/core/plan.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::reproduce {

namespace {

using results::Row;

bool matches(const Row& row, const Selection& selection) {
    if (row.experiment != selection.experiment || row.fabric != selection.fabric ||
        row.metric != selection.metric)
        return false;
    for (const auto& [name, value] : selection.where) {
        const auto found = row.parameters.find(name);
        if (found != row.parameters.end() && found->second != value) return false;
    }
    return true;
}

std::optional<double> parameter_of(const Row& row, const std::string& name) {
    const auto found = row.parameters.find(name);
    if (found == row.parameters.end()) return {};
    if (const auto* whole = std::get_if<std::int64_t>(&found->second))
        return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&found->second)) return *real;
    return {};
}

bool has_size(const Row& row, const Selection& selection) {
    const auto size = parameter_of(row, results::parameter::message_bytes);
    const auto is = [&](std::int64_t s) { return static_cast<double>(s) == *size; };
    return !size || selection.sizes.empty() || std::ranges::any_of(selection.sizes, is);
}

/// Where a row lies. An experiment without sizes lies at the one that was asked for.
std::optional<double> place(const Row& row, const Selection& selection) {
    const auto x = parameter_of(row, selection.over);
    if (x || selection.over != results::parameter::message_bytes) return x;
    return selection.sizes.empty() ? 0 : static_cast<double>(selection.sizes.front());
}

bool inside(double x, const Selection& selection) {
    return !selection.range || (x >= selection.range->first && x <= selection.range->second);
}

bool has_more_processes(const Row& row, const Selection& selection) {
    const auto processes = parameter_of(row, results::parameter::processes);
    return selection.most_processes > 0 && processes &&
           *processes > static_cast<double>(selection.most_processes);
}

/// "op, queue": the parameters in which two rows differ.
std::string differences(const Row& a, const Row& b) {
    std::string out;
    for (const auto& [name, value] : a.parameters) {
        const auto other = b.parameters.find(name);
        if (other == b.parameters.end() || other->second != value)
            out += (out.empty() ? "" : ", ") + name;
    }
    return out.empty() ? "nothing" : out;
}

/// Ratios as the paper prints them.
double value(const Row& row, const Selection& selection) {
    return selection.percent && row.unit == results::unit::ratio ? 100 * row.value : row.value;
}

std::string wanted(const Selection& selection) {
    std::string out =
        fmt::format("{} of {} on {}", selection.metric, selection.experiment, selection.fabric);
    for (const auto& [name, value] : selection.where)
        out += fmt::format(", {} {}", name, results::to_string(value));
    return out;
}

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
    if (want.most_processes > 0) plan.most_ranks = static_cast<int>(want.most_processes);
    try {
        experiments::check(plan);
    } catch (const Error& error) {
        throw Error(fmt::format("{} on {}: {}", want.experiment, want.fabric, error.what()));
    }
    return plan;
}

}  // namespace

bool same(const Selection& a, const Selection& b) {
    const auto key = [](const Selection& s) {
        return std::tie(s.experiment, s.fabric, s.metric, s.where, s.sizes, s.over, s.range,
                        s.most_processes, s.last_only);
    };
    return key(a) == key(b);
}

std::variant<Series, Unavailable> select(std::span<const Row> rows, const Selection& selection) {
    std::map<double, const Row*> found;
    for (const Row& row : rows) {
        if (!matches(row, selection) || !has_size(row, selection)) continue;
        if (has_more_processes(row, selection)) continue;
        const auto x = place(row, selection);
        if (!x)
            return Unavailable{
                fmt::format("{}: the rows have no {}", wanted(selection), selection.over)};
        if (!inside(*x, selection)) continue;
        const auto [other, added] = found.emplace(*x, &row);
        if (!added)
            return Unavailable{fmt::format("{}: several rows, which differ in {}",
                                           wanted(selection), differences(*other->second, row))};
    }
    const bool by_size = selection.over == results::parameter::message_bytes;
    if (found.empty() || (by_size && found.size() < selection.sizes.size()))
        return Unavailable{fmt::format("{}: not measured", wanted(selection))};
    Series out{selection.label, {}};
    if (selection.last_only) found.erase(found.begin(), std::prev(found.end()));
    for (const auto& [x, row] : found) {
        out.points.push_back({x, value(*row, selection)});
        out.steady = out.steady && row->steady;
    }
    return out;
}

std::vector<Want> wants(std::span<const Selection> selections) {
    std::vector<Want> out;
    for (const Selection& selection : selections) {
        const auto same = [&](const Want& want) {
            return want.experiment == selection.experiment && want.fabric == selection.fabric;
        };
        auto found = std::ranges::find_if(out, same);
        if (found == out.end())
            found = out.insert(
                out.end(),
                {selection.experiment, selection.fabric, {}, {}, {}, selection.most_processes});
        // None of them means any number.
        found->most_processes = found->most_processes == 0 || selection.most_processes == 0
                                    ? 0
                                    : std::max(found->most_processes, selection.most_processes);
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

namespace {

/// What ended all of it, with what was done until then.
[[noreturn]] void stop(std::span<experiments::Outcome> outcomes, std::size_t by) {
    std::vector<experiments::Finished> finished;
    for (experiments::Outcome& outcome : outcomes)
        std::ranges::move(outcome.finished, std::back_inserter(finished));
    throw experiments::Stopped(outcomes[by].failure, outcomes[by].exit_code, std::move(finished));
}

}  // namespace

Measured measure(std::span<const Want> wants, const Progress& progress,
                 const experiments::Carrying& how) {
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
    std::vector<experiments::Outcome> outcomes = experiments::run(plans, progress, how);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].ended_by_signal() || outcomes[i].time_is_up) stop(outcomes, i);
        std::ranges::move(outcomes[i].rows, std::back_inserter(out.rows));
        if (!outcomes[i].failure.empty()) failed(*planned[i], std::move(outcomes[i].failure));
    }
    return out;
}

}  // namespace railyard::reproduce
