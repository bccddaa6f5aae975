#include "launch/engines/engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/parse.hpp"
#include "launch/engines/words.hpp"
#include "launch/job/installation.hpp"
#include "railyard/base/error.hpp"

namespace railyard::engines {

namespace {

namespace fs = std::filesystem;

struct Known {
    Engine engine;
    std::string_view name;
    /// The likeliest first; those that others have as well come last, if at all.
    std::array<std::string_view, 2> commands;
    std::string_view package;
};
constexpr std::array<Known, 3> all_known{{
    {Engine::slurm, "slurm", {"srun", ""}, "slurm-client"},
    {Engine::hydra, "hydra", {"mpiexec.hydra", "mpiexec.mpich"}, "mpich"},
    {Engine::openmpi, "openmpi", {"mpirun.openmpi", "orterun"}, "openmpi-bin"},
}};

const Known& known(Engine engine) {
    return *std::ranges::find(all_known, engine, &Known::engine);
}

std::optional<std::string> find_command(const Known& engine, const Surroundings& around) {
    for (const std::string_view command : engine.commands)
        if (!command.empty())
            if (auto found = around.command(command)) return found;
    return std::nullopt;
}

std::optional<std::string> own_variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<std::string> command_on_path(std::string_view name) {
    const std::string path = own_variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    const fs::path self = job::own_file();
    for (const std::string_view folder : split(path, ':')) {
        const fs::path file = fs::path(folder.empty() ? std::string_view(".") : folder) / name;
        std::error_code ignored;
        if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, ignored) &&
            !fs::equivalent(file, self, ignored))
            return file.string();
    }
    return std::nullopt;
}

}  // namespace

Engine parse_engine(std::string_view text) {
    for (const Known& engine : all_known)
        if (engine.name == text) return engine.engine;
    throw UsageError(fmt::format("expected slurm, hydra or openmpi, found '{}'", text));
}

Command command_of(Engine engine, const std::string& program, const HostJob& job,
                   std::span<const std::string> variables) {
    Command command;
    // Engines have limits of their own in units of their own; this one is the same for all.
    if (job.limit)
        command.words = {"timeout", "--foreground", "--kill-after=2",
                         fmt::format("{}", job.limit->seconds())};
    command.words.push_back(program);
    switch (engine) {
        case Engine::slurm:
            add_slurm_words(command, job);
            break;
        case Engine::hydra:
            add_hydra_words(command, job);
            break;
        case Engine::openmpi:
            add_openmpi_words(command, job, variables);
            break;
    }
    return command;
}

std::string text_of(const Command& command) {
    std::string text;
    for (std::size_t i = 0; i < command.words.size(); ++i) {
        const auto file = std::ranges::find(command.files, i, &Command::File::word);
        if (i > 0) text += ' ';
        text += file == command.files.end() ? shell_quoted(command.words[i])
                                            : fmt::format("<({})", shell_quoted(file->text));
    }
    return text;
}

Surroundings own_surroundings() {
    return {own_variable, command_on_path};
}

bool is_allocation(const Surroundings& around) {
    const auto nodes = around.variable("SLURM_JOB_NUM_NODES");
    // Within a step we are one of its ranks, or a program of one.
    return nodes && parse_number<int>(*nodes).value_or(1) > 1 && !around.variable("SLURM_STEP_ID");
}

Found find_engine(std::optional<Engine> wanted, const Surroundings& around) {
    if (!wanted && around.variable("SLURM_JOB_ID")) wanted = Engine::slurm;
    for (const Known& engine : all_known) {
        if (wanted ? engine.engine != *wanted : engine.engine == Engine::slurm) continue;
        if (auto program = find_command(engine, around)) return {engine.engine, *program};
    }
    if (wanted)
        throw Error(
            fmt::format("{} is not here: there is no {} on the PATH; install it (package "
                        "{}), or take another with --engine",
                        known(*wanted).name, known(*wanted).commands[0], known(*wanted).package));
    throw Error(
        "nothing here starts programs on other hosts; install MPICH's or Open MPI's launcher "
        "(package mpich or openmpi-bin), or call this inside a Slurm allocation");
}

}  // namespace railyard::engines
