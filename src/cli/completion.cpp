// How shells complete `railyard`: made from the commands' own definitions, so that nothing is
// written down twice.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse.hpp"
#include "cli/command.hpp"
#include "cli/completion_scripts.hpp"
#include "cli/words.hpp"
#include "experiments/core/experiment.hpp"
#include "launch/job/job.hpp"
#include "programs/builtin/programs.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli::completion {

namespace {

std::vector<std::string> fabric_names() {
    std::vector<std::string> names;
    for (const fabric::Traits& traits : job::fabrics())
        names.push_back(traits.name);
    return names;
}

std::vector<std::string> experiment_names() {
    std::vector<std::string> names;
    for (const experiments::Experiment& experiment : experiments::all())
        names.emplace_back(experiment.name);
    return names;
}

/// "auto|process_vm|bounce" is all there is; "FILE" is not.
std::vector<std::string> choices(const std::string& type) {
    const bool is_choice = type.find('|') != std::string::npos &&
                           std::ranges::none_of(type, [](unsigned char c) { return c == '['; });
    std::vector<std::string> all;
    if (is_choice)
        for (const std::string_view word : split(type, '|'))
            all.emplace_back(word);
    return all;
}

/// What may stand there, by the name that --help has for it.
Values values_of(const std::string& type, const CLI::App& parent) {
    const bool is_list = type.find(',') != std::string::npos;
    if (type.starts_with("FABRIC")) return {Values::Kind::words, is_list, fabric_names()};
    if (type.starts_with("EXPERIMENT")) return {Values::Kind::words, is_list, experiment_names()};
    if (type == "COMMAND") {
        std::vector<std::string> names;
        for (const CLI::App* command : parent.get_subcommands({}))
            names.push_back(command->get_name());
        return {Values::Kind::words, false, names};
    }
    if (type.find("FILE") != std::string::npos || type == "RESULTS")
        return {Values::Kind::files, false, {}};
    if (type == "DIRECTORY") return {Values::Kind::directories, false, {}};
    if (auto all = choices(type); !all.empty()) return {Values::Kind::words, false, std::move(all)};
    return {};
}

Option option_of(const CLI::Option& option, const CLI::App& parent) {
    Option out;
    for (const std::string& name : option.get_snames())
        out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        out.names.push_back("--" + name);
    out.description = option.get_description();
    out.type = option.get_type_name();
    out.takes_value = option.get_items_expected_max() > 0;
    out.value_is_optional = out.takes_value && option.get_expected_min() == 0;
    if (out.takes_value) out.values = values_of(out.type, parent);
    return out;
}

Command command_of(const CLI::App& app, const CLI::App& parent) {
    Command out{.name = app.get_name(), .description = app.get_description()};
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional())
            out.options.push_back(option_of(*option, parent));
        else
            out.operands = values_of(option->get_single_name(), parent);
    }
    if (app.get_prefix_command()) {
        out.runs_a_program = true;
        out.operands = {Values::Kind::files, false, {}};
        for (const programs::Program& program : programs::all())
            out.operands.words.emplace_back(program.name);
    }
    return out;
}

std::vector<Command> commands_of(const CLI::App& parent) {
    std::vector<Command> all{command_of(parent, parent)};
    for (const CLI::App* command : parent.get_subcommands({})) {
        all.push_back(command_of(*command, parent));
        // Options for all may stand behind every command but those that go on with a program's.
        if (!all.back().runs_a_program)
            for (const Option& option : all.front().options)
                if (option.takes_value) all.back().options.push_back(option);
    }
    return all;
}

}  // namespace

}  // namespace railyard::cli::completion

namespace railyard::cli {

Command completion_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "completion", "Prints what lets a shell complete the words of railyard");
    const auto shell = std::make_shared<std::string>();
    app->add_option("bash|zsh|fish", *shell, "For which shell")->type_name("");
    app->footer(
        "Examples:\n"
        "  source <(railyard completion bash)               in this shell, or in ~/.bashrc\n"
        "  railyard completion zsh > ~/.zfunc/_railyard      a folder of fpath\n"
        "  railyard completion fish > ~/.config/fish/completions/railyard.fish\n"
        "`make install` puts all three where the shells look for them.");
    return {app, [&parent, shell] {
                const std::vector<std::string> shells{"bash", "zsh", "fish"};
                if (shell->empty())
                    throw UsageError("completion for which shell? There are bash, zsh and fish");
                const auto all = completion::commands_of(parent);
                if (*shell == "bash")
                    fmt::print("{}", completion::bash(all));
                else if (*shell == "zsh")
                    fmt::print("{}", completion::zsh(all));
                else if (*shell == "fish")
                    fmt::print("{}", completion::fish(all));
                else
                    throw UsageError(unknown("shell", *shell, shells, "railyard help completion"));
                return 0;
            }};
}

}  // namespace railyard::cli
