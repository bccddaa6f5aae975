#include "cli/run_plan.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "cli/run_page.hpp"
#include "cli/words.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"

namespace railyard::cli {

namespace {

/// As a shell gives a process; of it, only what is touched takes memory.
constexpr Bytes stack_of_executables{8 << 20};

const fabric::Traits& virtual_fabric(const std::string& name) {
    const fabric::Traits& traits = fabric_named(name);
    if (traits.clock == fabric::Clock::virtual_time) return traits;
    throw UsageError(
        fmt::format("--on: {} moves bytes, and `railyard run` runs in virtual time; programs on {} "
                    "are started with `mpiexec --on {}`",
                    traits.name, traits.name, traits.name));
}

/// A file with a number for each rank.
std::vector<fabric::NodeId> nodes_in(const std::string& file, unsigned ranks) {
    std::istringstream text;
    try {
        text.str(results::read_file(file));
    } catch (const Error& error) {
        throw UsageError(fmt::format("--placement: {}", error.what()));
    }
    std::vector<fabric::NodeId> all;
    for (std::string word; text >> word;) {
        const auto node = parse_number<unsigned>(word);
        if (!node || *node >= most_ranks)
            throw UsageError(fmt::format(
                "--placement: {}: expected the number of a node, found '{}'", file, word));
        all.push_back(*node);
    }
    if (all.size() < ranks)
        throw UsageError(fmt::format("--placement: {} has the nodes of {}, and there are {}", file,
                                     count_of(all.size(), "rank"), ranks));
    all.resize(ranks);
    return all;
}

std::vector<fabric::NodeId> nodes_of(const RunWords& words, unsigned ranks) {
    if (!words.nodes.empty() && !words.ranks_per_node.empty())
        throw UsageError("--nodes and --ranks-per-node say the same; give one of them");
    unsigned per_node = 1;
    if (!words.ranks_per_node.empty())
        per_node = parse_count("--ranks-per-node", words.ranks_per_node, 1, most_ranks);
    if (!words.nodes.empty()) {
        const unsigned count = parse_count("--nodes", words.nodes, 1, ranks);
        per_node = (ranks + count - 1) / count;
    }
    const bool is_round_robin = words.placement == "round-robin";
    if (!words.placement.empty() && words.placement != "block" && !is_round_robin) {
        if (!words.nodes.empty() || !words.ranks_per_node.empty())
            throw UsageError(
                "--placement: a file says all; leave out --nodes and --ranks-per-node");
        return nodes_in(words.placement, ranks);
    }
    const unsigned count = (ranks + per_node - 1) / per_node;
    std::vector<fabric::NodeId> all(ranks);
    for (unsigned rank = 0; rank < ranks; ++rank)
        all[rank] = is_round_robin ? rank % count : rank / per_node;
    return all;
}

std::vector<TypedSetting> typed_settings(const RunWords& words) {
    std::vector<TypedSetting> all;
    const auto add = [&](const char* option, const char* name, const std::string& value) {
        if (!value.empty()) all.push_back({option, name, value});
    };
    add("--mpi", "library", words.mpi);
    add("--connections", "connections", words.connections);
    add("--max-connections", "max-connections", words.max_connections);
    add("--algorithms", "algorithms", words.algorithms);
    add("--payload", "payload", words.payload);
    for (const std::string& word : words.settings)
        all.push_back(typed_setting(word));
    if (words.stats) add("--stats", "stats", "on");
    if (words.check) add("--check", "check", "on");
    return all;
}

SummaryForm summary_form(const std::string& word) {
    if (word == "none") return SummaryForm::none;
    if (word.empty() || word == "short") return SummaryForm::line;
    if (word == "text") return SummaryForm::text;
    if (word == "json") return SummaryForm::json;
    throw UsageError(
        fmt::format("--summary: expected none, short, text or json, found '{}'", word));
}

void check_comparison(const RunPlan& plan, const RunWords& words) {
    if (!plan.compares()) return;
    if (!words.trace.empty())
        throw UsageError(
            "--trace: a trace shows one run; give one fabric with --on, and no --sweep");
    if (plan.each.compute.records())
        throw UsageError(
            "--compute: a recording is of one run; record on one fabric, and then replay on all");
}

/// Of the papers' libraries their profiles say what they did inside a node.
void check_node_memory(const RunWords& words) {
    if (words.node_memory && words.mpi == "paper")
        throw UsageError("--node-memory: is of our library, and --mpi paper is another");
}

void check_fault_cost(const RunPlan& plan) {
    if (!plan.fault_cost) return;
    if (plan.each.faults.empty())
        throw UsageError("--fault-cost: of which faults? Name a script with --faults");
    if (!plan.each.compute.repeats())
        throw UsageError(
            "--fault-cost: computation that is measured differs from run to run; record it once "
            "(--compute record:FILE) and replay it (--compute replay:FILE)");
}

void check_outputs(const RunWords& words) {
    for (const std::string& path : {words.json, words.csv, words.report}) {
        if (path == standard_output)
            throw UsageError(
                "--json, --csv, --report: the program prints to the standard output; name a file");
        if (!path.empty()) results::check_writable(path);
    }
    if (!words.json.empty() && words.json == words.csv)
        throw UsageError("--json and --csv name the same file");
    if (!words.report.empty() && (words.report == words.json || words.report == words.csv))
        throw UsageError("--report names the same file as --json or --csv");
    if (!words.report.empty() && words.resume)
        throw UsageError(
            "--report: what was kept of earlier runs is their rows, and a page needs all; leave "
            "out --resume");
}

/// The programs that are named; or, if none is, the calls of the recording that is replayed. How
/// many ranks there are, if nobody says so.
int take_programs(RunPlan& plan, const RunWords& options, const std::vector<std::string>& words) {
    using From = runs::ComputeChoice::From;
    if (words.empty() && plan.each.compute.from == From::file) {
        const auto recorded = runs::recorded_program(plan.each.compute.file);
        plan.each.programs.push_back(
            {.ranks = ranks_of(options.first), .start = {.words = recorded.words}});
        return recorded.ranks;
    }
    if (!words.empty() && words.front().starts_with('-'))
        throw UsageError(
            fmt::format("unknown option '{}'; `railyard run --help` lists all", words.front()));
    ChosenPrograms chosen = choose_programs(split_programs(options.first, words), options.label);
    plan.each.programs = std::move(chosen.programs);
    plan.executables = std::move(chosen.executables);
    if (!plan.executables.empty()) {
        plan.each.job.stack = stack_of_executables;
        if (options.compute.empty()) plan.each.compute.from = From::measurement;
    }
    return 2;
}

/// Of all programs together.
int sum_of_ranks(const std::vector<runs::Program>& programs, int usual) {
    int sum = 0;
    for (const runs::Program& program : programs)
        sum += program.ranks;
    if (sum > static_cast<int>(most_ranks))
        throw UsageError(fmt::format("-n: expected at most {} ranks, found {} of all programs",
                                     most_ranks, sum));
    return sum > 0 ? sum : usual;
}

void add_points(RunPlan& plan, const RunWords& words, int ranks) {
    std::vector<Change> changes;
    for (const std::string& word : words.changes)
        changes.push_back(parse_change("--with", word));
    std::vector<std::string> values;
    if (!words.sweep.empty()) {
        const Change all = parse_change("--sweep", words.sweep);
        plan.swept = all.key;
        values = split_list("--sweep", all.value);
    }
    if (plan.sweeps_ranks() && plan.each.programs.front().ranks > 0)
        throw UsageError(
            "--sweep ranks=... and -n say the same; give one of them, and one program");
    const auto add = [&](const std::string& name, const std::vector<Change>& changed, int count,
                         const std::string& value) {
        const std::string opened = plan.changed.make(name, changed);
        plan.points.push_back({virtual_fabric(opened), opened, count, value});
    };
    for (const std::string& name : split_list("--on", words.on.empty() ? "ideal" : words.on)) {
        if (values.empty()) add(name, changes, ranks, "");
        for (const std::string& value : values) {
            if (plan.sweeps_ranks()) {
                const unsigned count = parse_count("--sweep ranks", value, 1, most_ranks);
                add(name, changes, static_cast<int>(count), value);
                continue;
            }
            std::vector<Change> more = changes;
            more.push_back({plan.swept, value});
            add(name, more, ranks, value);
        }
    }
}

}  // namespace

void add_run_options(CLI::App& app, RunWords& words) {
    const auto add = [&](const char* name, std::string& word, const char* type, const char* help) {
        app.add_option(name, word, help)->type_name(type);
    };
    add_program_options(app, words.first);
    add("--on", words.on, "FABRIC,...",
        "On which fabrics, of those that run in virtual time (default: ideal); several are "
        "compared");
    add("--nodes", words.nodes, "N", "On how many nodes (default: one for each rank)");
    add("--ranks-per-node", words.ranks_per_node, "N",
        "The same from the other side: ranks 0 to N-1 are on node 0, and so on");
    add("--placement", words.placement, "HOW",
        "Which ranks share nodes: block (neighbours, the default), round-robin, or a file with the "
        "node of each rank in turn");
    app.add_flag(
        "--node-memory", words.node_memory,
        "Ranks of one node talk through its memory, as fast as on shm, and not through the "
        "adapter");
    app.add_option("--with", words.changes,
                   "Another value in the fabric's profile, or so many times what it was")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add("--sweep", words.sweep, "KEY=VALUE,...",
        "One run for each of these values of a profile, or of ranks");
    add("--json", words.json, "FILE", "Write what the runs took there as rows, as `measure` does");
    add("--csv", words.csv, "FILE", "The same as CSV");
    add("--report", words.report, "FILE",
        "Write a page for a browser there: time lines, who sent to whom, where the time went");
    add_time_budget(app, words.time_budget,
                    "How long several runs may take (30s): after that no further one begins");
    app.add_flag("--resume", words.resume,
                 "Go on with what interrupted runs with the same --json or --csv have kept");
    app.add_flag("--quiet", words.quiet, "No progress on stderr");
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
    add("--payload", words.payload, "HOW",
        "Whether messages bring their bytes: on (the default); off, where only times matter: those "
        "over 256 B take as long as ever and bring nothing; or a size, in place of 256 B. What "
        "reductions and collectives of varying counts send always comes. For programs that do not "
        "act on what long messages say (docs/running.md)");
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
    app.add_flag("--profile-self", words.profile_self,
                 "Tell where the run's own (real) time went: event queue, network parts, MPI "
                 "library, program and more; events a message, memory a rank");
    app.add_flag("--gdb", words.gdb,
                 "Start all of it in GDB, and stop where a rank calls MPI_Init");
    app.add_flag("-l,--label", words.label,
                 "Let each line that an executable prints begin with its rank");
}

runs::Options RunPlan::options_of(const Point& point, const RunWords& words) const {
    runs::Options options = each;
    options.job.fabric = point.opened;
    options.job.ranks = point.ranks;
    options.job.nodes = nodes_of(words, static_cast<unsigned>(point.ranks));
    options.job.node_memory = words.node_memory;
    return options;
}

std::unique_ptr<RunPlan> make_run_plan(const RunWords& words,
                                       const std::vector<std::string>& program_words) {
    auto made = std::make_unique<RunPlan>();
    RunPlan& plan = *made;
    if (!words.compute.empty()) plan.each.compute = runs::parse_compute("--compute", words.compute);
    const int usual = take_programs(plan, words, program_words);
    add_points(plan, words, sum_of_ranks(plan.each.programs, usual));
    for (const RunPlan::Point& point : plan.points)  // says what is wrong before anything runs
        static_cast<void>(plan.options_of(point, words));
    plan.each.job.trace = words.trace;
    if (!words.trace_from.empty())
        plan.each.job.trace_above.from = parse_time("--trace-from", words.trace_from);
    if (!words.trace_to.empty())
        plan.each.job.trace_above.to = parse_time("--trace-to", words.trace_to);
    job::check_part_of_trace(!words.trace.empty(), plan.each.job.trace_above.from,
                             plan.each.job.trace_above.to);
    plan.form = summary_form(words.summary);
    plan.each.record =
        plan.form == SummaryForm::text || plan.form == SummaryForm::json || !words.report.empty();
    if (!words.report.empty()) plan.each.most_lanes = lanes_of_page();
    plan.each.profile_self = words.profile_self;
    plan.each.faults = words.faults;
    plan.fault_cost = words.fault_cost;
    plan.time_budget = time_budget(words.time_budget);
    check_node_memory(words);
    check_fault_cost(plan);
    check_comparison(plan, words);
    check_outputs(words);
    for (const RunPlan::Point& point : plan.points)
        apply_settings(point.fabric, typed_settings(words));
    return made;
}

}  // namespace railyard::cli
