// `railyard compare`: files of results side by side, in the terminal.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/parse.hpp"
#include "cli/command.hpp"
#include "cli/words.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "report/compare.hpp"
#include "results/file.hpp"

namespace railyard::cli {

namespace {

/// A file that the user named and that is not what it should be is a wrong call.
template <class Read>
auto reading(Read read) {
    try {
        return read();
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

/// Rows; whoever has the other JSON of `railyard run` is told where rows come from.
results::Results read_rows(const std::string& path) {
    try {
        return results::read(path);
    } catch (const Error& error) {
        const std::string text = reading([&] { return results::read_file(path); });
        const bool is_summary =
            text.starts_with('[') && text.find("\"virtual_seconds\"") != std::string::npos;
        throw UsageError(
            is_summary
                ? fmt::format("{}: this is a summary; rows are what `railyard run --json FILE` "
                              "writes",
                              path)
                : std::string(error.what()));
    }
}

struct CompareWords {
    std::vector<std::string> files;
    std::string only, metrics, threshold, json;
    bool differences_only = false;
};

std::vector<report::CompareFile> read_files(const std::vector<std::string>& paths) {
    if (paths.empty())
        throw UsageError(
            "compare what? Name two files or more that `railyard measure EXPERIMENT --json FILE` "
            "or "
            "`railyard run --json FILE PROGRAM` wrote");
    std::vector<report::CompareFile> files;
    for (const std::string& path : paths)
        files.push_back({path, read_rows(path)});
    return files;
}

/// The names of a list, each of which some row must have.
std::vector<std::string> names(std::string_view option, const std::string& text,
                               const std::vector<report::CompareFile>& files,
                               std::string results::Row::*field) {
    if (text.empty()) return {};
    std::set<std::string> known;
    for (const report::CompareFile& file : files)
        for (const results::Row& row : file.results.rows)
            known.insert(row.*field);
    std::vector<std::string> found = split_list(option, text);
    for (const std::string& name : found)
        if (!known.contains(name))
            throw UsageError(fmt::format("{}: '{}' is in none of the files; they have {}", option,
                                         name, fmt::join(known, ", ")));
    return found;
}

std::optional<double> percent(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const std::string_view digits =
        std::string_view(text).substr(0, text.size() - (text.ends_with('%') ? 1 : 0));
    const auto value = parse_number<double>(digits);
    if (!value || !std::isfinite(*value) || *value < 0)
        throw UsageError(
            fmt::format("--threshold: expected a percentage such as 5 or 2.5, found '{}'", text));
    return value;
}

void print(const report::Comparison& found, const std::vector<report::CompareFile>& files,
           bool differences_only) {
    fmt::print("{}\n", report::file_table(files));
    const std::string tables = report::compare_tables(found, files, differences_only);
    if (!tables.empty()) fmt::print("{}\n", tables);
    fmt::print("{}", report::compare_summary(found, files));
}

int compare(const CompareWords& words) {
    const std::optional<double> threshold = percent(words.threshold);
    const auto files = read_files(words.files);
    const report::CompareFilter filter{
        .experiments = names("--only", words.only, files, &results::Row::experiment),
        .metrics = names("--metric", words.metrics, files, &results::Row::metric)};
    const report::Comparison found = report::compare(files, filter);

    const std::string json = report::compare_json(found, files);
    if (words.json == standard_output) {
        fmt::print("{}", json);
    } else {
        if (!words.json.empty()) results::write_file(words.json, json);
        print(found, files, words.differences_only);
    }
    if (!threshold) return 0;
    const std::size_t worse = report::count_worse(found, *threshold / 100);
    if (worse == 0) return 0;
    fmt::print(stderr, "railyard: {} worse by more than {} %, and beyond the spread\n",
               worse == 1 ? "1 result is" : fmt::format("{} results are", worse), *threshold);
    return 1;
}

}  // namespace

Command compare_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "compare", "Puts result files side by side, and marks where they differ");
    const auto words = std::make_shared<CompareWords>();
    app->add_option(
           "RESULTS", words->files,
           "Files that `railyard measure --json` or `railyard run --json` wrote; the first is "
           "the measure of all")
        ->type_name("");
    app->add_option("--only", words->only, "Only these experiments")
        ->type_name("EXPERIMENT[,EXPERIMENT]");
    app->add_option("--metric", words->metrics, "Only these metrics: latency, bandwidth, ...")
        ->type_name("METRIC[,METRIC]");
    app->add_flag("--differences-only", words->differences_only,
                  "Only what differs by more than the spread");
    app->add_option("--threshold", words->threshold,
                    "Exit with 1 if something is worse by more than this, and beyond the spread")
        ->type_name("PERCENT");
    app->add_option("--json", words->json,
                    "Write the comparison there as JSON; '-': to stdout, no tables")
        ->type_name("FILE");
    app->footer(
        "Examples:\n"
        "  railyard compare before.json now.json\n"
        "  railyard compare before.json now.json --differences-only --threshold 5\n"
        "  railyard compare shm.json infiniband.json --only latency-uni\n"
        "  railyard compare ours.json mpich.json --metric latency,bandwidth");
    return {app, [words] { return compare(*words); }};
}

}  // namespace railyard::cli
