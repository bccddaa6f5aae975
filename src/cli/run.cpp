#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/words.hpp"
#include "launch/job/job.hpp"
#include "programs/builtin/programs.hpp"
#include "programs/executables/executable.hpp"
#include "programs/runs/run.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

namespace fs = std::filesystem;

/// The options as they were typed; an empty word was not given.
struct RunWords {
    std::string ranks, on, nodes, ranks_per_node, mpi, connections, max_connections, algorithms,
        trace, trace_from, trace_to, compute, summary, faults;
    std::vector<std::string> settings, shared, private_ones;
    bool stats = false, fault_cost = false, check = false, label = false;
};

void add_options(CLI::App& app, RunWords& words) {
    const auto add = [&](const char* name, std::string& word, const char* type, const char* help) {
        app.add_option(name, word, help)->type_name(type);
    };
    add("-n,--np,--ranks", words.ranks, "N",
        "How many ranks (default: 2, or those of a recording)");
    add("--on", words.on, "FABRIC,...",
        "On which fabrics, of those that run in virtual time (default: ideal); several are "
        "compared");
    add("--nodes", words.nodes, "N", "On how many nodes (default: one for each rank)");
    add("--ranks-per-node", words.ranks_per_node, "N",
        "The same from the other side: ranks 0 to N-1 are on node 0, and so on");
    add("--mpi", words.mpi, "LIBRARY",
        "Whose ways the MPI library has: native (ours), or paper (that of the fabric's papers)");
    add("--connections", words.connections, "POLICY",
        "When ranks connect: on-demand, static-peer, static-client-server");
    add("--max-connections", words.max_connections, "N",
        "Connections of a rank at a time: idle ones are closed and come back on demand");
    add("--algorithms", words.algorithms, "COLLECTIVE=ALGORITHM,...",
        "Algorithms of collectives, in place of those chosen by size");
    app.add_option("--set", words.settings, "A setting of the MPI library (see mpi-info)")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    add("--compute", words.compute, "HOW",
        "What computation between MPI calls costs: none (the default for built-in programs), "
        "measured (for executables), measured×FACTOR, "
        "record:FILE (measured, and written down with all calls), record-medians:FILE, replay:FILE "
        "or replay×FACTOR:FILE; without a program, the calls of FILE are made again");
    add("--summary", words.summary, "FORM",
        "What is told at the end: none, short (the default), text, json");
    add("--trace", words.trace, "FILE",
        "Write there what each rank and each part of the network did and when, for Perfetto");
    add("--trace-from", words.trace_from, "TIME",
        "Leave out of it what was over before (50us, 0.2s)");
    add("--trace-to", words.trace_to, "TIME", "Leave out of it what began later");
    add("--faults", words.faults, "FILE",
        "A script of faults that strike the interconnect (docs/faults.md)");
    app.add_flag("--fault-cost", words.fault_cost,
                 "Run without the faults first, and tell what they cost");
    app.add_flag("--check", words.check,
                 "Look for mistakes that are dear to find: calls that do not match, and more");
    app.add_flag("--stats", words.stats, "Print the library's counters at the end");
    app.add_flag("-l,--label", words.label,
                 "Let each line that an executable prints begin with its rank");
    const auto add_all = [&](const char* name, std::vector<std::string>& all, const char* help) {
        app.add_option(name, all, help)->type_name("LIBRARY")->allow_extra_args(false);
    };
    add_all("--share", words.shared,
            "A library of an executable that all ranks share; each has its own of the others");
    add_all("--private", words.private_ones, "One that each rank has for itself, though shared");
}

/// Where our libraries lie beside this program, for executables in other languages than C.
std::string library_folder() {
    std::error_code failed;
    const fs::path own = fs::read_symlink("/proc/self/exe", failed).parent_path();
    for (const char* const folder : {"../lib", "../" RAILYARD_LIBDIR})
        if (fs::exists(own / folder / "libmpi.so.12", failed))
            return (own / folder).lexically_normal().string();
    return {};
}

