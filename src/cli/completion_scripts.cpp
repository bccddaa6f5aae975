#include "cli/completion_scripts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace railyard::cli::completion {

namespace {

/// In single quotes, for any of the shells; fish alone takes a backslash in them for more than
/// itself.
std::string in_quotes(std::string_view text, bool doubles_backslashes = false) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (c == '\\' && doubles_backslashes)
            out += "\\\\";
        else
            out += c;
    }
    return out + "'";
}

std::string all_names(const Command& command) {
    std::string out;
    for (const Option& option : command.options)
        out += fmt::format("{}{}", out.empty() ? "" : " ", fmt::join(option.names, " "));
    return out;
}

std::string subcommand_words(std::span<const Command> commands) {
    std::string out;
    for (const Command& command : commands.subspan(1))
        out += fmt::format("{}{}", out.empty() ? "" : " ", command.name);
    return out;
}

/// What stands on the command line for it: nothing for the program itself.
std::string_view typed(const Command& command, std::span<const Command> commands) {
    return &command == &commands.front() ? std::string_view() : std::string_view(command.name);
}

// bash

std::string bash_values(const Values& values) {
    switch (values.kind) {
        case Values::Kind::anything:
            return "return";
        case Values::Kind::words:
            return fmt::format("{} '{}'; return",
                               values.is_list ? "_railyard_list" : "_railyard_words",
                               fmt::join(values.words, " "));
        case Values::Kind::files:
            return values.words.empty()
                       ? "_railyard_files; return"
                       : fmt::format("_railyard_files '{}'; return", fmt::join(values.words, " "));
        case Values::Kind::directories:
            return "_railyard_files; return";
    }
    return "return";
}

constexpr std::string_view bash_begin =
    R"(# Completion of railyard for bash, by `railyard completion bash`.

_railyard_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }

# The items before the last comma stay as they are.
_railyard_list() {
    local before=
    [[ $cur == *,* ]] && before=${cur%,*},
    COMPREPLY=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
    compopt -o nospace 2> /dev/null
}

_railyard_files() {
    COMPREPLY=($(compgen -W "${1-}" -- "$cur") $(compgen -f -- "$cur"))
    compopt -o filenames 2> /dev/null
}

_railyard() {
    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= operands=0 i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case $command/${COMP_WORDS[i]} in
)";

}  // namespace

std::string bash(std::span<const Command> commands) {
    std::string out(bash_begin);
    for (const Command& command : commands) {
        const std::string_view name = typed(command, commands);
        std::string valued;
        for (const Option& option : command.options)
            if (option.takes_value && !option.value_is_optional)
                for (const std::string& one : option.names)
                    valued += fmt::format("{}{}/{}", valued.empty() ? "" : "|", name, one);
        if (!valued.empty()) out += fmt::format("            {}) ((i++)) ;;\n", valued);
    }
    out +=
        "            */-*) ;;\n"
        "            /*) command=${COMP_WORDS[i]} ;;\n"
        "            *) ((operands++)) ;;\n"
        "        esac\n"
        "    done\n"
        "    # What stands behind the name of a program is the program's own.\n";
    for (const Command& command : commands)
        if (command.runs_a_program)
            out += fmt::format(
                "    [[ $command == {} && $operands -gt 0 ]] && {{ _railyard_files; return; }}\n",
                command.name);
    out += "    case $command/$before in\n";
    for (const Command& command : commands) {
        const std::string_view name = typed(command, commands);
        for (const Option& option : command.options) {
            if (!option.takes_value || option.value_is_optional) continue;
            std::string names;
            for (const std::string& one : option.names)
                names += fmt::format("{}{}/{}", names.empty() ? "" : "|", name, one);
            out += fmt::format("        {}) {} ;;\n", names, bash_values(option.values));
        }
    }
    out += "    esac\n    case $command/$cur in\n";
    for (const Command& command : commands) {
        const std::string_view name = typed(command, commands);
        out += fmt::format("        {}/-*) _railyard_words '{}' ;;\n", name, all_names(command));
    }
    for (const Command& command : commands.subspan(1))
        if (command.operands.kind != Values::Kind::anything)
            out +=
                fmt::format("        {}/*) {} ;;\n", command.name, bash_values(command.operands));
    return out + fmt::format(
                     "        /*) _railyard_words '{}' ;;\n"
                     "    esac\n"
                     "}}\n"
                     "complete -F _railyard railyard\n",
                     subcommand_words(commands));
}

