#pragma once
/// The subcommands of `railyard`: their options, as CLI11 knows them, and what they do. One file
/// each.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

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
/// What the others say of themselves: their help, and how shells complete them. Made last.
Command help_command(CLI::App& parent);
Command completion_command(CLI::App& parent);
/// `help run` is `run --help`, which CLI11 does not know.
void write_help_as_option(const CLI::App& app, std::vector<std::string>& words);

/// --json, for those that list what there is.
inline void add_json(CLI::App& app, bool& json) {
    app.add_flag("--json", json, "The same for programs: JSON on the standard output");
}

/// --jobs, for those that run models: in how many processes. Left alone: as many as there are
/// cores.
inline void add_jobs(CLI::App& app, unsigned& jobs) {
    app.add_option("--jobs", jobs,
                   "Run models in so many processes at a time (default: one a core)")
        ->type_name("N")
        ->check(CLI::Range(1U, 1024U));
}

}  // namespace railyard::cli