std::unique_ptr<executables::Executable> executable_named(const std::string& name,
                                                          const RunWords& words) {
    return std::make_unique<executables::Executable>(
        executables::Executable::Options{.name = name,
                                         .shared = words.shared,
                                         .private_ones = words.private_ones,
                                         .library_folder = library_folder()});
}

[[noreturn]] void unknown_program(const std::string& name) {
    std::vector<std::string> names;
    for (const programs::Program& program : programs::all())
        names.emplace_back(program.name);
    throw UsageError(unknown("program", name, names, "railyard run --help") +
                     "; an executable is named by its path (./" + name + ")");
}

const fabric::Traits& virtual_fabric(const std::string& name) {
    const fabric::Traits& traits = fabric_named(name);
    if (traits.clock == fabric::Clock::virtual_time) return traits;
    throw UsageError(
        fmt::format("--on: {} moves bytes, and `railyard run` runs in virtual time; programs on {} "
                    "are started with `mpiexec --on {}`",
                    traits.name, traits.name, traits.name));
}

std::vector<fabric::NodeId> nodes(const RunWords& words, unsigned ranks) {
    if (!words.nodes.empty() && !words.ranks_per_node.empty())
        throw UsageError("--nodes and --ranks-per-node say the same; give one of them");
    unsigned per_node = 1;
    if (!words.ranks_per_node.empty())
        per_node = parse_count("--ranks-per-node", words.ranks_per_node, 1, most_ranks);
    if (!words.nodes.empty()) {
        const unsigned count = parse_count("--nodes", words.nodes, 1, ranks);
        per_node = (ranks + count - 1) / count;
    }
    std::vector<fabric::NodeId> all(ranks);
    for (unsigned rank = 0; rank < ranks; ++rank)
        all[rank] = rank / per_node;
    return all;
}

void apply_settings(const RunWords& words, const fabric::Traits& fabric) {
    check_settings(fabric);
    if (!words.mpi.empty()) apply_setting(fabric, "--mpi", "library", words.mpi);
    if (!words.connections.empty())
        apply_setting(fabric, "--connections", "connections", words.connections);
    if (!words.max_connections.empty())
        apply_setting(fabric, "--max-connections", "max-connections", words.max_connections);
    if (!words.algorithms.empty())
        apply_setting(fabric, "--algorithms", "algorithms", words.algorithms);
    for (const std::string& word : words.settings)
        apply_setting(fabric, "--set", word);
    if (words.stats) apply_setting(fabric, "--stats", "stats", "on");
    if (words.check) apply_setting(fabric, "--check", "check", "on");
}

/// As a shell gives a process; of it, only what is touched takes memory.
constexpr Bytes stack_of_executables{8 << 20};

enum class SummaryForm : std::uint8_t { none, line, text, json };

SummaryForm summary_form(const std::string& word) {
    if (word == "none") return SummaryForm::none;
    if (word.empty() || word == "short") return SummaryForm::line;
    if (word == "text") return SummaryForm::text;
    if (word == "json") return SummaryForm::json;
    throw UsageError(
        fmt::format("--summary: expected none, short, text or json, found '{}'", word));
}

/// What the words come to: the same program on each of some fabrics.
struct Plan {
    std::unique_ptr<executables::Executable> executable;  ///< null: the program is built in
    std::vector<fabric::Traits> fabrics;
    runs::Options each;  ///< but for the fabric
    SummaryForm form = SummaryForm::line;
    bool fault_cost = false;

    bool compares() const { return fabrics.size() > 1; }
};

void check_comparison(const Plan& plan, const RunWords& words) {
    if (!plan.compares()) return;
    if (!words.trace.empty())
        throw UsageError("--trace: a trace shows one fabric; give one with --on");
    if (plan.each.compute.records())
        throw UsageError(
            "--compute: a recording is of one run; record on one fabric, and then replay on all");
}

