#include "cli/run_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/parse.hpp"
#include "cli/words.hpp"
#include "launch/job/installation.hpp"
#include "launch/job/spawn.hpp"
#include "programs/builtin/programs.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

constexpr const char* between_programs = ":";

bool is_number_of_ranks(const std::string& word) {
    return word == "-n" || word == "-np";
}

/// `railyard run ./program -n 4` asks for something, and most likely not for what it says.
void expect_ranks_before(const ProgramCall& call) {
    if (!call.options.ranks.empty()) return;
    for (std::size_t i = 1; i + 1 < call.words.size(); ++i)
        if (is_number_of_ranks(call.words[i]) && parse_number<unsigned>(call.words[i + 1]))
            throw UsageError(fmt::format(
                "{} {} stands behind the program's name; write it before: railyard run -n {} {}. "
                "If it is the program's own, give the number of ranks before it as well",
                call.words[i], call.words[i + 1], call.words[i + 1], call.words.front()));
}

ProgramCall parse_call(std::vector<std::string> words) {
    ProgramCall call;
    CLI::App app;
    app.set_help_flag();
    app.prefix_command();
    add_program_options(app, call.options);
    write_np_long(app, words);
    std::ranges::reverse(words);
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("behind ':': {}", error.what()));
    }
    call.words = app.remaining();
    if (call.words.empty()) throw UsageError("a program is missing behind ':'");
    if (call.words.front().starts_with('-'))
        throw UsageError(fmt::format(
            "{}: no option of a program behind ':'; those of the whole run stand before the first",
            call.words.front()));
    return call;
}

[[noreturn]] void unknown_program(const std::string& name) {
    std::vector<std::string> names;
    for (const programs::Program& program : programs::all())
        names.emplace_back(program.name);
    throw UsageError(unknown("program", name, names, "railyard run --help") +
                     "; an executable is named by its path (./" + name + "), or found on the PATH");
}

std::string path_of(const ProgramCall& call) {
    const std::string& name = call.words.front();
    try {
        const std::string path =
            job::find_program({.arguments = call.words, .directory = call.options.directory});
        // As seen from there.
        return call.options.directory.empty() || path.starts_with('/')
                   ? path
                   : call.options.directory + "/" + path;
    } catch (const job::CannotStart& error) {
        if (name.find('/') == std::string::npos) unknown_program(name);
        throw UsageError(error.what());
    }
}

std::unique_ptr<executables::Executable> open_executable(const ProgramCall& call) {
    try {
        return std::make_unique<executables::Executable>(
            executables::Executable::Options{.path = path_of(call),
                                             .shared = call.options.shared,
                                             .private_ones = call.options.private_ones,
                                             .library_folder = job::library_folder()});
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

/// What a program that is built in has no use for.
void expect_executable(const ProgramCall& call, bool label_output) {
    const ProgramWords& options = call.options;
    const char* const given = !options.directory.empty()      ? "--wdir"
                              : !options.directories.empty()  ? "--rank-directories"
                              : !options.environment.empty()  ? "--env"
                              : !options.shared.empty()       ? "--share"
                              : !options.private_ones.empty() ? "--private"
                              : label_output                  ? "--label"
                                                              : nullptr;
    if (given != nullptr)
        throw UsageError(
            fmt::format("{}: is for executables, and {} is built in", given, call.words.front()));
}

std::vector<std::pair<std::string, std::string>> variables_of(const ProgramWords& options) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string& word : options.environment) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            throw UsageError(fmt::format("--env: expected NAME=VALUE, found '{}'", word));
        all.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    return all;
}

}  // namespace

int ranks_of(const ProgramWords& words) {
    if (words.ranks.empty()) return 0;
    return static_cast<int>(parse_count("-n", words.ranks, 1, most_ranks));
}

void add_program_options(CLI::App& app, ProgramWords& words) {
    const auto add = [&](const char* name, std::string& word, const char* type, const char* help) {
        app.add_option(name, word, help)->type_name(type);
    };
    const auto add_all = [&](const char* name, std::vector<std::string>& all, const char* type,
                             const char* help) {
        app.add_option(name, all, help)->type_name(type)->allow_extra_args(false);
    };
    add("-n,--np,--ranks", words.ranks, "N",
        "How many ranks (default: 2, or those of a recording; of several programs 1 each)");
    add("--wdir", words.directory, "DIRECTORY", "Where an executable works (default: here)");
    add("--rank-directories", words.directories, "DIRECTORY",
        "Each rank of an executable works in one of its own in there, which is made: "
        "DIRECTORY/0, DIRECTORY/1, ...");
    add_all("-x,--env", words.environment, "NAME=VALUE", "A variable for an executable");
    add_all("--share", words.shared, "LIBRARY",
            "A library of an executable that all ranks share; each has its own of the others");
    add_all("--private", words.private_ones, "LIBRARY",
            "One that each rank has for itself, though shared");
}

void write_np_long(const CLI::App& app, std::vector<std::string>& words) {
    const CLI::App* command = &app;
    for (std::size_t i = 0; command != nullptr && i < words.size(); ++i) {
        std::string& word = words[i];
        if (!word.starts_with('-')) {
            const auto commands = command->get_subcommands({});
            const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
            command = found != commands.end() ? *found : nullptr;
            continue;
        }
        if (word == "-np" && command->get_option_no_throw("--np") != nullptr) word = "--np";
        if (word.find('=') != std::string::npos) continue;
        const CLI::Option* const option = command->get_option_no_throw(word);
        if (option == nullptr) return;
        if (option->get_items_expected_max() > 0) ++i;
    }
}

std::vector<ProgramCall> split_programs(const ProgramWords& first,
                                        const std::vector<std::string>& words) {
    std::vector<ProgramCall> calls;
    auto begin = words.begin();
    for (;;) {
        const auto end = std::find(begin, words.end(), between_programs);
        if (calls.empty())
            calls.push_back({first, {begin, end}});
        else
            calls.push_back(parse_call({begin, end}));
        if (end == words.end()) return calls;
        begin = std::next(end);
    }
}

ChosenPrograms choose_programs(const std::vector<ProgramCall>& calls, bool label_output) {
    ChosenPrograms chosen;
    for (const ProgramCall& call : calls) {
        if (call.words.empty())
            throw UsageError("run what? Name a program; `railyard run --help` lists them");
        expect_ranks_before(call);
        if (!call.options.directory.empty() && !call.options.directories.empty())
            throw UsageError("--wdir and --rank-directories say the same; give one of them");
        runs::Program program{.start = {.words = call.words,
                                        .environment = variables_of(call.options),
                                        .directory = call.options.directory,
                                        .label_output = label_output},
                              .directories = call.options.directories};
        program.ranks = ranks_of(call.options);
        if (program.ranks == 0 && calls.size() > 1) program.ranks = 1;
        if (const programs::Program* const builtin = programs::find(call.words.front())) {
            expect_executable(call, label_output && calls.size() == 1);
            program.main = builtin->main;
        } else {
            chosen.executables.push_back(open_executable(call));
            program.executable = chosen.executables.back().get();
        }
        chosen.programs.push_back(std::move(program));
    }
    return chosen;
}

}  // namespace railyard::cli
