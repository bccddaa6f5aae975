#include "reproduce/reproduce.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "reproduce/systems.hpp"

namespace railyard::reproduce {

namespace {

std::vector<std::string> seeds(std::span<const Record> records) {
    std::vector<std::string> out;
    for (const Record& record : records)
        if (std::ranges::find(out, record.seed) == out.end()) out.push_back(record.seed);
    return out;
}

bool matches(const std::string& pattern, const std::string& text) {
    return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

/// What the profiles of all systems' fabrics were fitted to.
Fitted fitted() {
    Fitted out;
    for (const System& system : systems()) {
        const std::string fabric(system.fabric);
        if (!out.contains(fabric) && job::find_fabric(fabric) != nullptr)
            out[fabric] = job::fitted_records(fabric);
    }
    return out;
}

}  // namespace

std::vector<Record> choose(std::span<const Record> records, const std::string& paper,
                           const std::string& only) {
    const auto papers = seeds(records);
    if (!paper.empty() && std::ranges::find(papers, paper) == papers.end()) {
        const auto guess = nearest(paper, papers);
        throw UsageError(fmt::format("--paper: there is no paper '{}'; {}there are {}", paper,
                                     guess ? fmt::format("did you mean '{}'? ", *guess) : "",
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
                       unsigned jobs) {
    const std::vector<Task> todo = tasks(chosen, all);
    Measured measured = measure(wants(selections(todo)), progress, jobs);
    Reproduction out;
    out.verdicts = judge(todo, measured, Bases(all, fitted()), exceptions);
    out.rows = std::move(measured.rows);
    return out;
}

}  // namespace railyard::reproduce
