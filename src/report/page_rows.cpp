#include "report/page_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "report/compare.hpp"
#include "report/sheet.hpp"

namespace railyard::report {

namespace {

using results::Row;

PageJson machine_json(const results::Machine& machine) {
    return PageJson::parse(results::to_json({.machine = machine, .rows = {}})).at("machine");
}

/// All but the date.
bool is_same(results::Machine a, const results::Machine& b) {
    a.date = b.date;
    return a == b;
}

PageJson json_of(const results::Value& value) {
    return std::visit([](const auto& of) { return PageJson(of); }, value);
}

PageJson json_of(const results::Parameters& parameters) {
    PageJson out = PageJson::object();
    for (const auto& [name, value] : parameters)
        out[name] = json_of(value);
    return out;
}

/// As many digits as anybody looks at. The results themselves are whole.
double rounded(double value) {
    // And so it stays if rounding goes beyond what a number can be.
    return parse_number<double>(fmt::format("{:.6g}", value)).value_or(value);
}

/// p1, p99, spread and samples; null for what is a point, as in virtual time.
PageJson distribution(const Row& row) {
    const results::Statistics& s = row.statistics;
    if (s.p1 == row.value && s.p99 == row.value) return nullptr;
    return PageJson::array({rounded(s.p1), rounded(s.p99), rounded(s.spread), s.iterations});
}

PageJson packed(const Row& row, const std::set<std::string>& names, std::size_t fabric) {
    PageJson out = PageJson::array({fabric});
    for (const std::string& name : names) {
        const auto found = row.parameters.find(name);
        out.push_back(found == row.parameters.end() ? PageJson(nullptr) : json_of(found->second));
    }
    out.push_back(row.value);
    PageJson samples = distribution(row);
    if (!samples.is_null() || !row.steady) out.push_back(std::move(samples));
    if (!row.steady) out.push_back(0);
    return out;
}

bool is_virtual(std::span<const PageInput::Fabric> fabrics, const std::string& name) {
    const auto found = std::ranges::find(fabrics, name, &PageInput::Fabric::name);
    return found != fabrics.end() && found->virtual_time;
}

std::vector<CompareFile> files_of(std::span<const PageInput::Source> sources) {
    std::vector<CompareFile> files;
    for (const PageInput::Source& source : sources)
        files.push_back({source.file, source.results});
    return files;
}

PageJson cell_json(const Cell& cell, const Row* first) {
    if (cell.row == nullptr) return nullptr;
    PageJson out{{"value", cell.row->value}};
    if (first == nullptr || first == cell.row) return out;
    if (first->value != 0) out["ratio"] = cell.row->value / first->value;
    if (cell.change != Change::none) out["change"] = name(cell.change);
    return out;
}

PageJson table_json(const CompareTable& table, std::span<const std::string> files) {
    PageJson out{{"experiment", table.lines.front().subject.experiment},
                 {"unit", table.lines.front().subject.unit},
                 {"columns", PageJson::array()},
                 {"lines", PageJson::array()}};
    for (const std::vector<std::string>& heading : headings(table.columns, files)) {
        std::string text;
        for (const std::string& part : heading)
            if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
        out["columns"].push_back(text);
    }
    for (const CompareLine& line : table.lines) {
        PageJson cells = PageJson::array();
        for (const Cell& cell : line.cells)
            cells.push_back(cell_json(cell, line.cells.front().row));
        out["lines"].push_back({{"metric", line.subject.metric},
                                {"parameters", json_of(line.subject.parameters)},
                                {"cells", std::move(cells)}});
    }
    return out;
}

/// The interconnects of which files of different machines say something of the same.
std::set<std::string> told_twice(std::span<const PageInput::Source> sources) {
    std::map<RowSubject, std::size_t> first;
    std::set<std::string> found;
    for (std::size_t i = 0; i < sources.size(); ++i)
        for (const Row& row : sources[i].results.rows) {
            const auto [place, is_new] = first.emplace(subject_of(row), i);
            if (!is_new &&
                !is_same(sources[place->second].results.machine, sources[i].results.machine))
                found.insert(row.fabric);
        }
    return found;
}

}  // namespace

PageJson sources_json(std::span<const PageInput::Source> sources) {
    PageJson out = PageJson::array();
    std::vector<const results::Machine*> told;
    for (const PageInput::Source& source : sources) {
        const auto same = std::ranges::find_if(told, [&](const results::Machine* machine) {
            return is_same(*machine, source.results.machine);
        });
        if (same != told.end()) {
            out[static_cast<std::size_t>(same - told.begin())]["files"].push_back(source.file);
            continue;
        }
        told.push_back(&source.results.machine);
        out.push_back({{"files", PageJson::array({source.file})},
                       {"machine", machine_json(source.results.machine)}});
    }
    return out;
}

void tell_machines_apart(std::vector<PageInput::Source>& sources,
                         std::vector<PageInput::Fabric>& fabrics) {
    std::set<std::string> twice = told_twice(sources);
    std::erase_if(twice, [&](const std::string& name) { return is_virtual(fabrics, name); });
    if (twice.empty()) return;
    const std::vector<std::string> files = short_names(files_of(sources));
    for (std::size_t i = 0; i < sources.size(); ++i)
        for (Row& row : sources[i].results.rows) {
            if (!twice.contains(row.fabric)) continue;
            const auto known = std::ranges::find(fabrics, row.fabric, &PageInput::Fabric::name);
            const std::string name = fmt::format("{} ({})", row.fabric, files[i]);
            if (known != fabrics.end() &&
                std::ranges::find(fabrics, name, &PageInput::Fabric::name) == fabrics.end())
                fabrics.push_back({name, known->virtual_time, known->description});
            row.fabric = name;
        }
}

PageJson sheets_json(std::span<const Row> rows, std::vector<std::string>& fabrics) {
    using Key = std::tuple<std::string, std::string, std::string>;
    std::vector<std::pair<Key, std::vector<const Row*>>> sheets;
    std::map<Key, std::size_t> places;
    std::map<std::string, std::size_t> numbers;
    for (const Row& row : rows) {
        const Key key{row.experiment, row.metric, row.unit};
        const auto [place, is_new] = places.emplace(key, sheets.size());
        if (is_new) sheets.emplace_back(key, std::vector<const Row*>());
        sheets[place->second].second.push_back(&row);
        if (numbers.emplace(row.fabric, fabrics.size()).second) fabrics.push_back(row.fabric);
    }
    PageJson out = PageJson::array();
    for (const auto& [key, own] : sheets) {
        std::set<std::string> names;
        for (const Row* row : own)
            for (const auto& [name, value] : row->parameters)
                names.insert(name);
        PageJson sheet{{"experiment", std::get<0>(key)},
                       {"metric", std::get<1>(key)},
                       {"unit", std::get<2>(key)},
                       {"names", names},
                       {"rows", PageJson::array()}};
        for (const Row* row : own)
            sheet["rows"].push_back(packed(*row, names, numbers.at(row->fabric)));
        out.push_back(std::move(sheet));
    }
    return out;
}

PageJson limits_json(std::span<const PageInput::Source> sources,
                     std::span<const PageInput::Fabric> fabrics) {
    PageJson out = PageJson::array();
    std::vector<bool> done(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (done[i]) continue;
        std::vector<Row> rows;
        for (std::size_t j = i; j < sources.size(); ++j) {
            if (!is_same(sources[i].results.machine, sources[j].results.machine)) continue;
            done[j] = true;
            rows = merged(std::move(rows), sources[j].results.rows);
        }
        const Limits limits(rows);
        for (const Row& row : rows) {
            if (is_virtual(fabrics, row.fabric)) continue;
            if (const Limit* limit = limits.of(row))
                out.push_back({{"experiment", row.experiment},
                               {"fabric", row.fabric},
                               {"parameters", json_of(row.parameters)},
                               {"metric", row.metric},
                               {"unit", row.unit},
                               {"value", row.value},
                               {"limit", limit->value},
                               {"of", limit->metric}});
        }
    }
    return out;
}

PageJson comparison_json(std::span<const PageInput::Source> sources,
                         std::span<const PageInput::Fabric> fabrics) {
    PageJson out = PageJson::array();
    if (sources.size() < 2) return out;
    std::vector<CompareFile> files = files_of(sources);
    std::map<RowSubject, std::set<double>> told;
    for (const CompareFile& file : files)
        for (const Row& row : file.results.rows)
            told[subject_of(row)].insert(row.value);
    for (CompareFile& file : files)
        std::erase_if(file.results.rows, [&](const Row& row) {
            return row.experiment == limits_experiment ||
                   (is_virtual(fabrics, row.fabric) && told.at(subject_of(row)).size() < 2);
        });
    Comparison found;
    try {
        found = compare(files);
    } catch (const UsageError&) {
        return out;  // nothing stands beside anything
    }
    const std::vector<std::string> names = short_names(files);
    for (const CompareTable& table : found.tables) {
        const auto is_first = [&](const Origin& one) {
            return one.file == table.columns.front().file;
        };
        if (!std::ranges::all_of(table.columns, is_first)) out.push_back(table_json(table, names));
    }
    return out;
}

}  // namespace railyard::report
