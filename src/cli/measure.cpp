#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "cli/command.hpp"
#include "cli/kept.hpp"
#include "cli/output.hpp"
#include "cli/words.hpp"
#include "experiments/core/plan.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "report/report.hpp"
#include "results/file.hpp"

namespace railyard::cli {

namespace {

/// The options as they were typed; an empty word was not given.
struct MeasureWords {
    std::vector<std::string> experiments;
    std::string on, sizes, ops, queues, buffers, window, iterations, warmup, ranks, memory, mpi;
    std::string only;
    std::string shm_user_memory, json, csv, trace, time_budget;
    bool quick = false, statistics = false, no_pin = false, quiet = false, resume = false;
    unsigned jobs = 0;
    PeerWords peer;
};

constexpr unsigned most_iterations = 1'000'000'000;
constexpr unsigned most_outstanding = 1 << 20;
constexpr unsigned most_buffers = 1 << 12;

void add_options(CLI::App& app, MeasureWords& words) {
    app.add_option("EXPERIMENT", words.experiments,
                   "What to measure, one or more (`railyard experiments` lists them)")
        ->type_name("");
    const auto add = [&](const char* name, std::string& word, const char* type, const char* help) {
        app.add_option(name, word, help)->type_name(type);
    };
    add("--on", words.on, "FABRIC[,FABRIC]", "On which fabrics (default: shm)");
    add("--sizes", words.sizes, "SIZES",
        "Message sizes: 8, 4K, 1M; a range doubles: 8..4M; commas between them");
    add("--ops", words.ops, "OP[,OP]",
        "Operations: send_recv, rdma_write, rdma_write_imm, rdma_read, fetch_add, compare_swap");
    add("--queues", words.queues, "N[,N]",
        "Queue sizes: how many messages are outstanding at most");
    add("--buffers", words.buffers, "N[,N]", "How many buffers messages go round");
    add("--window", words.window, "N", "Window: how many messages are sent to a reply");
    add("--memory", words.memory, "nic|user",
        "Whose memory: allocated by the Nic, or the user's own, registered");
    add("--mpi", words.mpi, "native|paper",
        "The MPI library of MPI experiments: ours as it is (native), or as the papers' was");
    add("--only", words.only, "NAME=VALUE[,NAME=VALUE]",
        "Of an experiment that is several runs, those whose rows say so: mode=static");
    add("--iterations", words.iterations, "N", "How often each thing is measured");
    add("--warmup", words.warmup, "N", "How often it is done before that");
    add("--ranks", words.ranks, "N",
        "How many ranks (default: as few as the experiment needs, or those of its paper)");
    app.add_flag("--quick", words.quick, "A first look: fewer sizes and iterations");
    add_time_budget(app, words.time_budget,
                    "How long it may take (30s): fewer iterations where clocks are real, and after "
                    "that nothing new begins (default: 10 s for each experiment on a real fabric)");
    app.add_flag("--resume", words.resume,
                 "Go on with what an interrupted call with the same --json or --csv has kept");
    app.add_flag("--no-pin", words.no_pin, "Leave ranks to the scheduler, on any core");
    add_peer_options(app, words.peer);
    add("--shm-user-memory", words.shm_user_memory, "auto|process_vm|bounce",
        "How shm reaches the user's memory (or RAILYARD_SHM_USER_MEMORY)");
    add("--json", words.json, "FILE", "Write the results there as JSON; '-': to stdout, no tables");
    add("--csv", words.csv, "FILE", "Write the rows there as CSV; '-': to stdout, no tables");
    add("--trace", words.trace, "FILE",
        "Write there what each part did and when, for Perfetto (virtual time, one run)");
    app.add_flag("--statistics", words.statistics, "A line a result, with p1, p50, p99 and spread");
    add_jobs(app, words.jobs);
    app.add_flag("--quiet", words.quiet, "No progress on stderr");
}

template <class T>
void add_once(std::vector<T>& list, const T& item) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

/// Who writes KB may well mean KiB.
void tell_units_apart(const std::string& text) {
    static const std::regex decimal("([0-9]+(\\.[0-9]+)? *[kKMGT])B");
    std::smatch found;
    if (!std::regex_search(text, found, decimal)) return;
    fmt::print(stderr, "railyard: --sizes: {} is {} bytes; {} is {}\n", found.str(0),
               parse_bytes(found.str(0)).count(), found.str(1), parse_bytes(found.str(1)).count());
}

std::vector<Bytes> sizes(const std::string& text, bool quiet) {
    try {
        const std::vector<Bytes> found = parse_sizes(text);
        if (!quiet) tell_units_apart(text);
        return found;
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("--sizes: {}", error.what()));
    }
}

experiments::Wishes wishes(const MeasureWords& words) {
    experiments::Wishes w;
    if (!words.sizes.empty()) w.sizes = sizes(words.sizes, words.quiet);
    if (!words.ops.empty())
        for (const std::string& item : split_list("--ops", words.ops))
            add_once(w.ops, op_named(item));
    if (!words.queues.empty())
        for (const std::string& item : split_list("--queues", words.queues))
            add_once(w.queues, parse_count("--queues", item, 1, most_outstanding));
    if (!words.buffers.empty())
        for (const std::string& item : split_list("--buffers", words.buffers))
            add_once(w.buffers, parse_count("--buffers", item, 1, most_buffers));
    if (!words.window.empty())
        w.window = parse_count("--window", words.window, 1, most_outstanding);
    if (!words.iterations.empty())
        w.iterations = parse_count("--iterations", words.iterations, 1, most_iterations);
    if (!words.warmup.empty()) w.warmup = parse_count("--warmup", words.warmup, 0, most_iterations);
    if (!words.memory.empty()) w.memory = memory_named(words.memory);
    if (!words.mpi.empty()) w.mpi = library_named(words.mpi);
    w.quick = words.quick;
    return w;
}

/// Those that models or one host's memory serve are measured by each process for itself.
bool reach_other_hosts(const std::vector<std::string>& fabrics) {
    return std::ranges::all_of(fabrics, [](const std::string& name) {
        const fabric::Traits& traits = fabric_named(name);
        return traits.clock == fabric::Clock::real && traits.crosses_nodes;
    });
}

/// `shows`: whether the results are this process' to show; of two that a launcher has started, the
/// first does.
experiments::Plan plan(const MeasureWords& words, bool& shows) {
    experiments::Plan p;
    if (words.experiments.empty())
        throw UsageError("measure what? Name an experiment; `railyard experiments` lists them");
    for (const std::string& name : words.experiments)
        add_once(p.experiments, &experiment_named(name));
    const std::string on = words.on.empty() ? job::Options().fabric : words.on;
    for (const std::string& name : split_list("--on", on))
        add_once(p.fabrics, fabric_named(name).name);
    p.wishes = wishes(words);
    if (!words.ranks.empty())
        p.ranks = static_cast<int>(parse_count("--ranks", words.ranks, 1, most_ranks));
    if (!words.only.empty())
        for (const std::string& item : split_list("--only", words.only)) {
            const auto equals = item.find('=');
            if (equals == std::string::npos)
                throw UsageError(fmt::format(
                    "--only: expected a parameter such as mode=static, found '{}'", item));
            p.only.emplace_back(item.substr(0, equals), item.substr(equals + 1));
        }
    p.pin = !words.no_pin;
    p.peer = peer_options(words.peer);
    if (!p.peer && reach_other_hosts(p.fabrics)) {
        p.peer = peer_by_launcher();
        shows = !p.peer || p.peer->side == peers::PeerOptions::Side::calls;
    }
    if (p.peer && p.ranks.value_or(2) != 2)
        throw UsageError("--ranks: with --listen and --peer there are two");
    if (p.peer) p.ranks = 2;
    if (words.trace == standard_output)
        throw UsageError("--trace: a trace goes to a file, not to the standard output");
    p.trace = words.trace;
    return p;
}

bool to_file(const std::string& path) {
    return !path.empty() && path != standard_output;
}

void write(const std::string& path, const std::string& content) {
    if (path == standard_output)
        fmt::print("{}", content);
    else if (!path.empty())
        results::write_file(path, content);
}

void check_outputs(const MeasureWords& words) {
    for (const std::string& path : {words.json, words.csv, words.trace})
        if (to_file(path)) results::check_writable(path);
    const auto same = [](const std::string& a, const std::string& b) {
        return !a.empty() && a == b;
    };
    if (same(words.json, words.csv)) throw UsageError("--json and --csv name the same file");
    if (same(words.trace, words.json) || same(words.trace, words.csv))
        throw UsageError("--trace names the same file as --json or --csv");
}

void apply_twins(const MeasureWords& words) {
    constexpr std::array<std::string_view, 3> ways{"auto", "process_vm", "bounce"};
    apply_twin("--shm-user-memory", words.shm_user_memory, "RAILYARD_SHM_USER_MEMORY", ways);
}

/// The file that results go to, and beside which they are kept if something comes between.
const std::string* results_file(const MeasureWords& words) {
    if (to_file(words.json)) return &words.json;
    return to_file(words.csv) ? &words.csv : nullptr;
}

std::vector<experiments::Finished> done_before(const MeasureWords& words, bool has_peer) {
    if (!words.resume) return {};
    if (has_peer)
        throw UsageError("--resume: between two hosts nobody knows what the other has kept");
    const std::string* const file = results_file(words);
    if (file == nullptr)
        throw UsageError("--resume: name the file that it was for, with --json or --csv");
    return read_kept(*file);
}

[[noreturn]] void fail(const MeasureWords& words, const experiments::Outcome& outcome) {
    std::string what = outcome.failure;
    if (const std::string* const file = results_file(words)) {
        what += fmt::format("; no {} written", words.trace.empty() ? "file was" : "results were");
        if (outcome.ended_by_signal() || outcome.time_is_up) what += keep(*file, outcome.finished);
    }
    if (outcome.ended_by_signal()) throw experiments::Stopped(what, outcome.exit_code);
    throw Error(what);
}

/// The machine and the build say nothing of what models give.
std::string machine_of(const results::Results& found) {
    const bool is_virtual = std::ranges::all_of(found.rows, [](const results::Row& row) {
        const fabric::Traits* traits = job::find_fabric(row.fabric);
        return traits != nullptr && traits->clock == fabric::Clock::virtual_time;
    });
    return is_virtual ? "" : report::describe(found.machine) + "\n";
}

int measure(const MeasureWords& words) {
    bool shows = true;
    const experiments::Plan todo = plan(words, shows);
    apply_twins(words);
    experiments::check(todo);
    const experiments::Carrying how{.jobs = words.jobs,
                                    .time_budget = time_budget(words.time_budget),
                                    .finished = done_before(words, todo.peer.has_value())};
    if (shows) check_outputs(words);

    results::Results found{.machine = results::this_machine(), .rows = {}};
    experiments::Outcome outcome;
    {
        const ProgressLine line(!words.quiet && shows);
        outcome =
            std::move(experiments::run(
                          std::span(&todo, 1), [&](std::string_view what) { line.show(what); }, how)
                          .front());
    }
    found.rows = std::move(outcome.rows);

    const bool tables = words.json != standard_output && words.csv != standard_output;
    if (tables && shows && !found.rows.empty())
        fmt::print("{}{}", machine_of(found),
                   report::tables(found.rows, {.statistics = words.statistics}));
    if (!outcome.failure.empty()) {
        std::fflush(stdout);
        fail(words, outcome);
    }
    if (!shows) return 0;
    write(words.json, results::to_json(found));
    write(words.csv, results::to_csv(found.rows));
    if (words.resume) forget_kept(*results_file(words));
    return 0;
}

}  // namespace

Command measure_command(CLI::App& parent) {
    CLI::App* app =
        parent.add_subcommand("measure", "Runs experiments on fabrics and shows the results");
    const auto words = std::make_shared<MeasureWords>();
    add_options(*app, *words);
    app->footer(
        "Examples:\n"
        "  railyard measure latency-uni --on shm\n"
        "  railyard measure limits latency-uni --on shm     ours beside the limit\n"
        "  railyard measure latency-uni bandwidth-uni-window --on shm --sizes 8..4M "
        "--json out.json\n"
        "  railyard measure bandwidth-uni-queue --on shm,ideal --queues 8,16,100 "
        "--ops rdma_write\n"
        "  railyard measure mpi-latency --on infiniband-pcie --mpi paper\n"
        "  railyard measure latency-uni --on iwarp --secret-file FILE --listen ADDRESS\n"
        "  railyard measure latency-uni --on iwarp --secret-file FILE --peer HOST\n"
        "  srun -N2 -n2 railyard measure latency-uni --on iwarp      between two nodes of a "
        "cluster");
    return {app, [words] { return measure(*words); }};
}

}  // namespace railyard::cli
