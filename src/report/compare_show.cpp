#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "report/compare.hpp"
#include "report/report.hpp"
#include "report/sheet.hpp"
#include "report/table.hpp"
#include "results/json.hpp"

namespace railyard::report {

namespace {

using Group = std::vector<Origin>;
using Alike = std::function<bool(const Origin&, const Origin&)>;

/// Puts together what is alike.
std::vector<Group> grouped(std::span<const Origin> origins, const Alike& alike) {
    std::vector<Group> groups;
    for (const Origin& origin : origins) {
        const auto group =
            std::ranges::find_if(groups, [&](const Group& g) { return alike(g.front(), origin); });
        if (group == groups.end())
            groups.push_back({origin});
        else
            group->push_back(origin);
    }
    return groups;
}

/// The last `parts` parts of a path, without the ending ".json".
std::string ending(const std::filesystem::path& path, std::size_t parts) {
    const std::vector<std::filesystem::path> all(path.begin(), path.end());
    std::filesystem::path out;
    for (std::size_t i = all.size() - std::min(parts, all.size()); i < all.size(); ++i)
        out /= all[i];
    if (out.extension() == ".json" && out.stem() != "") out.replace_extension();
    return out.string();
}

template <class Items>
bool all_differ(const Items& items) {
    return std::set(items.begin(), items.end()).size() == items.size();
}

template <class Part>
bool varies(std::span<const Origin> columns, Part part) {
    return std::ranges::any_of(columns, [&](const Origin& o) {
        return std::invoke(part, o) != std::invoke(part, columns[0]);
    });
}

}  // namespace

std::vector<std::vector<Origin>> kindred(std::span<const Origin> origins) {
    const Alike same_fabric = [](const Origin& a, const Origin& b) { return a.fabric == b.fabric; };
    const Alike same = [](const Origin& a, const Origin& b) {
        return a.fabric == b.fabric && a.mpi == b.mpi;
    };
    std::vector<Group> found;
    Group rest;
    for (Group& group : grouped(origins, same))
        if (group.size() > 1)
            found.push_back(std::move(group));
        else
            rest.push_back(std::move(group.front()));

    Group left;
    for (Group& group : grouped(rest, same_fabric)) {
        const auto known = std::ranges::find_if(
            found, [&](const Group& g) { return same_fabric(g.front(), group.front()); });
        if (known != found.end())
            known->insert(known->end(), group.begin(), group.end());
        else if (group.size() > 1)
            found.push_back(std::move(group));
        else
            left.push_back(std::move(group.front()));
    }
    if (left.size() == 1 && !found.empty())
        found.front().push_back(std::move(left.front()));
    else if (!left.empty())
        found.push_back(std::move(left));
    return found;
}

std::vector<std::string> short_names(std::span<const CompareFile> files) {
    std::vector<std::string> names;
    constexpr std::size_t most_parts = 8;
    for (std::size_t parts = 1; parts <= most_parts; ++parts) {
        names.clear();
        for (const CompareFile& file : files)
            names.push_back(ending(file.path, parts));
        if (all_differ(names)) return names;
    }
    for (std::size_t i = 0; i < files.size(); ++i)
        names[i] = fmt::format("{} ({})", files[i].path, i + 1);
    return names;
}

std::vector<std::vector<std::string>> headings(std::span<const Origin> columns,
                                               std::span<const std::string> files) {
    const bool fabric = varies(columns, &Origin::fabric);
    const bool mpi = varies(columns, &Origin::mpi);
    std::vector<std::vector<std::string>> out;
    for (const Origin& column : columns) {
        std::vector<std::string> lines;
        if (fabric) lines.push_back(column.fabric);
        if (mpi && !column.mpi.empty()) lines.push_back(column.mpi);
        for (const auto& [name, value] : column.other)
            lines.push_back(fmt::format("{} {}", name, results::to_string(value)));
        out.push_back(std::move(lines));
    }
    const bool told =
        all_differ(out) && std::ranges::none_of(out, &std::vector<std::string>::empty);
    if (!told)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].insert(out[i].begin(), files[columns[i].file]);
    return out;
}

namespace {

using results::Row;

std::string ratio(const Row& first, const Row& other) {
    return first.value == 0 ? "" : fmt::format("{:.3f}", other.value / first.value);
}

std::string size_text(const Row& row) {
    const auto size = message_bytes(row);
    return size ? short_size(Bytes(static_cast<std::uint64_t>(*size))) : "-";
}

bool has_difference(const CompareLine& line) {
    return std::ranges::any_of(line.cells,
                               [](const Cell& cell) { return cell.change != Change::none; });
}

std::vector<std::string> cells(const CompareLine& line) {
    std::vector<std::string> out;
    const Row* first = line.cells.front().row;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
        const Row* row = line.cells[i].row;
        out.push_back(row == nullptr ? "" : short_number(row->value));
        if (i == 0) continue;
        out.push_back(row == nullptr || first == nullptr ? "" : ratio(*first, *row));
        out.emplace_back(name(line.cells[i].change));
    }
    return out;
}

std::string text(const CompareTable& table, std::span<const CompareLine* const> lines,
                 std::span<const std::string> files) {
    std::vector<const Row*> subjects;
    for (const CompareLine* line : lines)
        subjects.push_back(&line->subject);
    const Sheet sheet(std::move(subjects));
    const bool sized = std::ranges::any_of(
        sheet.rows(), [](const Row* row) { return message_bytes(*row).has_value(); });

    Table out;
    if (sized) out.add_column({"size"}, Align::right);
    for (const std::string& name : sheet.dimensions())
        out.add_column({name}, Align::left);
    const auto names = headings(table.columns, files);
    for (std::size_t i = 0; i < names.size(); ++i) {
        out.add_column(names[i], Align::point);
        if (i == 0) continue;
        out.add_column({"ratio"}, Align::point);
        out.add_column({""}, Align::left);
    }
    for (const CompareLine* line : lines) {
        std::vector<std::string> row;
        if (sized) row.push_back(size_text(line->subject));
        std::ranges::move(sheet.values(line->subject), std::back_inserter(row));
        std::ranges::move(cells(*line), std::back_inserter(row));
        out.add_row(std::move(row));
    }
    return fmt::format("{}\n\n{}", sheet.title(), out.text());
}

