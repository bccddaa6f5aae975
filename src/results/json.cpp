#include "results/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::results {

namespace {

/// JSON has no word for infinity or for what is not a number.
double finite(double value, const Row& row, const char* what) {
    if (!std::isfinite(value))
        throw Error(fmt::format("row of {} on {}: {}.{} is not a finite number", row.experiment,
                                row.fabric, row.metric, what));
    return value;
}

Json statistics_to_json(const Row& row) {
    const Statistics& s = row.statistics;
    return {{"median", finite(s.p50, row, "median")},
            {"p1", finite(s.p1, row, "p1")},
            {"p50", finite(s.p50, row, "p50")},
            {"p99", finite(s.p99, row, "p99")},
            {"mean", finite(s.mean, row, "mean")},
            {"min", finite(s.min, row, "min")},
            {"max", finite(s.max, row, "max")},
            {"spread", finite(s.spread, row, "spread")},
            {"iterations", s.iterations}};
}

Statistics read_statistics(const Reader& reader) {
    return {.p1 = reader.field("p1").number(),
            .p50 = reader.field("p50").number(),
            .p99 = reader.field("p99").number(),
            .mean = reader.field("mean").number(),
            .min = reader.field("min").number(),
            .max = reader.field("max").number(),
            .spread = reader.field("spread").number(),
            .iterations = reader.field("iterations").count()};
}

/// What programs that do not summarise themselves write in place of value and statistics.
Statistics summary_of(const Reader& reader) {
    std::vector<double> samples;
    for (const Reader& sample : reader.elements())
        samples.push_back(sample.number());
    if (samples.empty()) reader.complain("expected at least one number");
    const Statistics statistics = summarize(std::move(samples));
    if (!std::isfinite(statistics.spread)) reader.complain("they lie too far apart to be compared");
    return statistics;
}

}  // namespace

Json to_json_value(const Row& row) {
    Json parameters = Json::object();
    for (const auto& [name, value] : row.parameters)
        std::visit([&, &key = name](const auto& v) { parameters[key] = v; }, value);
    return {{"experiment", row.experiment},
            {"fabric", row.fabric},
            {"parameters", std::move(parameters)},
            {"metric", row.metric},
            {"value", finite(row.value, row, "value")},
            {"unit", row.unit},
            {"statistics", statistics_to_json(row)}};
}

Json to_json_value(const Machine& machine) {
    return {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"threads", machine.threads},
            {"l1d_bytes", machine.l1d.count()},
            {"l2_bytes", machine.l2.count()},
            {"l3_bytes", machine.l3.count()},
            {"memory_bytes", machine.memory.count()},
            {"kernel", machine.kernel},
            {"governor", machine.governor},
            {"version", machine.version},
            {"revision", machine.revision},
            {"compiler", machine.compiler},
            {"date", machine.date}};
}

Row read_row(const Reader& reader) {
    Row row;
    row.experiment = reader.field("experiment").text();
    row.fabric = reader.field("fabric").text();
    for (const auto& [name, value] : reader.field("parameters").members())
        row.parameters[name] = value.value();
    row.metric = reader.field("metric").text();
    row.unit = reader.field("unit").text();
    if (reader.has("samples")) {
        row.statistics = summary_of(reader.field("samples"));
        row.value = row.statistics.p50;
    } else {
        row.value = reader.field("value").number();
        row.statistics = read_statistics(reader.field("statistics"));
    }
    return row;
}

Machine read_machine(const Reader& reader) {
    return {.cpu = reader.field("cpu").text(),
            .cores = static_cast<unsigned>(reader.field("cores").count()),
            .threads = static_cast<unsigned>(reader.field("threads").count()),
            .l1d = Bytes(reader.field("l1d_bytes").count()),
            .l2 = Bytes(reader.field("l2_bytes").count()),
            .l3 = Bytes(reader.field("l3_bytes").count()),
            .memory = Bytes(reader.field("memory_bytes").count()),
            .kernel = reader.field("kernel").text(),
            .governor = reader.field("governor").text(),
            .version = reader.field("version").text(),
            .revision = reader.field("revision").text(),
            .compiler = reader.field("compiler").text(),
            .date = reader.field("date").text()};
}

}  // namespace railyard::results
