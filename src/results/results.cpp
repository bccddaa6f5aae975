#include "railyard/results/results.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <set>
#include <string_view>
#include <vector>

#include "base/topology.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::results {

namespace {

std::string or_unknown(std::string text) {
    return text.empty() ? "unknown" : text;
}

std::string kernel() {
    utsname name{};
    if (::uname(&name) != 0) return "unknown";
    return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

/// The frequency governor of all cores; several, if they differ. Virtual machines have none.
std::string governor() {
    std::set<std::string> governors;
    for (const int core : allowed_cores()) {
        std::ifstream file(
            fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", core));
        if (std::string word; file >> word) governors.insert(word);
    }
    return or_unknown(fmt::format("{}", fmt::join(governors, ", ")));
}

std::string now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

// Both are set by the build; cmake/revision.cmake asks git for the second.
std::string_view version() {
    return RAILYARD_VERSION;
}
std::string_view revision() {
    return RAILYARD_REVISION;
}

std::string compiler() {
#ifdef __clang__
    std::string name = fmt::format("Clang {}", __clang_version__);
#else
    std::string name = fmt::format("GCC {}", __VERSION__);
#endif
#ifdef __OPTIMIZE__
    name += ", optimized";
#else
    name += ", not optimized";
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    name += ", with sanitizers";
#endif
    return name;
}

Machine this_machine() {
    const railyard::Machine& facts = railyard::machine();
    return {.cpu = or_unknown(facts.cpu),
            .cores = static_cast<unsigned>(facts.cores),
            .threads = static_cast<unsigned>(facts.threads),
            .l1d = facts.l1d,
            .l2 = facts.l2,
            .l3 = facts.l3,
            .memory = facts.memory,
            .kernel = kernel(),
            .governor = governor(),
            .version = std::string(version()),
            .revision = std::string(revision()),
            .compiler = compiler(),
            .date = now()};
}

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

std::string csv_field(std::string_view field) {
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
    std::string out = "\"";
    for (const char c : field) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string line(const std::vector<std::string>& fields) {
    std::string out;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) out += ',';
        out += csv_field(fields[i]);
    }
    return out + "\r\n";
}

// The shortest text that reads back as the same number.
std::string number(double value) {
    return fmt::format("{}", value);
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

std::string to_csv(std::span<const Row> rows) {
    std::set<std::string> names;
    for (const Row& row : rows)
        for (const auto& [name, value] : row.parameters)
            names.insert(name);

    std::vector<std::string> fields{"experiment", "fabric"};
    fields.insert(fields.end(), names.begin(), names.end());
    for (const char* name : {"metric", "value", "unit", "p1", "p50", "p99", "mean", "min", "max",
                             "spread", "iterations", "steady"})
        fields.emplace_back(name);
    std::string out = line(fields);

    for (const Row& row : rows) {
        fields = {row.experiment, row.fabric};
        for (const std::string& name : names) {
            const auto found = row.parameters.find(name);
            fields.push_back(found == row.parameters.end() ? "" : to_string(found->second));
        }
        const Statistics& s = row.statistics;
        fields.insert(fields.end(), {row.metric, number(row.value), row.unit});
        for (const double value : {s.p1, s.p50, s.p99, s.mean, s.min, s.max, s.spread})
            fields.push_back(number(value));
        fields.push_back(std::to_string(s.iterations));
        fields.emplace_back(row.steady ? "yes" : "no");
        out += line(fields);
    }
    return out;
}

}  // namespace railyard::results
