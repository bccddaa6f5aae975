#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace railyard::cli {

Command help_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand("help", "Says how a command is called");
    const auto name = std::make_shared<std::string>();
    app->add_option("COMMAND", *name, "Which one (default: railyard itself)")->type_name("");
    app->footer(
        "Examples:\n"
        "  railyard help\n"
        "  railyard help run");
    return {app, [&parent] {
                fmt::print("{}", parent.get_formatter()->make_help(&parent, parent.get_name(),
                                                                   CLI::AppFormatMode::Normal));
                return 0;
            }};
}

void write_help_as_option(const CLI::App& app, std::vector<std::string>& words) {
    if (words.size() < 2 || words.front() != "help" || words[1].starts_with('-')) return;
    words = {words[1]};
    const auto commands = app.get_subcommands({});
    if (std::ranges::find(commands, words.front(), &CLI::App::get_name) != commands.end())
        words.emplace_back("--help");
}

}  // namespace railyard::cli
