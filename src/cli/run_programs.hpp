#pragma once
/// The programs of a `railyard run` and their own options, as they were typed and as they are run.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "programs/executables/executable.hpp"
#include "programs/runs/run.hpp"

namespace railyard::cli {

/// The options of one program; an empty word was not given.
struct ProgramWords {
    std::string ranks, directory, directories;
    std::vector<std::string> environment, shared, private_ones;
};

/// 0: nobody says. Throws UsageError.
int ranks_of(const ProgramWords& words);

/// The words outlive the app.
void add_program_options(CLI::App& app, ProgramWords& words);

/// Writes -np, which CLI11 takes for -n and a p, as --np in front of the program's name.
void write_np_long(const CLI::App& app, std::vector<std::string>& words);

struct ProgramCall {
    ProgramWords options;
    std::vector<std::string> words;  ///< its name, then its arguments
};

/// Those between ":" and ":"; the first one's options were the command's. Throws UsageError.
std::vector<ProgramCall> split_programs(const ProgramWords& first,
                                        const std::vector<std::string>& words);

/// Programs that can run.
struct ChosenPrograms {
    std::vector<std::unique_ptr<executables::Executable>> executables;
    std::vector<runs::Program> programs;  ///< of a single one without a number, 0 ranks
};

/// Throws UsageError.
ChosenPrograms choose_programs(const std::vector<ProgramCall>& calls, bool label_output);

}  // namespace railyard::cli
