// `railyard report`: files of many kinds as one page for a browser.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/quick.hpp"
#include "cli/report_files.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "report/page.hpp"
#include "reproduce/record.hpp"
#include "results/file.hpp"

namespace railyard::cli {

namespace {

struct ReportWords {
    std::vector<std::string> files;
    std::string verdicts, papers, output;
    bool quick = false;
};

report::PageInput::Document document(const std::string& file) {
    if (file.empty()) return {};
    try {
        std::string text = results::read_file(file);
        if (text.empty()) throw UsageError(fmt::format("{}: the file is empty", file));
        return {file, std::move(text)};
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

/// As it was typed, but for what only a shell knows. The page's own name does not matter: the same
/// files give the same page.
std::string command_of(const ReportWords& words) {
    std::string text = "railyard report";
    if (words.quick) text += " --quick";
    for (const std::string& file : words.files)
        text += " " + file;
    if (!words.verdicts.empty()) text += " --reproduce " + words.verdicts;
    if (!words.papers.empty()) text += " --papers " + words.papers;
    return text + " -o page.html";
}

/// More files than that are no command that anybody reads.
constexpr std::size_t most_files_told = 12;

int write_page(const ReportWords& words) {
    if (words.files.empty() && words.verdicts.empty() && !words.quick)
        throw UsageError(
            "report of what? Name a file that `railyard measure EXPERIMENT --json FILE` wrote, or "
            "let --quick measure a little");
    if (words.output.empty())
        throw UsageError("where to? Name the page with -o, as in -o page.html");
    report::PageInput input;
    input.generator = generator();
    if (words.files.size() <= most_files_told) input.command = command_of(words);
    input.verdicts = document(words.verdicts);
    for (const std::string& word : words.files)
        take_file(input, named_file(word));
    if (words.quick) {
        results::check_writable(words.output);
        measure_quickly(input);
    }
    input.papers =
        words.papers.empty()
            ? report::PageInput::Document{"data/papers.json", std::string(reproduce::papers_json())}
            : document(words.papers);
    add_names(input);
    const std::string data = [&] {
        try {
            return report::page_data(input);
        } catch (const Error& error) {
            throw UsageError(error.what());
        }
    }();
    results::write_file(words.output, report::page(data));
    return 0;
}

}  // namespace

Command report_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "report", "Writes a page of plots and tables, in one file, for a browser");
    const auto words = std::make_shared<ReportWords>();
    app->add_option(
           "FILES", words->files,
           "Any mix of what `railyard measure`, `run` and `reproduce` wrote with --json, here or "
           "elsewhere; of railyard-mpi-suite's JSON; of perftest's JSON; and of the output of the "
           "OSU and Intel MPI benchmarks. A name and '=' before a file stand for it on the page. "
           "Of equal rows the last counts")
        ->type_name("[NAME=]FILE");
    app->add_flag("--quick", words->quick,
                  "Measure a little here and run every model for a little first: half a minute");
    app->add_option("--reproduce", words->verdicts,
                    "What `railyard reproduce --json` wrote; the same as among the others")
        ->type_name("FILE");
    app->add_option("--papers", words->papers,
                    "Other values to stand beside the curves than the five papers'")
        ->type_name("FILE");
    app->add_option("-o,--output", words->output, "Where the page goes")->type_name("FILE");
    app->footer(
        "Examples:\n"
        "  railyard report --quick -o page.html\n"
        "  railyard measure latency-uni --on shm,ideal --json out.json\n"
        "  railyard report out.json -o page.html\n"
        "  railyard reproduce --json verdicts.json\n"
        "  railyard report out.json verdicts.json -o page.html\n"
        "  railyard report ours.json mpich.json openmpi=osu.txt -o page.html\n"
        "\n"
        "docs/report.md tells what becomes of which file. `railyard run --report FILE` makes a "
        "page of a run.");
    return {app, [words] { return write_page(*words); }};
}

}  // namespace railyard::cli
