#include "reproduce/verdict.hpp"

#include <fmt/format.h>

#include <fnmatch.h>

#include <algorithm>

#include "base/parse.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/record.hpp"
#include "reproduce/wanted.hpp"

namespace railyard::reproduce {

namespace {

/// What nothing measures must be listed, or it is missing.
Verdict judge_unchecked(const Record& record, Unchecked why, const Exception* exception) {
    Verdict out;
    out.record = record;
    if (why != Unchecked::not_measured) {
        out.outcome = why == Unchecked::in_words ? Outcome::not_checkable : Outcome::not_a_result;
    } else if (exception != nullptr && excuses_measuring(exception->reason)) {
        out.outcome = Outcome::not_reproducible;
        out.reason = exception->reason + ": " + exception->text;
    } else {
        out.outcome = Outcome::not_available;
        out.reason = "nothing measures it, and exceptions.toml does not say why";
    }
    return out;
}

struct Collected {
    std::vector<Series> series{};
    std::string missing{};  ///< why one of them is not there
};

Collected collect(const Check& check, const Measured& measured) {
    Collected out;
    for (const Selection& selection : check.selections) {
        const auto failed =
            measured.failures.find(std::pair(selection.experiment, selection.fabric));
        if (failed != measured.failures.end()) return {{}, failed->second};
        auto found = select(measured.rows, selection);
        if (const auto* unavailable = std::get_if<Unavailable>(&found))
            return {{}, unavailable->reason};
        out.series.push_back(std::get<Series>(std::move(found)));
    }
    return out;
}

std::vector<std::string> fabrics_of(const Check& check) {
    std::vector<std::string> out;
    for (const Selection& selection : check.selections)
        if (std::ranges::find(out, selection.fabric) == out.end()) out.push_back(selection.fabric);
    return out;
}

/// Of a value that is one point: where that point lies.
results::Parameters place_of(const Record& record, const Check& check) {
    if (class_of(record) == Class::relation || check.selections.empty()) return {};
    const Selection& first = check.selections.front();
    results::Parameters out = first.where;
    if (first.sizes.size() == 1) out[results::parameter::message_bytes] = first.sizes.front();
    return out;
}

Verdict judge_checked(const Record& record, const Check& check, const Measured& measured,
                      const Bases& bases, const Figures& figures, const Exception* exception) {
    Verdict out;
    out.record = record;
    out.fabrics = fabrics_of(check);
    out.basis = bases.of(record, check);
    out.place = place_of(record, check);
    const Collected collected = collect(check, measured);
    if (!collected.missing.empty()) {
        out.outcome = Outcome::not_available;
        out.reason = collected.missing;
        return out;
    }
    out.judgement = check.judge(collected.series);
    out.steady = std::ranges::all_of(collected.series, &Series::steady);
    if (record.kind == Kind::relation) out.paper_margin = figures.margin(check);
    // That nothing measures it is no excuse for what was measured.
    if (!out.judgement.right && exception != nullptr && excuses_measuring(exception->reason))
        exception = nullptr;
    const bool marginal = out.paper_margin && *out.paper_margin > 0 && out.judgement.margin &&
                          *out.judgement.margin < choice::marginal * *out.paper_margin;
    if (out.judgement.right)
        out.outcome = exception != nullptr ? Outcome::come_right
                      : marginal           ? Outcome::marginal
                                           : Outcome::right;
    else
        out.outcome = exception == nullptr ? Outcome::off : Outcome::exception;
    if (exception != nullptr) out.reason = exception->reason + ": " + exception->text;
    return out;
}

std::vector<std::string> seeds(std::span<const Record> records) {
    std::vector<std::string> out;
    for (const Record& record : records)
        if (std::ranges::find(out, record.seed) == out.end()) out.push_back(record.seed);
    return out;
}

bool matches(const std::string& pattern, const std::string& text) {
    return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

/// What the profiles of all systems' fabrics name as evidence.
Cited cited() {
    Cited out;
    for (const System& system : systems()) {
        const std::string fabric(system.fabric);
        if (!out.contains(fabric) && job::find_fabric(fabric) != nullptr)
            out[fabric] = job::cited_records(fabric);
    }
    return out;
}

}  // namespace

std::string_view name(Outcome outcome) {
    switch (outcome) {
        case Outcome::right:
            return "right";
        case Outcome::marginal:
            return "marginal";
        case Outcome::off:
            return "off";
        case Outcome::exception:
            return "exception";
        case Outcome::come_right:
            return "come right";
        case Outcome::not_available:
            return "not available";
        case Outcome::not_reproducible:
            return reason::not_reproducible;
        case Outcome::not_checkable:
            return "not checkable";
        case Outcome::not_a_result:
            return "not a result";
    }
    return "?";
}

bool checked(Outcome outcome) {
    return outcome <= Outcome::not_available;
}

std::vector<Task> tasks(std::span<const Record> records, std::span<const Record> all) {
    std::vector<Task> out;
    for (const Record& record : records)
        out.push_back({with_reading(record), check_of(record, all)});
    return out;
}

std::vector<Selection> selections(std::span<const Task> tasks) {
    std::vector<Selection> out;
    for (const Task& task : tasks)
        if (const auto* check = std::get_if<Check>(&task.check))
            out.insert(out.end(), check->selections.begin(), check->selections.end());
    return out;
}

std::vector<Verdict> judge(std::span<const Task> tasks, const Measured& measured,
                           const Bases& bases, const Figures& figures,
                           std::span<const Exception> exceptions) {
    std::vector<Verdict> out;
    for (const Task& task : tasks) {
        const auto listed = std::ranges::find(exceptions, task.record.id, &Exception::id);
        const Exception* exception = listed != exceptions.end() ? &*listed : nullptr;
        if (const auto* check = std::get_if<Check>(&task.check)) {
            out.push_back(judge_checked(task.record, *check, measured, bases, figures, exception));
            continue;
        }
        out.push_back(judge_unchecked(task.record, std::get<Unchecked>(task.check), exception));
    }
    return out;
}

std::vector<Record> choose(std::span<const Record> records, const std::string& paper,
                           const std::string& only) {
    const auto papers = seeds(records);
    if (!paper.empty() && std::ranges::find(papers, paper) == papers.end()) {
        throw UsageError(fmt::format("--paper: there is no paper '{}'; {}there are {}", paper,
                                     did_you_mean(paper, papers, "", " "),
                                     fmt::join(papers, ", ")));
    }
    std::vector<Record> out;
    for (const Record& record : records)
        if ((paper.empty() || record.seed == paper) &&
            (only.empty() || matches(only, record.id) || matches(only, record.experiment)))
            out.push_back(record);
    if (out.empty())
        throw UsageError(
            fmt::format("--only: '{}' is no record and no experiment{}; `railyard "
                        "reproduce --list` shows all",
                        only, paper.empty() ? "" : " of " + paper));
    return out;
}

Reproduction reproduce(std::span<const Record> chosen, std::span<const Record> all,
                       std::span<const Exception> exceptions, const Progress& progress,
                       const experiments::Carrying& how) {
    const std::vector<Task> todo = tasks(chosen, all);
    Measured measured = measure(wants(selections(todo)), progress, how);
    Reproduction out;
    out.verdicts = judge(todo, measured, Bases(all, cited()), Figures(all), exceptions);
    out.rows = std::move(measured.rows);
    return out;
}

}  // namespace railyard::reproduce
