#include "reproduce/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <set>
#include <string_view>

#include "railyard/base/error.hpp"
#include "results/json.hpp"

namespace railyard::reproduce {

namespace {

using results::Reader;

constexpr std::array<std::pair<std::string_view, Kind>, 5> kinds{{
    {"measurement", Kind::measurement},
    {"ratio", Kind::ratio},
    {"relation", Kind::relation},
    {"parameter", Kind::parameter},
    {"context", Kind::context},
}};

constexpr std::array<std::pair<std::string_view, Qualifier>, 6> qualifiers{{
    {"=", Qualifier::equal},
    {"~", Qualifier::about},
    {"<", Qualifier::less},
    {"<=", Qualifier::at_most},
    {">", Qualifier::more},
    {">=", Qualifier::at_least},
}};

template <class Names>
auto named(const Reader& reader, const Names& names) {
    const std::string text = reader.text();
    std::vector<std::string_view> known;
    for (const auto& [name, value] : names) {
        if (name == text) return value;
        known.push_back(name);
    }
    reader.complain(fmt::format("expected one of {}, found '{}'", fmt::join(known, ", "), text));
}

template <class Names, class Value>
std::string_view name_of(const Names& names, Value value) {
    for (const auto& [name, candidate] : names)
        if (candidate == value) return name;
    return "?";
}

results::Parameters parameters(const Reader& reader) {
    results::Parameters out;
    for (const auto& [name, value] : reader.members())
        out.emplace(name, value.value());
    return out;
}

std::pair<double, double> range(const Reader& reader) {
    const auto ends = reader.elements();
    if (ends.size() != 2) reader.complain("expected two numbers");
    return {ends[0].number(), ends[1].number()};
}

std::vector<std::string> texts(const Reader& reader) {
    std::vector<std::string> out;
    for (const Reader& element : reader.elements())
        out.push_back(element.text());
    return out;
}

/// A word of a check that is plain text.
std::string* text_member(Relation& relation, std::string_view name) {
    const std::array<std::pair<std::string_view, std::string*>, 10> members{{
        {"type", &relation.type},
        {"system", &relation.system},
        {"better", &relation.better},
        {"metric", &relation.metric},
        {"lhs", &relation.lhs},
        {"op", &relation.op},
        {"rhs", &relation.rhs},
        {"over", &relation.over},
        {"direction", &relation.direction},
        {"strength", &relation.strength},
    }};
    for (const auto& [candidate, member] : members)
        if (candidate == name) return member;
    return nullptr;
}

std::optional<double>* number_member(Relation& relation, std::string_view name) {
    const std::array<std::pair<std::string_view, std::optional<double>*>, 6> members{{
        {"tolerance_percent", &relation.tolerance_percent},
        {"value", &relation.value},
        {"low", &relation.low},
        {"high", &relation.high},
        {"after", &relation.after},
        {"queue", &relation.queue},
    }};
    for (const auto& [candidate, member] : members)
        if (candidate == name) return member;
    return nullptr;
}

Relation relation(const Reader& reader) {
    Relation out;
    for (const auto& [name, value] : reader.members()) {
        if (std::string* text = text_member(out, name)) {
            *text = value.text();
        } else if (std::optional<double>* number = number_member(out, name)) {
            *number = value.number();
        } else if (name == "order") {
            out.order = texts(value);
        } else if (name == "range") {
            out.range = range(value);
        } else if (name == "when") {
            out.when = parameters(value);
        } else if (name == "at") {
            if (const auto at = value.value(); std::holds_alternative<std::string>(at))
                out.at_name = std::get<std::string>(at);
            else
                out.at = value.number();
        } else if (out.type != "formula") {  // whose members are the formulas' own names
            value.complain("a check has no such member");
        }
    }
    if (out.type.empty()) reader.complain("type: missing");
    return out;
}

void read_member(Record& record, const std::string& name, const Reader& value) {
    if (name == "id")
        record.id = value.text();
    else if (name == "seed")
        record.seed = value.text();
    else if (name == "experiment")
        record.experiment = value.text();
    else if (name == "kind")
        record.kind = named(value, kinds);
    else if (name == "system")
        record.system = value.text();
    else if (name == "metric")
        record.metric = value.text();
    else if (name == "params")
        record.params = parameters(value);
    else if (name == "value")
        record.value = value.number();
    else if (name == "unit")
        record.unit = value.text();
    else if (name == "qualifier")
        record.qualifier = named(value, qualifiers);
    else if (name == "check")
        record.check = relation(value);
    else if (name == "where")
        record.where = value.text();
    else
        value.complain("a record has no such member");
}

Record record(const Reader& reader) {
    for (const char* needed : {"id", "seed", "experiment", "kind", "system", "metric", "params"})
        static_cast<void>(reader.field(needed));
    Record out;
    for (const auto& [name, value] : reader.members())
        read_member(out, name, value);
    if (out.id.empty()) reader.complain("id: empty");
    const bool number = out.kind == Kind::measurement || out.kind == Kind::ratio;
    if (number && !out.value) reader.complain("value: missing");
    return out;
}

}  // namespace

std::string_view name(Kind kind) {
    return name_of(kinds, kind);
}

std::string_view name(Qualifier qualifier) {
    return name_of(qualifiers, qualifier);
}

std::vector<Record> read_records(std::string_view text, const std::string& file) {
    const results::Json json = Reader::parse(text, file);
    std::vector<Record> out;
    std::set<std::string> ids;
    for (const Reader& element : Reader(json, file).elements()) {
        out.push_back(record(element));
        if (!ids.insert(out.back().id).second)
            element.complain(fmt::format("a second record '{}'", out.back().id));
    }
    return out;
}

const std::vector<Record>& papers() {
    static const std::vector<Record> records = read_records(papers_json(), "papers.json");
    return records;
}

std::optional<std::int64_t> number(const results::Parameters& parameters, const char* name) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return {};
    const auto* value = std::get_if<std::int64_t>(&found->second);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::string> word(const results::Parameters& parameters, const char* name) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return {};
    const auto* value = std::get_if<std::string>(&found->second);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

}  // namespace railyard::reproduce
