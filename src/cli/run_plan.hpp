#pragma once
/// The words of `railyard run`, and what they come to: a program, and the runs of it.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/changed_fabrics.hpp"
#include "cli/run_programs.hpp"
#include "programs/runs/run.hpp"
#include "railyard/traits.hpp"

namespace railyard::cli {

/// The options as they were typed; an empty word was not given.
struct RunWords {
    ProgramWords first;  ///< of the first program
    std::string on, nodes, ranks_per_node, placement, mpi, connections, max_connections, algorithms,
        trace, trace_from, trace_to, compute, payload, summary, faults, sweep, json, csv, report,
        time_budget;
    std::vector<std::string> settings, changes;
    bool stats = false, fault_cost = false, check = false, label = false, node_memory = false,
         gdb = false, profile_self = false, quiet = false, resume = false;
};

/// The words outlive the app.
void add_run_options(CLI::App& app, RunWords& words);

enum class SummaryForm : std::uint8_t { none, line, text, json };

/// What the words come to: the same programs on each of some fabrics, or with each of some values.
struct RunPlan {
    struct Point {
        fabric::Traits fabric;
        std::string opened;  ///< the name by which it is opened
        int ranks = 0;
        std::string swept{};  ///< the value of what is varied
    };

    std::vector<std::unique_ptr<executables::Executable>> executables;
    ChangedFabrics changed;
    std::vector<Point> points;
    std::string swept{};  ///< what is varied: "ranks", "link.rate"; empty: nothing
    runs::Options each;   ///< but for what the points say
    SummaryForm form = SummaryForm::line;
    bool fault_cost = false;
    std::optional<Duration> time_budget{};  ///< after that no further run begins

    bool compares() const { return points.size() > 1; }
    bool sweeps_ranks() const { return swept == "ranks"; }
    /// The options of one run.
    runs::Options options_of(const Point& point, const RunWords& words) const;
};

/// Throws UsageError.
std::unique_ptr<RunPlan> make_run_plan(const RunWords& words,
                                       const std::vector<std::string>& program_words);

}  // namespace railyard::cli
