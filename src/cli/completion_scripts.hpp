#pragma once
/// What a command line consists of, and scripts by which shells complete it.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace railyard::cli::completion {

/// What may stand at a place.
struct Values {
    enum class Kind : std::uint8_t { anything, words, files, directories };
    Kind kind = Kind::anything;
    bool is_list = false;  ///< several, with commas between them
    std::vector<std::string> words{};
};

struct Option {
    std::vector<std::string> names{};  ///< "-n", "--ranks"
    std::string description{};
    std::string type{};  ///< of its value, as --help shows it
    bool takes_value = false;
    bool value_is_optional = false;
    Values values{};
};

struct Command {
    std::string name{};
    std::string description{};
    std::vector<Option> options{};
    Values operands{};
    bool runs_a_program = false;  ///< behind whose name all words are the program's
};

/// The first command is the program itself, and the others are its subcommands.
std::string bash(std::span<const Command> commands);
std::string zsh(std::span<const Command> commands);
std::string fish(std::span<const Command> commands);

}  // namespace railyard::cli::completion
