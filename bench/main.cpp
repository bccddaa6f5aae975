/// railyard-bench: every figure that the project holds itself to, one line each.

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/suite.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"

namespace railyard::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Three or four digits that say something.
std::string number(double value) {
    if (value >= 1000) return fmt::format("{:.0f}", value);
    return fmt::format("{:.4g}", value);
}

std::string optional_number(const std::optional<double>& value) {
    return value ? number(*value) : "-";
}

void print_line(const std::string& name, const std::string& ours, const std::string& reference,
                const std::string& ratio, const std::string& target, const std::string& verdict,
                const std::string& unit, const std::string& note) {
    fmt::print("{:<28} {:>9} {:>9} {:>7}  {:<9} {:<6} {}{}\n", name, ours, reference, ratio, target,
               verdict, unit, note.empty() ? "" : "  (" + note + ")");
    std::fflush(stdout);
}

void print(const Figure& figure) {
    const bool absolute = figure.target && figure.target->absolute;
    print_line(figure.name, number(figure.ours), optional_number(figure.reference),
               figure.ratio ? fmt::format("{:.3f}", *figure.ratio) : "-",
               figure.target ? to_string(*figure.target) : "-", std::string(name(judge(figure))),
               absolute ? figure.unit + ", absolute" : figure.unit, figure.note);
}

Json to_json(const Figure& figure) {
    const auto optional = [](const std::optional<double>& value) {
        return value ? Json(*value) : Json(nullptr);
    };
    Json json{{"name", figure.name},
              {"unit", figure.unit},
              {"ours", figure.ours},
              {"reference", optional(figure.reference)},
              {"ratio", optional(figure.ratio)},
              {"target", figure.target ? Json(to_string(*figure.target)) : Json(nullptr)},
              {"target_is_absolute", figure.target && figure.target->absolute},
              {"verdict", name(judge(figure))},
              {"note", figure.note}};
    return json;
}

Json document(const std::vector<Figure>& figures) {
    const results::Machine machine = results::this_machine();
    Json json{{"schema", 1},
              {"machine",
               {{"cpu", machine.cpu},
                {"cores", machine.cores},
                {"kernel", machine.kernel},
                {"governor", machine.governor},
                {"revision", machine.revision},
                {"compiler", machine.compiler},
                {"date", machine.date}}},
              {"figures", Json::array()}};
    for (const Figure& figure : figures)
        json["figures"].push_back(to_json(figure));
    return json;
}

bool wanted(std::string_view name, const std::vector<std::string>& patterns) {
    if (patterns.empty()) return true;
    for (const std::string& pattern : patterns)
        if (::fnmatch(("*" + pattern + "*").c_str(), std::string(name).c_str(), 0) == 0)
            return true;
    return false;
}

std::vector<Benchmark> choose(const std::vector<std::string>& patterns) {
    std::vector<Benchmark> chosen;
    for (const Benchmark& benchmark : all())
        if (wanted(benchmark.name, patterns)) chosen.push_back(benchmark);
    if (chosen.empty()) throw UsageError("no benchmark has such a name; --list names them all");
    return chosen;
}

int run(const std::vector<std::string>& patterns, const Settings& settings,
        const std::string& json_file) {
    const std::vector<Benchmark> chosen = choose(patterns);
    if (!json_file.empty()) results::check_writable(json_file);
    std::vector<Figure> figures;
    std::vector<std::string> failures;
    print_line("figure", "ours", "reference", "ratio", "target", "", "", "");
    for (const Benchmark& benchmark : chosen) {
        try {
            benchmark.run(settings, [&](const Figure& figure) {
                print(figure);
                figures.push_back(figure);
            });
        } catch (const std::exception& error) {
            failures.push_back(fmt::format("{}: {}", benchmark.name, error.what()));
        }
    }
    if (!json_file.empty()) results::write_file(json_file, document(figures).dump(2) + "\n");
    for (const std::string& failure : failures)
        fmt::print(stderr, "railyard-bench: {}\n", failure);
    return failures.empty() ? 0 : 1;
}

int main(int argc, char** argv) {
    CLI::App app{
        "Measures every figure that Railyard holds itself to, beside a reference measured in "
        "the same run. One line a figure; `short` is information, not failure."};
    std::vector<std::string> patterns;
    std::string json_file;
    Settings settings;
    bool list = false;
    std::string memory_of;
    app.add_option("--only", patterns,
                   "Run only benchmarks whose name contains this; * matches any");
    app.add_option("--json", json_file, "Also write the figures to this file");
    app.add_option("--rounds", settings.rounds, "How often ours and the reference take turns")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag("--list", list, "Name the benchmarks and what they measure");
    app.add_option("--peak-memory", memory_of,
                   "Run this one and print how many bytes the process has had resident at most");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        if (list) {
            for (const Benchmark& b : all())
                fmt::print("{:<16} {}\n", b.name, b.summary);
            return 0;
        }
        if (!memory_of.empty()) {
            fmt::print("{:.0f}\n", run_for_memory(memory_of));
            return 0;
        }
        return run(patterns, settings, json_file);
    } catch (const UsageError& error) {
        fmt::print(stderr, "railyard-bench: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "railyard-bench: {}\n", error.what());
        return 1;
    }
}

}  // namespace
}  // namespace railyard::bench

int main(int argc, char** argv) {
    return railyard::bench::main(argc, argv);
}