void check_fault_cost(const Plan& plan) {
    if (!plan.fault_cost) return;
    if (plan.each.faults.empty())
        throw UsageError("--fault-cost: of which faults? Name a script with --faults");
    if (!plan.each.compute.repeats())
        throw UsageError(
            "--fault-cost: computation that is measured differs from run to run; record it once "
            "(--compute record:FILE) and replay it (--compute replay:FILE)");
}

/// The program that is named; or, if none is, the calls of the recording that is replayed. How many
/// ranks there are, if nobody says so.
unsigned choose_program(Plan& plan, const RunWords& options,
                        const std::vector<std::string>& words) {
    using From = runs::ComputeChoice::From;
    if (words.empty() && plan.each.compute.from == From::file) {
        const auto recorded = runs::recorded_program(plan.each.compute.file);
        plan.each.words = recorded.words;
        return static_cast<unsigned>(recorded.ranks);
    }
    if (words.empty())
        throw UsageError("run what? Name a program; `railyard run --help` lists them");
    if (words.front().starts_with('-'))
        throw UsageError(
            fmt::format("unknown option '{}'; `railyard run --help` lists all", words.front()));
    const std::string& name = words.front();
    plan.each.words = words;
    if (const programs::Program* const program = programs::find(name)) {
        plan.each.main = program->main;
        return 2;
    }
    if (name.find('/') == std::string::npos) unknown_program(name);
    plan.executable = executable_named(name, options);
    plan.each.executable = plan.executable.get();
    plan.each.job.stack = stack_of_executables;
    plan.each.job.label_output = options.label;
    if (options.compute.empty()) plan.each.compute.from = runs::ComputeChoice::From::measurement;
    return 2;
}

