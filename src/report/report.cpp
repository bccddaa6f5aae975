#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/quantity.hpp"
#include "report/sheet.hpp"
#include "report/table.hpp"

namespace railyard::report {

namespace {

using results::Row;
using Size = std::optional<std::int64_t>;

std::string size_text(Size size) {
    return size ? short_size(Bytes(static_cast<std::uint64_t>(*size))) : "-";
}

std::string ratio_text(double ours, double limit) {
    return limit == 0 ? "" : fmt::format("{:.2f}", ours / limit);
}

/// A rate that did not settle is marked, and the mark explained below the table.
constexpr const char* unsteady_mark = "?";
constexpr const char* unsteady_note =
    "\n?: not steady: longer runs still change it (docs/results-format.md)\n";

std::string value_text(const Row& row) {
    return short_number(row.value) + (row.steady ? "" : unsteady_mark);
}

std::string unsteady_notes(const Sheet& sheet) {
    const auto steady = [](const Row* row) { return row->steady; };
    return std::ranges::all_of(sheet.rows(), steady) ? "" : unsteady_note;
}

/// Results with one heading, by message size.
struct Column {
    std::vector<std::string> heading;
    std::map<Size, const Row*> cells;

    /// The names of the limits that bound its results.
    std::set<std::string> limits(const Limits& known) const {
        std::set<std::string> names;
        for (const auto& [size, row] : cells)
            if (const Limit* limit = known.of(*row)) names.insert(limit->metric);
        return names;
    }
};

std::vector<Column> columns(const Sheet& sheet) {
    std::vector<Column> out;
    for (const Row* row : sheet.rows()) {
        const auto heading = sheet.heading(*row);
        auto column = std::ranges::find(out, heading, &Column::heading);
        if (column == out.end()) column = out.insert(out.end(), {heading, {}});
        column->cells[message_bytes(*row)] = row;
    }
    return out;
}

/// Value, limit and ratio, the last two only in columns that have a limit at all.
void add_cells(std::vector<std::string>& line, const Column& column, Size size, bool limited,
               const Limits& limits) {
    const auto found = column.cells.find(size);
    const Row* row = found == column.cells.end() ? nullptr : found->second;
    line.push_back(row == nullptr ? "" : value_text(*row));
    if (!limited) return;
    const Limit* limit = row == nullptr ? nullptr : limits.of(*row);
    line.push_back(limit == nullptr ? "" : short_number(limit->value));
    line.push_back(limit == nullptr ? "" : ratio_text(row->value, limit->value));
}

/// So many results without a size stand side by side; more would not fit on a screen.
constexpr std::size_t most_across = 6;

/// A line a result, where none has a size.
std::string down(const Sheet& sheet) {
    Table table;
    for (const std::string& name : sheet.dimensions())
        table.add_column({name}, Align::left);
    table.add_column({"value"}, Align::point);
    for (const Row* row : sheet.rows()) {
        std::vector<std::string> line = sheet.values(*row);
        line.push_back(value_text(*row));
        table.add_row(std::move(line));
    }
    return fmt::format("{}\n\n{}{}", sheet.title(), table.text(), unsteady_notes(sheet));
}

/// Sizes down, what varies across.
std::string pivot(const Sheet& sheet, const Limits& limits) {
    const auto has_size = [](const Row* row) { return message_bytes(*row).has_value(); };
    if (sheet.rows().size() > most_across && std::ranges::none_of(sheet.rows(), has_size))
        return down(sheet);
    const std::vector<Column> found = columns(sheet);
    std::set<Size> sizes;
    for (const Column& column : found)
        for (const auto& [size, row] : column.cells)
            sizes.insert(size);
    const bool sized = sizes.size() > 1 || *sizes.begin() != std::nullopt;

    Table table;
    if (sized) table.add_column({"size"}, Align::right);
    std::set<std::string> notes;
    for (const Column& column : found) {
        table.add_column(column.heading, Align::point);
        const auto names = column.limits(limits);
        if (names.empty()) continue;
        table.add_column({"limit"}, Align::point);
        table.add_column({"ratio"}, Align::point);
        notes.insert(names.begin(), names.end());
    }
    for (const Size size : sizes) {
        std::vector<std::string> line;
        if (sized) line.push_back(size_text(size));
        for (const Column& column : found)
            add_cells(line, column, size, !column.limits(limits).empty(), limits);
        table.add_row(std::move(line));
    }
    std::string out = fmt::format("{}\n\n{}", sheet.title(), table.text());
    if (!notes.empty())
        out += fmt::format(
            "\nlimit: {}, measured on this machine with raw code; ratio: result / "
            "limit\n",
            fmt::join(notes, ", "));
    return out + unsteady_notes(sheet);
}

/// A line a row, with what is known of its distribution.
std::string listing(const Sheet& sheet, const Limits& limits) {
    const bool limited = std::ranges::any_of(
        sheet.rows(), [&](const Row* row) { return limits.of(*row) != nullptr; });
    Table table;
    table.add_column({"size"}, Align::right);
    for (const std::string& name : sheet.dimensions())
        table.add_column({name}, Align::left);
    for (const char* name : {"value", "p1", "p50", "p99", "spread"})
        table.add_column({name}, Align::point);
    table.add_column({"iterations"}, Align::right);
    if (limited) table.add_column({"limit"}, Align::point);
    if (limited) table.add_column({"ratio"}, Align::point);

    for (const Row* row : sheet.rows()) {
        const results::Statistics& s = row->statistics;
        std::vector<std::string> line{size_text(message_bytes(*row))};
        for (std::string& value : sheet.values(*row))
            line.push_back(std::move(value));
        line.push_back(value_text(*row));
        for (const double value : {s.p1, s.p50, s.p99})
            line.push_back(short_number(value));
        line.push_back(fmt::format("{:.1f}%", s.spread * 100));
        line.push_back(std::to_string(s.iterations));
        if (const Limit* limit = limits.of(*row)) {
            line.push_back(short_number(limit->value));
            line.push_back(ratio_text(row->value, limit->value));
        }
        table.add_row(std::move(line));
    }
    return fmt::format("{}\n\n{}{}", sheet.title(), table.text(), unsteady_notes(sheet));
}

}  // namespace

std::string tables(std::span<const Row> rows, const Options& options) {
    const Limits limits(rows);
    std::string out;
    for (const Sheet& sheet : sheets(rows)) {
        if (!out.empty()) out += '\n';
        out += options.statistics ? listing(sheet, limits) : pivot(sheet, limits);
    }
    return out;
}

std::string describe(const results::Machine& machine) {
    const double gib = static_cast<double>(machine.memory.count()) / (1ULL << 30);
    return fmt::format(
        "{}, {} cores ({} threads), {:.1f} GiB, {}, governor {}\nrailyard {} ({}), {}\n",
        machine.cpu, machine.cores, machine.threads, gib, machine.kernel, machine.governor,
        machine.version, machine.revision, machine.compiler);
}

std::string short_number(double value) {
    if (value == 0) return "0";
    const double magnitude = std::floor(std::log10(std::abs(value)));
    const double decimals = magnitude < 0 ? 2 - magnitude : 3 - magnitude;
    // Picoseconds are the finest that anything here is measured in.
    return fmt::format("{:.{}f}", value, static_cast<int>(std::clamp(decimals, 0.0, 6.0)));
}

}  // namespace railyard::report