namespace {

// zsh

/// Inside of a specification of _arguments.
std::string zsh_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_action(const Values& values) {
    switch (values.kind) {
        case Values::Kind::anything:
            return "";
        case Values::Kind::words:
            return values.is_list
                       ? fmt::format("_values -s , word {}", fmt::join(values.words, " "))
                       : fmt::format("({})", fmt::join(values.words, " "));
        case Values::Kind::files:
            return values.words.empty()
                       ? "_files"
                       : fmt::format("_alternative \"program:program:({})\" \"file:file:_files\"",
                                     fmt::join(values.words, " "));
        case Values::Kind::directories:
            return "_files -/";
    }
    return "";
}

std::string zsh_option(const Option& option, const std::string& name) {
    std::string text = fmt::format("*{}[{}]", name, zsh_escaped(option.description));
    if (option.takes_value)
        text += fmt::format("{}{}:{}", option.value_is_optional ? "::" : ":",
                            zsh_escaped(option.type), zsh_action(option.values));
    return in_quotes(text);
}

std::string zsh_command(const Command& command) {
    std::string out = fmt::format("            {})\n                _arguments", command.name);
    for (const Option& option : command.options)
        for (const std::string& name : option.names)
            out += fmt::format(" \\\n                    {}", zsh_option(option, name));
    if (command.runs_a_program)
        out +=
            fmt::format(" \\\n                    {} \\\n                    '*::argument:_files'",
                        in_quotes("1:program:" + zsh_action(command.operands)));
    else if (command.operands.kind != Values::Kind::anything)
        out += fmt::format(" \\\n                    {}",
                           in_quotes("*:word:" + zsh_action(command.operands)));
    return out + "\n                ;;\n";
}

}  // namespace

std::string zsh(std::span<const Command> commands) {
    std::string out =
        "#compdef railyard\n"
        "# Completion of railyard for zsh, by `railyard completion zsh`.\n\n"
        "_railyard() {\n"
        "    local context state state_descr line\n"
        "    typeset -A opt_args\n"
        "    local -a commands=(\n";
    for (const Command& command : commands.subspan(1))
        out += fmt::format("        {}\n",
                           in_quotes(command.name + ":" + zsh_escaped(command.description)));
    out += "    )\n    _arguments -C";
    for (const Option& option : commands.front().options)
        for (const std::string& name : option.names)
            out += fmt::format(" \\\n        {}", zsh_option(option, name));
    out +=
        " \\\n        '1:command:->command' \\\n        '*::word:->words'\n"
        "    case $state in\n"
        "        command) _describe command commands ;;\n"
        "        words) case $words[1] in\n";
    for (const Command& command : commands.subspan(1))
        out += zsh_command(command);
    return out +
           "        esac ;;\n"
           "    esac\n"
           "}\n\n"
           // Sourced, or loaded by its name.
           "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
           "    _railyard \"$@\"\n"
           "else\n"
           "    compdef _railyard railyard\n"
           "fi\n";
}

namespace {

// fish

std::string fish_values(const Values& values) {
    switch (values.kind) {
        case Values::Kind::anything:
            return " -x";
        case Values::Kind::words:
            return " -x -a " +
                   in_quotes(values.is_list
                                 ? fmt::format("(__railyard_list {})", fmt::join(values.words, " "))
                                 : fmt::format("{}", fmt::join(values.words, " ")));
        case Values::Kind::files:
            return " -r -F";
        case Values::Kind::directories:
            return " -x -a '(__fish_complete_directories)'";
    }
    return "";
}

std::string fish_option(const Option& option) {
    std::string out;
    for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.takes_value && !option.value_is_optional) out += fish_values(option.values);
    return out + " -d " + in_quotes(option.description, true);
}

}  // namespace

std::string fish(std::span<const Command> commands) {
    const std::string words = subcommand_words(commands);
    std::string out =
        "# Completion of railyard for fish, by `railyard completion fish`.\n\n"
        "# The items before the last comma stay as they are.\n"
        "function __railyard_list\n"
        "    set -l before (string match -r '.*,' -- (commandline -ct))\n"
        "    for word in $argv\n"
        "        echo $before$word\n"
        "    end\n"
        "end\n\n"
        "complete -c railyard -f\n";
    const std::string none = fmt::format("-n 'not __fish_seen_subcommand_from {}'", words);
    for (const Option& option : commands.front().options)
        out += fmt::format("complete -c railyard {}{}\n", none, fish_option(option));
    for (const Command& command : commands.subspan(1)) {
        out += fmt::format("complete -c railyard {} -a {} -d {}\n", none, command.name,
                           in_quotes(command.description, true));
        const std::string seen = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
        for (const Option& option : command.options)
            out += fmt::format("complete -c railyard {}{}\n", seen, fish_option(option));
        const Values& operands = command.operands;
        if (operands.kind == Values::Kind::files)
            out += fmt::format("complete -c railyard {} -F\n", seen);
        if (!operands.words.empty())
            out += fmt::format("complete -c railyard {} -a {}\n", seen,
                               in_quotes(fmt::format("{}", fmt::join(operands.words, " "))));
    }
    return out;
}

}  // namespace railyard::cli::completion
