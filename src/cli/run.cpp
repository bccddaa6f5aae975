#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "base/stopwatch.hpp"
#include "cli/command.hpp"
#include "cli/kept.hpp"
#include "cli/output.hpp"
#include "cli/run_page.hpp"
#include "cli/run_plan.hpp"
#include "experiments/core/advance.hpp"
#include "programs/builtin/programs.hpp"
#include "programs/loader/debugging.hpp"
#include "programs/runs/run.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"

namespace railyard::cli {

namespace {

/// Real time of a run, of all of it or of a part of ours: a row's metric (--profile-self).
constexpr std::string_view own_time = "own_time";

/// How long it takes without faults; what it prints was for the other run.
Duration time_without_faults(runs::Options options) {
    const OutputAside aside(OutputAside::To::nowhere);
    options.faults.clear();
    options.job.trace.clear();
    return runs::run(options).summary.virtual_time;
}

/// One of them. Whatever is wrong has been said.
runs::Outcome run_point(const RunPlan& plan, const RunPlan::Point& point, const RunWords& words,
                        runs::RunProgress& progress) {
    std::optional<OutputAside> aside;
    if (plan.form == SummaryForm::json) aside.emplace();
    const std::string where = plan.sweeps_ranks()
                                  ? fmt::format("{}, {} ranks", point.fabric.name, point.ranks)
                                  : point.fabric.name;
    if (plan.compares()) fmt::print("on {}:\n", where);
    std::fflush(stdout);  // executables write to its descriptor
    runs::Options options = plan.options_of(point, words);
    options.progress = &progress;
    const auto without =
        plan.fault_cost ? std::optional(time_without_faults(options)) : std::nullopt;
    runs::Outcome outcome = runs::run(options);
    outcome.summary.fabric = point.fabric.name;
    outcome.summary.without_faults = without;
    std::fflush(stdout);
    if (!outcome.ok)
        fmt::print(stderr, "railyard: {}{}\n", plan.compares() ? "on " + where + ": " : "",
                   outcome.failure);
    return outcome;
}

/// What a run took, as `measure` would have it.
std::vector<results::Row> rows_of(const RunPlan& plan, const RunPlan::Point& point,
                                  const runs::Summary& summary) {
    std::vector<results::Row> rows;
    results::Row row;
    row.experiment = "run";
    row.fabric = summary.fabric;
    row.parameters["program"] = fmt::format("{}", fmt::join(summary.words, " "));
    row.parameters[results::parameter::processes] = std::int64_t{summary.ranks};
    row.parameters["compute"] = to_string(summary.compute);
    if (!plan.swept.empty() && !plan.sweeps_ranks()) row.parameters[plan.swept] = point.swept;
    row.unit = results::unit::microseconds;
    const auto add = [&](std::string_view metric, Duration time) {
        row.metric = metric;
        row.value = time.microseconds();
        row.statistics = results::single(row.value);
        rows.push_back(row);
    };
    add(results::metric::run_time, summary.compared_time());
    add(results::metric::start_up, summary.start_up);
    // Of a rank, on average: what is left of the time it communicated, and waited.
    add(results::metric::computing_time,
        Duration::from_seconds(summary.computed_seconds / summary.ranks));
    add(results::metric::connecting_time,
        Duration::from_seconds(summary.connecting_ns.mean * 1e-9));
    if (summary.self) {
        add(own_time, Duration::from_seconds(summary.self->processor_seconds));
        for (const runs::SelfProfile::Part& part : summary.self->parts) {
            row.parameters["part"] = std::string(part.name);
            add(own_time, Duration::from_seconds(part.share * summary.self->processor_seconds));
        }
    }
    return rows;
}

/// Below a comparison, unless each run's own summary has said it.
std::string compared_faults(const RunPlan& plan, std::span<const runs::Summary> summaries) {
    std::string text;
    if (plan.each.faults.empty() || plan.form == SummaryForm::text) return text;
    for (const runs::Summary& summary : summaries)
        text += fmt::format("\n{}: {}", summary.fabric, fault_summary(summary));
    return text;
}

/// What stands behind a program's own output.
void summarise(const RunPlan& plan, std::span<const runs::Summary> summaries) {
    if (plan.form == SummaryForm::json) {
        fmt::print("{}", summaries_as_json(summaries));
        return;
    }
    for (const runs::Summary& summary : summaries)
        if (summary.self) fmt::print("\n{}", self_profile(summary));
    if (plan.form == SummaryForm::none) return;
    if (plan.form == SummaryForm::text)
        for (const runs::Summary& summary : summaries)
            fmt::print("\n{}", full_summary(summary));
    if (plan.compares())
        fmt::print(
            "\n{}{}",
            comparison(summaries, plan.swept.empty() ? Order::fastest_first : Order::as_given),
            compared_faults(plan, summaries));
    else if (plan.form == SummaryForm::line)
        // Not among what the program says, which others may want to read.
        fmt::print(stderr, "{}", short_summary(summaries.front()));
}

/// The same call without --gdb, in GDB, which takes this process's place.
[[noreturn]] void run_in_gdb() {
    // It reads its commands from there, and nothing is left behind.
    const int commands = ::memfd_create("commands", 0);
    const std::string_view text = loader::gdb_commands;
    if (commands < 0 || ::write(commands, text.data(), text.size()) < 0)
        throw system_error("commands for gdb");
    std::vector<std::string> words{"gdb", "-q", "-x", fmt::format("/proc/self/fd/{}", commands),
                                   "--args"};
    const std::string all = results::read_file("/proc/self/cmdline");
    for (std::size_t at = 0; at < all.size(); at += std::strlen(all.c_str() + at) + 1)
        if (const std::string word = all.c_str() + at; word != "--gdb") words.push_back(word);
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execvp("gdb", pointers.data());
    throw Error(fmt::format("--gdb: cannot start gdb: {}; install the package of that name",
                            std::strerror(errno)));
}

/// "2 of 3, 8 s left: ring on quadrics", for who waits.
/// `before`: of those that are done, not by this call.
std::string heading(const RunPlan& plan, std::size_t number, std::size_t before, Duration elapsed) {
    std::string text = fmt::format("{} on {}", plan.each.programs.front().start.words.front(),
                                   plan.points[number].fabric.name);
    if (!plan.compares()) return text;
    const auto left = static_cast<double>(plan.points.size() - number);
    return fmt::format("{} of {}{}: {}", number + 1, plan.points.size(),
                       number == before
                           ? ""
                           : fmt::format(", {} left", experiments::about(Duration::from_seconds(
                                                          elapsed.seconds() * left /
                                                          static_cast<double>(number - before)))),
                       text);
}

/// Several runs, their rows, and where these are kept until all are there.
class Sweep {
  public:
    Sweep(const RunPlan& plan, const RunWords& words, const std::vector<std::string>& program_words)
        : plan_(plan), words_(words), call_(call_of(words, program_words)) {
        if (!words.resume) return;
        if (file().empty())
            throw UsageError("--resume: name the file that it was for, with --json or --csv");
        finished_ = read_kept(file());
        before_ = finished_.size();
    }

