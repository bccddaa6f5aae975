#include "cli/report_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "experiments/core/experiment.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "report/foreign.hpp"
#include "results/file.hpp"

namespace railyard::cli {

namespace {

using report::FileKind;

/// The machine that another program ran on: it does not say.
results::Results unknown_machine(std::vector<results::Row> rows) {
    results::Results found{.machine = {}, .rows = std::move(rows)};
    for (std::string results::Machine::*field :
         {&results::Machine::cpu, &results::Machine::kernel, &results::Machine::governor,
          &results::Machine::version, &results::Machine::revision, &results::Machine::compiler,
          &results::Machine::date})
        found.machine.*field = "unknown";
    return found;
}

results::Results read(FileKind kind, const std::string& text, const report::Foreign& from) {
    switch (kind) {
        case FileKind::osu:
            return unknown_machine(report::read_osu(text, from));
        case FileKind::imb:
            return unknown_machine(report::read_imb(text, from));
        case FileKind::perftest:
            return unknown_machine(report::read_perftest(text, from));
        case FileKind::results:
        case FileKind::verdicts:
        case FileKind::summary:
            break;
    }
    return results::from_json(text, from.file);
}

void take_text(report::PageInput& input, const NamedFile& file, const std::string& text) {
    const auto kind = report::kind_of(text);
    if (!kind)
        throw UsageError(fmt::format(
            "{}: none of the kinds of files that `railyard report` reads: JSON of `railyard "
            "measure`, `run` or `reproduce` or of railyard-mpi-suite; perftest's JSON; output of "
            "the OSU micro-benchmarks or of the Intel MPI Benchmarks",
            file.path));
    if (*kind == FileKind::summary)
        throw UsageError(fmt::format(
            "{}: this is a summary; rows are what `railyard run --json FILE` writes", file.path));
    if (*kind == FileKind::verdicts) {
        if (!input.verdicts.text.empty())
            throw UsageError(
                fmt::format("{} and {} are both of `railyard reproduce`; a page has room for one",
                            input.verdicts.file, file.path));
        input.verdicts = {file.path, text};
        return;
    }
    const std::string stem = std::filesystem::path(file.path).stem().string();
    const std::string label = file.label.empty() ? stem : file.label;
    input.sources.push_back(
        {file.label.empty() ? file.path : file.label, read(*kind, text, {file.path, label})});
}

}  // namespace

NamedFile named_file(const std::string& word) {
    const auto sign = word.find('=');
    if (sign == std::string::npos || std::filesystem::exists(word)) return {word, ""};
    NamedFile found{word.substr(sign + 1), word.substr(0, sign)};
    if (found.path.empty() || found.label.empty())
        throw UsageError(fmt::format("expected FILE or LABEL=FILE, found '{}'", word));
    return found;
}

void take_file(report::PageInput& input, const NamedFile& file) {
    try {
        const std::string text = results::read_file(file.path);
        if (text.empty()) throw Error(fmt::format("{}: the file is empty", file.path));
        take_text(input, file, text);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

std::string generator() {
    return fmt::format("railyard {} ({})", results::version(), results::revision());
}

void add_names(report::PageInput& input) {
    for (const fabric::Traits& traits : job::fabrics())
        input.fabrics.push_back(
            {traits.name, traits.clock == fabric::Clock::virtual_time, traits.description});
    input.fabrics.push_back({"host", false, "the machine itself, by raw code"});
    for (const experiments::Experiment& experiment : experiments::all())
        input.experiments.push_back({std::string(experiment.name), std::string(experiment.summary),
                                     std::string(experiment.source)});
}

}  // namespace railyard::cli
