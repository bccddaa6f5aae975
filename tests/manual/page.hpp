#pragma once
/// A page of the manual as its tests see it: the fences in it, and what each has to do. In fences
/// of `sh` stand commands, in those of `console` commands behind "$ " with what they print, in
/// those with the name of a file what is in that file. Further words say how a fence is meant.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::manual {

/// What is between two lines of three backquotes.
struct Fence {
    std::size_t line = 0;  ///< of its first line, counted from 1
    std::string language;
    std::vector<std::string> words;
    std::vector<std::string> lines;

    bool has(std::string_view word) const;
    bool has_commands() const { return language == "sh" || language == "console"; }
    /// The name of the file that it shows, if it does.
    std::optional<std::string> file() const;
    /// The word that says why its commands cannot run in a test, or nothing.
    std::string not_run() const;
    /// What they print has numbers of the machine in it.
    bool varies() const { return has("varies"); }
};

/// A command of a `console` and what is shown of what it prints.
struct Step {
    std::string command;
    std::size_t first = 0;  ///< in Fence::lines, of the output
    std::vector<std::string> output;
};

std::vector<Fence> fences_of(const std::string& text);
/// Of a `console`.
std::vector<Step> steps_of(const Fence& fence);
/// Commands of a fence, each on one line, without comments.
std::vector<std::string> commands_of(const Fence& fence);

/// The words that a fence of commands may have, each with the reason why it is not run.
struct Reason {
    std::string_view word;
    std::string_view text;
};
const std::vector<Reason>& reasons();

/// Commands that stand outside of fences, where nobody would run them: "12: railyard fabrics".
std::vector<std::string> loose_commands(const std::string& text);

/// Whether these lines are what is shown. There a line "..." stands for any lines and "…" for any
/// part of one. Where numbers vary, all numbers are alike, and so are all spaces.
bool is_as_shown(const std::vector<std::string>& shown, const std::vector<std::string>& lines,
                 bool varies);
bool leaves_out(const std::vector<std::string>& shown);

std::vector<std::string> split_lines(std::string_view text);

}  // namespace railyard::manual
