#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "experiments/core/experiment.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "report/page.hpp"
#include "reproduce/record.hpp"
#include "results/file.hpp"
#include "results/results.hpp"

namespace railyard::cli {

namespace {

struct ReportWords {
    std::vector<std::string> results;
    std::string verdicts, papers, output;
};

/// A file that the user named and that is not what it should be is a wrong call.
template <class Read>
auto reading(Read read) {
    try {
        return read();
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

report::PageInput::Document document(const std::string& file) {
    if (file.empty()) return {};
    std::string text = reading([&] { return results::read_file(file); });
    if (text.empty()) throw UsageError(fmt::format("{}: the file is empty", file));
    return {file, std::move(text)};
}

/// What this build knows of the names that occur in rows.
void add_names(report::PageInput& input) {
    for (const fabric::Traits& traits : job::fabrics())
        input.fabrics.push_back(
            {traits.name, traits.clock == fabric::Clock::virtual_time, traits.description});
    input.fabrics.push_back({"host", false, "the machine itself, by raw code"});
    for (const experiments::Experiment& experiment : experiments::all())
        input.experiments.push_back({std::string(experiment.name), std::string(experiment.summary),
                                     std::string(experiment.source)});
}

int write_page(const ReportWords& words) {
    if (words.results.empty() && words.verdicts.empty())
        throw UsageError(
            "report of what? Name a file that `railyard measure EXPERIMENT --json FILE` wrote");
    if (words.output.empty())
        throw UsageError("where to? Name the page with -o, as in -o page.html");
    report::PageInput input;
    input.generator = fmt::format("railyard {} ({})", results::version(), results::revision());
    for (const std::string& file : words.results)
        input.sources.push_back({file, reading([&] { return results::read(file); })});
    input.papers =
        words.papers.empty()
            ? report::PageInput::Document{"data/papers.json", std::string(reproduce::papers_json())}
            : document(words.papers);
    input.verdicts = document(words.verdicts);
    add_names(input);
    const std::string data = reading([&] { return report::page_data(input); });
    results::write_file(words.output, report::page(data));
    return 0;
}

}  // namespace

Command report_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "report", "Writes a page of plots and tables, in one file, for a browser");
    const auto words = std::make_shared<ReportWords>();
    app->add_option("RESULTS", words->results,
                    "Files that `railyard measure --json` wrote; of equal rows the last counts")
        ->type_name("");
    app->add_option("--reproduce", words->verdicts,
                    "What `railyard reproduce --json` wrote: its table and rows go into the page")
        ->type_name("FILE");
    app->add_option("--papers", words->papers,
                    "Other values to stand beside the curves than the five papers'")
        ->type_name("FILE");
    app->add_option("-o,--output", words->output, "Where the page goes")->type_name("FILE");
    app->footer(
        "Examples:\n"
        "  railyard measure latency-uni --on shm,ideal --json out.json\n"
        "  railyard report out.json -o page.html\n"
        "  railyard reproduce --json verdicts.json\n"
        "  railyard report out.json --reproduce verdicts.json -o page.html");
    return {app, [words] { return write_page(*words); }};
}

}  // namespace railyard::cli
