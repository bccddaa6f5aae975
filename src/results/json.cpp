#include "results/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "railyard/base/error.hpp"
#include "railyard/results/row.hpp"

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
    Json out{{"experiment", row.experiment},
             {"fabric", row.fabric},
             {"parameters", std::move(parameters)},
             {"metric", row.metric},
             {"value", finite(row.value, row, "value")},
             {"unit", row.unit},
             {"statistics", statistics_to_json(row)}};
    if (!row.steady) out["steady"] = false;
    return out;
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
    if (reader.has("steady")) row.steady = reader.field("steady").truth();
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

Reader::Reader(const Json& value, std::string file, std::string place)
    : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

Json Reader::parse(std::string_view text, const std::string& file) {
    try {
        return Json::parse(text);
    } catch (const Json::exception& error) {
        // Not parse_error alone: a number beyond all bounds is told as out_of_range.
        // The library's own words name the line and the column; its prefix is for programmers.
        std::string what = error.what();
        if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
        throw Error(fmt::format("{}: not JSON: {}", file, what));
    }
}

void Reader::complain(const std::string& what) const {
    if (place_.empty()) throw Error(fmt::format("{}: {}", file_, what));
    throw Error(fmt::format("{}: {}: {}", file_, place_, what));
}

void Reader::expected(const char* what) const {
    complain(fmt::format("expected {}, found {}", what, value_->type_name()));
}

Reader Reader::field(const char* name) const {
    if (!value_->is_object()) expected("an object");
    const std::string place = place_.empty() ? name : place_ + "." + name;
    const auto found = value_->find(name);
    if (found == value_->end()) Reader(*value_, file_, place).complain("missing");
    return {*found, file_, place};
}

bool Reader::has(const char* name) const {
    return value_->is_object() && value_->contains(name);
}

std::vector<Reader> Reader::elements() const {
    if (!value_->is_array()) expected("an array");
    std::vector<Reader> out;
    for (std::size_t i = 0; i < value_->size(); ++i)
        out.emplace_back((*value_)[i], file_, fmt::format("{}[{}]", place_, i));
    return out;
}

std::vector<std::pair<std::string, Reader>> Reader::members() const {
    if (!value_->is_object()) expected("an object");
    std::vector<std::pair<std::string, Reader>> out;
    for (const auto& [name, value] : value_->items())
        out.emplace_back(name, Reader(value, file_, place_ + "." + name));
    return out;
}

std::string Reader::text() const {
    if (!value_->is_string()) expected("a string");
    return value_->get<std::string>();
}

double Reader::number() const {
    if (!value_->is_number()) expected("a number");
    return value_->get<double>();
}

std::uint64_t Reader::count() const {
    if (!value_->is_number_unsigned()) expected("a whole number, not negative");
    return value_->get<std::uint64_t>();
}

bool Reader::truth() const {
    if (!value_->is_boolean()) expected("true or false");
    return value_->get<bool>();
}

Value Reader::value() const {
    if (value_->is_string()) return value_->get<std::string>();
    if (value_->is_number_unsigned() &&
        value_->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        complain("a whole number of more than 63 bits");
    if (value_->is_number_integer()) return value_->get<std::int64_t>();
    if (value_->is_number_float()) return value_->get<double>();
    expected("a number or a string");
}

std::string to_string(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
    return fmt::format("{}", std::get<double>(value));
}

std::string to_json_line(const Row& row) {
    return to_json_value(row).dump();
}

Row from_json_line(std::string_view line, std::string_view where) {
    const std::string file(where);
    const Json json = Reader::parse(line, file);
    return read_row(Reader(json, file));
}

}  // namespace railyard::results
