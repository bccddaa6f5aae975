#include "report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::report {

namespace {

using results::Parameters;
using results::Row;
namespace parameter = results::parameter;

struct Placed {
    const Row* row;
    Origin origin;  ///< without what only some know of
};

bool wanted(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
}

/// Rows of one experiment and unit, in the order in which these first occur.
using Sheets = std::vector<std::vector<Placed>>;

Sheets sheets_of(std::span<const CompareFile> files, const CompareFilter& filter) {
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    Sheets out;
    for (std::size_t file = 0; file < files.size(); ++file) {
        for (const Row& row : files[file].results.rows) {
            if (!wanted(filter.experiments, row.experiment)) continue;
            if (!wanted(filter.metrics, row.metric)) continue;
            const auto place = places.try_emplace({row.experiment, row.unit}, out.size()).first;
            if (place->second == out.size()) out.emplace_back();
            const auto mpi = row.parameters.find(parameter::mpi);
            out[place->second].push_back(
                {&row,
                 {.file = file,
                  .fabric = row.fabric,
                  .mpi = mpi == row.parameters.end() ? "" : results::to_string(mpi->second),
                  .other = {}}});
        }
    }
    return out;
}

template <class T>
std::size_t place_in(std::vector<T>& list, const T& item) {
    const auto found = std::ranges::find(list, item);
    if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
    list.push_back(item);
    return list.size() - 1;
}

/// The names of parameters that some of these columns know and others do not.
std::set<std::string> not_common(const std::vector<Placed>& rows) {
    std::vector<Origin> columns;
    std::vector<std::set<std::string>> known;
    std::set<std::string> all;
    for (const Placed& placed : rows) {
        const std::size_t column = place_in(columns, placed.origin);
        known.resize(columns.size());
        for (const auto& [name, value] : placed.row->parameters) {
            known[column].insert(name);
            all.insert(name);
        }
    }
    all.erase(parameter::mpi);
    std::erase_if(all, [&](const std::string& name) {
        return std::ranges::all_of(known, [&](const auto& names) { return names.contains(name); });
    });
    return all;
}

/// What a row is about, apart from where it comes from.
struct Subject {
    std::string metric;
    Parameters parameters;
    friend bool operator<(const Subject& a, const Subject& b) {
        return std::tie(a.metric, a.parameters) < std::tie(b.metric, b.parameters);
    }
};

/// What all columns agree in goes into the subjects, for a title to be made of.
void name_what_is_common(CompareTable& table) {
    const Origin& first = table.columns.front();
    const auto same = [&](auto part) {
        return std::ranges::all_of(table.columns,
                                   [&](const Origin& o) { return o.*part == first.*part; });
    };
    for (CompareLine& line : table.lines) {
        if (same(&Origin::fabric)) line.subject.fabric = first.fabric;
        if (same(&Origin::mpi) && !first.mpi.empty())
            line.subject.parameters[parameter::mpi] = first.mpi;
    }
}

CompareTable table_of(std::vector<Placed> rows) {
    const std::set<std::string> apart = not_common(rows);
    CompareTable table;
    std::map<Subject, std::size_t> places;
    for (Placed& placed : rows) {
        Subject subject{placed.row->metric, placed.row->parameters};
        subject.parameters.erase(parameter::mpi);
        for (const std::string& name : apart)
            if (auto node = subject.parameters.extract(name))
                placed.origin.other.insert(std::move(node));
        const std::size_t column = place_in(table.columns, placed.origin);
        const auto [place, is_new] = places.try_emplace(subject, table.lines.size());
        if (is_new)
            table.lines.push_back({.subject = {.experiment = placed.row->experiment,
                                               .fabric = "",
                                               .parameters = subject.parameters,
                                               .metric = subject.metric,
                                               .value = 0,
                                               .unit = placed.row->unit,
                                               .statistics = {}},
                                   .cells = {}});
        auto& cells = table.lines[place->second].cells;
        cells.resize(std::max(cells.size(), column + 1));
        cells[column].row = placed.row;
    }
    for (CompareLine& line : table.lines)
        line.cells.resize(table.columns.size());
    return table;
}

std::size_t filled(const CompareLine& line) {
    return static_cast<std::size_t>(
        std::ranges::count_if(line.cells, [](const Cell& cell) { return cell.row != nullptr; }));
}

/// Takes out lines and columns that nothing stands beside.
void set_apart(CompareTable& table, std::vector<std::vector<const Row*>>& alone) {
    std::erase_if(table.lines, [&](const CompareLine& line) {
        if (filled(line) > 1) return false;
        for (std::size_t i = 0; i < line.cells.size(); ++i)
            if (line.cells[i].row != nullptr)
                alone[table.columns[i].file].push_back(line.cells[i].row);
        return true;
    });
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        if (std::ranges::any_of(
                table.lines, [&](const CompareLine& line) { return line.cells[i].row != nullptr; }))
            continue;
        table.columns.erase(table.columns.begin() + at);
        for (CompareLine& line : table.lines)
            line.cells.erase(line.cells.begin() + at);
    }
}

