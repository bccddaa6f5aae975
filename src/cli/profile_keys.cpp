// `railyard fabrics --keys`: the reference of profiles, from the tables by which they are read.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/lists.hpp"
#include "launch/job/profile_keys.hpp"
#include "mpi/engine/profile_keys.hpp"

namespace railyard::cli {

namespace {

constexpr std::size_t columns = 4;
using Row = std::array<std::string, columns>;

/// What people see of it, as UTF-8 goes: the bytes that begin a character.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A table of Markdown that reads well as it is: columns as wide as their widest cell, but for the
/// last.
std::string table(const std::vector<Row>& rows) {
    std::array<std::size_t, columns> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i + 1 < columns; ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    std::string out;
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < columns; ++i)
            out += fmt::format(
                "| {}{} ", row[i],
                std::string(std::max(widths[i], width_of(row[i])) - width_of(row[i]), ' '));
        out += "|\n";
    }
    return out;
}

Row row_of(const fabric::ProfileKey& key, bool has_standards) {
    const std::string standard = key.required ? "required"
                                 : key.standard.empty() || !has_standards
                                     ? ""
                                     : "`" + key.standard + "`";
    return {"`" + key.name + "`", key.kind, standard, key.explanation};
}

std::string heading(const fabric::ProfileSection& section) {
    if (section.name.empty()) return "## Before all sections\n";
    std::string out = fmt::format("## [{}]\n\n", section.name);
    if (section.engines.empty())
        return out + fmt::format("Read by software above, {}. What is not set is its own choice.\n",
                                 section.explanation);
    std::string meaning = section.explanation;
    meaning.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(meaning.front())));
    return out + fmt::format("{}. Engine{} `{}`.\n", meaning, section.engines.size() > 1 ? "s" : "",
                             fmt::join(section.engines, "`, `"));
}

std::string text_of(const fabric::ProfileSection& section) {
    std::vector<Row> rows{{"key", "value", "default", "meaning"}, {"---", "---", "---", "---"}};
    for (const fabric::ProfileKey& key : section.keys)
        rows.push_back(row_of(key, !section.engines.empty() || section.name.empty()));
    return heading(section) + "\n" + table(rows);
}

}  // namespace

std::string profile_keys() {
    std::vector<fabric::ProfileSection> sections = job::profile_sections();
    mpi::explain(sections);
    std::string out =
        "# Keys of profiles\n\n"
        "Printed by `railyard fabrics --keys` from the tables by which profiles are read.\n"
        "[profiles.md](profiles.md) says how one is written.\n\n"
        "Times, sizes and rates are texts with a unit: `\"0.9 us\"`, `\"1 KiB\"`, `\"831 MB/s\"`; "
        "counts and shares are numbers.\n";
    for (const fabric::ProfileSection& section : sections)
        out += "\n" + text_of(section);
    return out;
}

}  // namespace railyard::cli
