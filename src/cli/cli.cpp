#include "cli/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "cli/command.hpp"
#include "cli/run_programs.hpp"
#include "cli/words.hpp"
#include "experiments/core/plan.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"

namespace railyard::cli {

namespace {

constexpr int work_failed = 1;
constexpr int wrong_call = 2;

int complain(const std::string& what, int exit_code) {
    // Not by fmt, which throws where the standard error takes nothing.
    std::fputs(fmt::format("railyard: {}\n", what).c_str(), stderr);
    return exit_code;
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    return names;
}

/// The subcommand that was called, or the command itself.
const CLI::App& called(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return commands.empty() ? app : *commands.front();
}

/// The first word that nobody understood, with the nearest that somebody would have.
std::string not_understood(const CLI::App& app) {
    const CLI::App& command = called(app);
    const std::string help = &command == &app
                                 ? "railyard --help"
                                 : fmt::format("railyard {} --help", command.get_name());
    const std::string word = app.remaining(true).front();
    if (word.starts_with('-')) {
        auto names = option_names(command);
        if (&command != &app) std::ranges::copy(option_names(app), std::back_inserter(names));
        return unknown("option", word.substr(0, word.find('=')), names, help);
    }
    if (&command == &app) return unknown("command", word, subcommand_names(app), help);
    return fmt::format("'{}' is one word too many; see `{}`", word, help);
}

/// A full disk behind a redirection may have shown before, where nobody looked, or shows only now.
void check_output() {
    const bool failed_before = std::ferror(stdout) != 0 || !std::cout;
    if (std::fflush(stdout) != 0) throw system_error("cannot write to the standard output");
    std::cout.flush();
    if (failed_before || !std::cout)
        throw Error("cannot write all of the standard output; is the disk full?");
}

/// What CLI11 throws is a call for help, for the version, or a mistake.
int parse_failed(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        app.exit(error);
        check_output();
        return 0;
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        return complain(not_understood(app), wrong_call);
    const CLI::App& command = called(app);
    return complain(fmt::format("{}; see `railyard {}--help`", error.what(),
                                &command == &app ? "" : command.get_name() + " "),
                    wrong_call);
}

int dispatch(CLI::App& app, const std::vector<Command>& commands, const std::string& level) {
    if (!level.empty())
        set_log_level(parse_log_level(level));
    else
        log_level();  // Whatever is wrong with the environment's is said now, not in the middle.
    for (const Command& command : commands) {
        if (!command.app->parsed()) continue;
        const int exit_code = command.run();
        check_output();
        return exit_code;
    }
    std::fputs(app.help().c_str(), stderr);
    return wrong_call;
}

}  // namespace

int run(int argc, char** argv) {
    CLI::App app("Puts cluster interconnects side by side: one interface, one set of experiments.",
                 "railyard");
    app.set_version_flag("--version",
                         fmt::format("railyard {} ({})", results::version(), results::revision()));
    std::string level;
    app.add_option("--log-level", level,
                   "How much is said on stderr: error, warning, info or debug "
                   "(or the environment's RAILYARD_LOG; warning if neither is set)")
        ->type_name("LEVEL");
    app.require_subcommand(0, 1);
    app.footer(
        "Begin with:\n"
        "  railyard measure limits latency-uni --on shm\n"
        "`railyard COMMAND --help` says more; so does railyard(1).");
    const std::vector<Command> commands{
        fabrics_command(app), experiments_command(app), measure_command(app),
        run_command(app),     mpi_info_command(app),    reproduce_command(app),
        compare_command(app), report_command(app),      secret_command(app),
        help_command(app),    completion_command(app)};
    // Options for all may stand behind a command, but not among the words of a program.
    for (const Command& command : commands)
        command.app->fallthrough(!command.app->get_prefix_command());

    try {
        std::vector<std::string> words(argv + 1, argv + argc);
        write_help_as_option(app, words);
        write_np_long(app, words);
        std::ranges::reverse(words);
        app.parse(words);
        return dispatch(app, commands, level);
    } catch (const CLI::ParseError& error) {
        try {
            return parse_failed(app, error);
        } catch (const std::exception& failure) {
            return complain(failure.what(), work_failed);
        }
    } catch (const UsageError& error) {
        return complain(error.what(), wrong_call);
    } catch (const experiments::Stopped& error) {
        return complain(error.what(), error.exit_code());
    } catch (const std::exception& error) {
        return complain(error.what(), work_failed);
    }
}

}  // namespace railyard::cli