void find_changes(CompareTable& table) {
    for (CompareLine& line : table.lines) {
        const Row* first = line.cells.front().row;
        if (first == nullptr) continue;
        for (Cell& cell : line.cells)
            if (cell.row != nullptr) cell.change = change(*first, *cell.row);
    }
}

[[noreturn]] void complain_of_nothing(std::span<const CompareFile> files) {
    std::string what;
    for (const CompareFile& file : files) {
        std::set<std::string> names;
        for (const Row& row : file.results.rows)
            names.insert(row.experiment);
        what += fmt::format("; {} has {}", file.path,
                            names.empty() ? "no rows" : fmt::format("{}", fmt::join(names, ", ")));
    }
    if (files.size() == 1)
        throw UsageError(fmt::format(
            "nothing to compare: one file was named, and no two results in it are of the same "
            "thing{}; name two files, before and after",
            what));
    throw UsageError(
        "nothing to compare: no two results are of the same experiment, metric and parameters" +
        what);
}

using results::Row;

double half_of_middle(const Row& row) {
    return row.statistics.spread * std::abs(row.statistics.p50) / 2;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

Comparison compare(std::span<const CompareFile> files, const CompareFilter& filter) {
    Comparison found;
    found.alone.resize(files.size());
    for (const std::vector<Placed>& sheet : sheets_of(files, filter)) {
        std::vector<Origin> origins;
        for (const Placed& placed : sheet)
            place_in(origins, placed.origin);
        for (const std::vector<Origin>& kin : kindred(origins)) {
            std::vector<Placed> rows;
            for (const Placed& placed : sheet)
                if (std::ranges::find(kin, placed.origin) != kin.end()) rows.push_back(placed);
            CompareTable table = table_of(std::move(rows));
            set_apart(table, found.alone);
            if (table.lines.empty()) continue;
            name_what_is_common(table);
            find_changes(table);
            found.tables.push_back(std::move(table));
        }
    }
    if (found.tables.empty()) complain_of_nothing(files);
    return found;
}

std::size_t count_worse(const Comparison& comparison, double share) {
    const bool one_file = comparison.alone.size() == 1;
    std::size_t count = 0;
    each_comparison(comparison,
                    [&](const CompareTable& table, const CompareLine& line, std::size_t i) {
                        if (!one_file && table.columns[i].file == table.columns[0].file) return;
                        if (line.cells[i].change != Change::worse) return;
                        if (relative_difference(*line.cells[0].row, *line.cells[i].row) > share)
                            ++count;
                    });
    return count;
}

Better better(const Row& row) {
    namespace unit = results::unit;
    namespace metric = results::metric;
    constexpr std::array less{unit::microseconds, unit::vis, unit::bytes};
    constexpr std::array more{unit::megabytes_per_second, unit::messages_per_second};
    // How much slower something becomes; and what use is made of what was paid for.
    constexpr std::array<std::string_view, 2> slowdowns{"latency_ratio_noreuse_to_reuse",
                                                        "latency_ratio_full_to_empty"};
    constexpr std::array uses{metric::cpu_share_before_bandwidth_drop,
                              metric::resource_utilization};
    if (is_one_of(row.unit, less) || is_one_of(row.metric, slowdowns)) return Better::lower;
    if (is_one_of(row.unit, more) || is_one_of(row.metric, uses)) return Better::higher;
    return Better::neither;
}

Change change(const Row& before, const Row& after) {
    const double difference = after.value - before.value;
    const double scatter = half_of_middle(before) + half_of_middle(after);
    const double least = least_difference * std::max(std::abs(before.value), std::abs(after.value));
    if (std::abs(difference) <= std::max(scatter, least)) return Change::none;
    const Better wanted = better(after);
    if (wanted == Better::neither) return Change::differs;
    return (difference < 0) == (wanted == Better::lower) ? Change::better : Change::worse;
}

double relative_difference(const Row& before, const Row& after) {
    const double difference = std::abs(after.value - before.value);
    if (difference == 0) return 0;
    if (before.value == 0) return std::numeric_limits<double>::infinity();
    return difference / std::abs(before.value);
}

const char* name(Change change) {
    switch (change) {
        case Change::none:
            return "";
        case Change::better:
            return "better";
        case Change::worse:
            return "worse";
        case Change::differs:
            return "differs";
    }
    return "";
}

}  // namespace railyard::report
