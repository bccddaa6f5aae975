#include <fmt/format.h>

#include "report/compare_show.hpp"
#include "results/json.hpp"

namespace railyard::report {

namespace {

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