std::string counted(std::size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// The texts whose second parts are known, joined; other programs than ours cannot tell all of it.
std::string known(const std::vector<std::pair<std::string, std::string>>& parts,
                  std::string_view between) {
    std::vector<std::string> texts;
    for (const auto& [text, value] : parts)
        if (!value.empty() && value != "unknown") texts.push_back(text);
    return fmt::format("{}", fmt::join(texts, between));
}

/// "10 rows: latency-uni 8, limits 2".
std::string by_experiment(const std::vector<const Row*>& rows) {
    std::map<std::string, std::size_t> counts;
    for (const Row* row : rows)
        ++counts[row->experiment];
    std::vector<std::string> parts;
    for (const auto& [name, count] : counts)
        parts.push_back(fmt::format("{} {}", name, count));
    return fmt::format("{}: {}", counted(rows.size(), "row"), fmt::join(parts, ", "));
}

using results::Json;
using results::Row;

constexpr int compare_schema = 1;

Json parameters_json(const Row& row) {
    return results::to_json_value(row).at("parameters");
}

Json side(const Row& row, const Origin& origin) {
    Json out{{"file", origin.file}, {"fabric", row.fabric}};
    out["parameters"] = parameters_json(row);
    out["value"] = row.value;
    out["spread"] = row.statistics.spread;
    return out;
}

template <class Items>
std::string lines(const Items& items) {
    std::string out;
    for (const Json& item : items)
        out += fmt::format("{}\n    {}", out.empty() ? "" : ",", item.dump());
    return out.empty() ? "[]" : "[" + out + "\n  ]";
}

std::string_view word(Change change) {
    return change == Change::none ? "same" : name(change);
}

}  // namespace

std::string file_table(std::span<const CompareFile> files) {
    const std::vector<std::string> names = short_names(files);
    Table table;
    for (const char* header : {"file", "measured", "by", "on"})
        table.add_column({header}, Align::left);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const results::Machine& machine = files[i].results.machine;
        const std::string cores = machine.cores == 0 ? "" : counted(machine.cores, "core");
        table.add_row(
            {names[i], machine.date,
             known({{"railyard " + machine.version, machine.version},
                    {"(" + machine.revision + ")", machine.revision}},
                   " "),
             known({{machine.cpu, machine.cpu}, {cores, cores}, {machine.kernel, machine.kernel}},
                   ", ")});
    }
    return table.text();
}

std::string compare_tables(const Comparison& comparison, std::span<const CompareFile> files,
                           bool differences_only) {
    const std::vector<std::string> names = short_names(files);
    std::string out;
    for (const CompareTable& table : comparison.tables) {
        std::vector<const CompareLine*> lines;
        for (const CompareLine& line : table.lines)
            if (!differences_only || has_difference(line)) lines.push_back(&line);
        if (lines.empty()) continue;
        if (!out.empty()) out += '\n';
        out += text(table, lines, names);
    }
    return out;
}

std::string compare_summary(const Comparison& comparison, std::span<const CompareFile> files) {
    std::map<Change, std::size_t> counts;
    std::size_t all = 0;
    each_comparison(comparison, [&](const CompareTable&, const CompareLine& line, std::size_t i) {
        ++counts[line.cells[i].change];
        ++all;
    });
    std::string out = counted(all, "comparison") + ": ";
    for (const Change change : {Change::better, Change::worse, Change::differs})
        if (const std::size_t n = counts[change]; n != 0 || change != Change::differs)
            out += fmt::format("{} {}, ", n, name(change));
    out += fmt::format("{} within the spread\n", counts[Change::none]);
    for (std::size_t i = 0; i < files.size(); ++i)
        if (!comparison.alone[i].empty())
            out += fmt::format("nothing to compare with, in {}: {}\n", files[i].path,
                               by_experiment(comparison.alone[i]));
    return out;
}

std::string compare_json(const Comparison& comparison, std::span<const CompareFile> files) {
    std::vector<Json> names, compared, alone;
    for (const CompareFile& file : files)
        names.push_back(
            {{"path", file.path}, {"machine", results::to_json_value(file.results.machine)}});
    each_comparison(comparison,
                    [&](const CompareTable& table, const CompareLine& line, std::size_t i) {
                        const Row& first = *line.cells[0].row;
                        const Row& other = *line.cells[i].row;
                        Json out{{"experiment", line.subject.experiment},
                                 {"metric", line.subject.metric},
                                 {"unit", line.subject.unit},
                                 {"parameters", parameters_json(line.subject)},
                                 {"first", side(first, table.columns[0])},
                                 {"other", side(other, table.columns[i])}};
                        if (first.value != 0) out["ratio"] = other.value / first.value;
                        out["verdict"] = word(line.cells[i].change);
                        compared.push_back(std::move(out));
                    });
    for (std::size_t i = 0; i < comparison.alone.size(); ++i)
        for (const Row* row : comparison.alone[i])
            alone.push_back({{"file", i}, {"row", results::to_json_value(*row)}});
    return fmt::format(
        "{{\n  \"schema\": {},\n  \"files\": {},\n  \"comparisons\": {},\n  \"alone\": {}\n}}\n",
        compare_schema, lines(names), lines(compared), lines(alone));
}

}  // namespace railyard::report
