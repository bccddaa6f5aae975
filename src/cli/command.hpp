#pragma once
/// The subcommands of `railyard`: their options, as CLI11 knows them, and what they do. One file
/// each.

#include <CLI/CLI.hpp>
#include <functional>

namespace railyard::cli {

struct Command {
    CLI::App* app;             ///< belongs to the parent
    std::function<int()> run;  ///< after parsing; returns the exit code, or throws Error
};

Command fabrics_command(CLI::App& parent);
Command experiments_command(CLI::App& parent);
Command measure_command(CLI::App& parent);
Command run_command(CLI::App& parent);
Command mpi_info_command(CLI::App& parent);
Command reproduce_command(CLI::App& parent);
Command compare_command(CLI::App& parent);
Command report_command(CLI::App& parent);
Command secret_command(CLI::App& parent);

/// --jobs, for those that run models: in how many processes. Left alone: as many as there are
/// cores.
inline void add_jobs(CLI::App& app, unsigned& jobs) {
    app.add_option("--jobs", jobs,
                   "Run models in so many processes at a time (default: one a core)")
        ->type_name("N")
        ->check(CLI::Range(1U, 1024U));
}

}  // namespace railyard::cli
