#include "results/results.hpp"

#include <fmt/format.h>

#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::results {

namespace {

/// Moves all lines but the first to the right.
std::string indented(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '\n') out += "  ";
    }
    return out;
}

}  // namespace

std::string to_json(const Results& results) {
    // One row a line: a thousand rows stay readable, and `diff` shows which ones changed.
    std::string rows;
    for (const Row& row : results.rows)
        rows += fmt::format("{}\n    {}", rows.empty() ? "" : ",", to_json_line(row));
    if (!rows.empty()) rows += "\n  ";
    return fmt::format("{{\n  \"schema\": {},\n  \"machine\": {},\n  \"rows\": [{}]\n}}\n", schema,
                       indented(to_json_value(results.machine).dump(2)), rows);
}

Results from_json(std::string_view text, std::string_view where) {
    const std::string file(where);
    const Json json = Reader::parse(text, file);
    const Reader root(json, file);

    const Reader version = root.field("schema");
    if (version.count() != schema)
        version.complain(
            fmt::format("{} is not known here (known: {}); use the version of "
                        "railyard that wrote the file, or a newer one",
                        version.count(), schema));
    Results results;
    results.machine = read_machine(root.field("machine"));
    for (const Reader& row : root.field("rows").elements())
        results.rows.push_back(read_row(row));
    return results;
}

Results read(const std::filesystem::path& path) {
    return from_json(read_file(path), path.string());
}

}  // namespace railyard::results