    bool is_done(const RunPlan::Point& point) const {
        const auto earlier = std::span(finished_).first(before_);
        return std::ranges::find(earlier, task_of(point), &experiments::Finished::task) !=
               earlier.end();
    }
    void done(const RunPlan::Point& point, runs::Summary summary) {
        experiments::Finished one{task_of(point), {}};
        for (const results::Row& row : rows_of(plan_, point, summary))
            one.rows.push_back(results::to_json_line(row));
        finished_.push_back(std::move(one));
        summaries_.push_back(std::move(summary));
        // At once: a run in virtual time dies of a signal, and so does this process.
        if (!file().empty() && plan_.compares()) interrupted_.say(keep(file(), finished_));
    }
    std::span<const runs::Summary> summaries() const { return summaries_; }
    std::string kept() const { return file().empty() ? "" : keep(file(), finished_); }

    void write() const {
        if (file().empty()) return;
        results::Results found{.machine = results::this_machine(), .rows = {}};
        for (const RunPlan::Point& point : plan_.points)
            for (const std::string& line :
                 std::ranges::find(finished_, task_of(point), &experiments::Finished::task)->rows)
                found.rows.push_back(results::from_json_line(line, "run"));
        if (!words_.json.empty()) results::write_file(words_.json, results::to_json(found));
        if (!words_.csv.empty()) results::write_file(words_.csv, results::to_csv(found.rows));
        if (words_.resume || plan_.compares()) forget_kept(file());
    }