/// "50us", or a number of seconds, as mpiexec has it.
Duration trace_time(std::string_view option, const std::string& text) {
    if (const auto seconds = parse_number<double>(text); seconds && *seconds >= 0 && *seconds < 1e6)
        return Duration::from_seconds(*seconds);
    try {
        return parse_duration(text);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

Plan make_plan(const RunWords& words, const std::vector<std::string>& program_words) {
    Plan plan;
    if (!words.compute.empty()) plan.each.compute = runs::parse_compute("--compute", words.compute);
    const unsigned usual = choose_program(plan, words, program_words);
    for (const std::string& name : split_list("--on", words.on.empty() ? "ideal" : words.on))
        plan.fabrics.push_back(virtual_fabric(name));
    const unsigned ranks =
        words.ranks.empty() ? usual : parse_count("-n", words.ranks, 1, most_ranks);
    plan.each.job.ranks = static_cast<int>(ranks);
    plan.each.job.nodes = nodes(words, ranks);
    plan.each.job.trace = words.trace;
    if (!words.trace_from.empty())
        plan.each.job.trace_above.from = trace_time("--trace-from", words.trace_from);
    if (!words.trace_to.empty())
        plan.each.job.trace_above.to = trace_time("--trace-to", words.trace_to);
    job::check_part_of_trace(!words.trace.empty(), plan.each.job.trace_above.from,
                             plan.each.job.trace_above.to);
    plan.form = summary_form(words.summary);
    plan.each.record = plan.form == SummaryForm::text || plan.form == SummaryForm::json;
    plan.each.faults = words.faults;
    plan.fault_cost = words.fault_cost;
    check_fault_cost(plan);
    check_comparison(plan, words);
    for (const fabric::Traits& fabric : plan.fabrics)
        apply_settings(words, fabric);
    return plan;
}

/// How long it takes without faults; what it prints was for the other run.
Duration time_without_faults(runs::Options options) {
    const OutputAside aside(OutputAside::To::nowhere);
    options.faults.clear();
    options.job.trace.clear();
    return runs::run(options).summary.virtual_time;
}

/// On one of the fabrics. Whatever is wrong has been said.
runs::Outcome run_on(const Plan& plan, const fabric::Traits& fabric) {
    std::optional<OutputAside> aside;
    if (plan.form == SummaryForm::json) aside.emplace();
    if (plan.compares()) fmt::print("on {}:\n", fabric.name);
    runs::Options options = plan.each;
    options.job.fabric = fabric.name;
    const auto without =
        plan.fault_cost ? std::optional(time_without_faults(options)) : std::nullopt;
    runs::Outcome outcome = runs::run(options);
    outcome.summary.without_faults = without;
    std::fflush(stdout);
    if (!outcome.ok)
        fmt::print(stderr, "railyard: {}{}\n", plan.compares() ? "on " + fabric.name + ": " : "",
                   outcome.failure);
    return outcome;
}

/// Below a comparison, unless each run's own summary has said it.
std::string compared_faults(const Plan& plan, std::span<const runs::Summary> summaries) {
    std::string text;
    if (plan.each.faults.empty() || plan.form == SummaryForm::text) return text;
    for (const runs::Summary& summary : summaries)
        text += fmt::format("\n{}: {}", summary.fabric, fault_summary(summary));
    return text;
}

/// What stands behind a program's own output.
void summarise(const Plan& plan, std::span<const runs::Summary> summaries) {
    if (plan.form == SummaryForm::none) return;
    if (plan.form == SummaryForm::json) {
        fmt::print("{}", summaries_as_json(summaries));
        return;
    }
    if (plan.form == SummaryForm::text)
        for (const runs::Summary& summary : summaries)
            fmt::print("\n{}", full_summary(summary));
    if (plan.compares())
        fmt::print("\n{}{}", comparison(summaries), compared_faults(plan, summaries));
    else if (plan.form == SummaryForm::line)
        // Not among what the program says, which others may want to read.
        fmt::print(stderr, "{}", short_summary(summaries.front()));
}

int run(const RunWords& words, const std::vector<std::string>& program_words) {
    const Plan plan = make_plan(words, program_words);
    std::vector<runs::Summary> summaries;
    for (const fabric::Traits& fabric : plan.fabrics) {
        runs::Outcome outcome = run_on(plan, fabric);
        if (outcome.exit_code != 0) {
            fmt::print(stderr, "{}", fault_summary(outcome.summary));
            return outcome.exit_code;
        }
        summaries.push_back(std::move(outcome.summary));
    }
    const bool asked_for_help = std::ranges::find(program_words, "--help") != program_words.end();
    if (!asked_for_help || !words.summary.empty()) summarise(plan, summaries);
    return 0;
}

std::string list_of_programs() {
    std::string text = "Built-in programs (each has --help); all else is an executable's path:\n";
    for (const programs::Program& program : programs::all())
        text += fmt::format("  {:<12}{}\n", program.name, program.purpose);
    return text;
}

}  // namespace

Command run_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "run", "Runs an MPI program in virtual time: an executable, or a built-in one");
    const auto words = std::make_shared<RunWords>();
    add_options(*app, *words);
    app->prefix_command();
    app->footer(
        list_of_programs() +
        "\nExamples:\n"
        "  railyard run -n 16 --on quadrics ring\n"
        "  railyard run -n 64 --on infiniband-pcie,quadrics ./program --its-options\n"
        "  railyard run -n 16 --on infiniband-pcie --ranks-per-node 2 allreduce --size 64K\n"
        "  railyard run -n 32 --on berkeley-via --connections static-peer --stats "
        "all-to-all\n"
        "  railyard run -n 16 --on infiniband-pcie,quadrics,myrinet2000-gm stencil\n"
        "  railyard run -n 16 --on quadrics --faults faults.toml --fault-cost ring\n"
        "  railyard run -n 16 --compute record:stencil.log stencil\n"
        "  railyard run -n 16 --on clan-via --compute replay:stencil.log --summary text stencil\n"
        "  railyard run --on clan-via,berkeley-via --compute replay×10:stencil.log");
    return {app, [app, words] { return run(*words, app->remaining()); }};
}

}  // namespace railyard::cli