  private:
    const std::string& file() const { return words_.json.empty() ? words_.csv : words_.json; }
    /// All that rows depend on.
    static std::string call_of(const RunWords& words, const std::vector<std::string>& program) {
        return fmt::format("{} | {} {} | {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
                           fmt::join(program, " "), words.first.directory,
                           fmt::join(words.first.environment, " "), words.nodes,
                           words.ranks_per_node, words.placement, words.mpi, words.payload,
                           words.connections, words.max_connections, words.algorithms,
                           words.compute, words.faults, fmt::join(words.settings, " "),
                           fmt::join(words.changes, " "), words.check, words.node_memory);
    }
    std::string task_of(const RunPlan::Point& point) const {
        return fmt::format("{} | {} {} {}", call_, point.fabric.name, point.ranks, point.swept);
    }

    const RunPlan& plan_;
    const RunWords& words_;
    std::string call_;
    std::vector<experiments::Finished> finished_;
    std::size_t before_ = 0;
    std::vector<runs::Summary> summaries_;
    Interrupted interrupted_;
};

int run(const RunWords& words, const std::vector<std::string>& program_words) {
    if (words.gdb) run_in_gdb();
    const std::unique_ptr<RunPlan> plan = make_run_plan(words, program_words);
    Sweep sweep(*plan, words, program_words);
    std::size_t number = 0;
    std::size_t before = 0;
    const Stopwatch watch;
    for (const RunPlan::Point& point : plan->points) {
        const Duration elapsed = watch.elapsed();
        if (number > 0 && plan->time_budget && elapsed > *plan->time_budget) break;
        if (sweep.is_done(point)) {
            ++before;
        } else {
            runs::RunProgress progress;
            const ElapsedLine line(!words.quiet, heading(*plan, number, before, elapsed), progress);
            runs::Outcome outcome = run_point(*plan, point, words, progress);
            if (outcome.exit_code != 0) {
                fmt::print(stderr, "{}", fault_summary(outcome.summary));
                if (number > 0 && !sweep.kept().empty())
                    fmt::print(stderr, "railyard: it ends here{}\n", sweep.kept());
                return outcome.exit_code;
            }
            sweep.done(point, std::move(outcome.summary));
        }
        ++number;
    }
    const bool is_whole = number == plan->points.size();
    if (is_whole) sweep.write();
    if (is_whole && !words.report.empty()) write_run_page(words.report, sweep.summaries());
    const bool asked_for_help = std::ranges::find(program_words, "--help") != program_words.end();
    if ((!asked_for_help || !words.summary.empty()) && !sweep.summaries().empty())
        summarise(*plan, sweep.summaries());
    std::fflush(stdout);
    if (is_whole && before > 0)
        fmt::print(stderr, "{} of {} runs were done before, and are in the file with the others\n",
                   before, number);
    if (is_whole) return 0;
    throw Error(fmt::format("the time budget of {} is used up: {} of {} runs are done{}",
                            to_string(*plan->time_budget), number, plan->points.size(),
                            sweep.kept()));
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
    add_run_options(*app, *words);
    app->prefix_command();
    app->footer(
        list_of_programs() +
        "\nExamples:\n"
        "  railyard run -n 16 --on quadrics ring\n"
        "  railyard run -n 64 --on infiniband-pcie,quadrics ./program --its-options\n"
        "  railyard run --on quadrics -n 1 ./server : -n 15 --env ROLE=worker ./client\n"
        "  railyard run -n 64 --on infiniband-pcie --sweep link.rate=1x,2x,4x ./program\n"
        "  railyard run -n 16 --on infiniband-pcie --ranks-per-node 2 allreduce --size 64K\n"
        "  railyard run -n 32 --on berkeley-via --connections static-peer --stats "
        "all-to-all\n"
        "  railyard run -n 16 --on infiniband-pcie,quadrics,myrinet2000-gm stencil\n"
        "  railyard run -n 16 --on quadrics --faults examples/faults.toml --fault-cost all-to-all\n"
        "  railyard run -n 16 --compute record:stencil.log stencil\n"
        "  railyard run -n 16 --on clan-via --compute replay:stencil.log --summary text stencil\n"
        "  railyard run --on clan-via,berkeley-via --compute replay×10:stencil.log");
    return {app, [app, words] { return run(*words, app->remaining()); }};
}

}  // namespace railyard::cli
