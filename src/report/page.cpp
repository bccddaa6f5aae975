#include "report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::report {

namespace {

using PageJson = nlohmann::ordered_json;

/// An experiment and a metric of it.
using Measured = std::pair<std::string, std::string>;

/// One record of a document, which knows its place for complaints.
class Record {
  public:
    Record(const PageJson& value, const std::string& file, std::string place)
        : value_(value), file_(file), place_(std::move(place)) {
        if (!value_.is_object()) complain("expected an object");
    }

    bool has(const char* name) const {
        const auto found = value_.find(name);
        return found != value_.end() && !found->is_null();
    }
    const PageJson& field(const char* name) const {
        if (!has(name)) complain(fmt::format("{} is missing", name));
        return value_.at(name);
    }
    std::string text(const char* name) const {
        if (!field(name).is_string()) complain(fmt::format("{}: expected a string", name));
        return field(name).get<std::string>();
    }
    const PageJson& object(const char* name) const {
        if (!field(name).is_object()) complain(fmt::format("{}: expected an object", name));
        return field(name);
    }
    /// Copies fields of one type; those that are not there are left out.
    template <std::size_t N>
    void copy(const std::array<const char*, N>& names, PageJson::value_t type,
              PageJson& out) const {
        for (const char* name : names) {
            if (!has(name)) continue;
            const PageJson& value = field(name);
            const bool fits = type == PageJson::value_t::string    ? value.is_string()
                              : type == PageJson::value_t::boolean ? value.is_boolean()
                                                                   : value.is_number();
            if (!fits)
                complain(fmt::format("{}: expected a {}, found {}", name,
                                     PageJson(type).type_name(), value.type_name()));
            out[name] = field(name);
        }
    }
    [[noreturn]] void complain(const std::string& what) const {
        throw Error(fmt::format("{}: {}: {}", file_, place_, what));
    }

  private:
    const PageJson& value_;
    const std::string& file_;
    std::string place_;
};

PageJson parse(const PageInput::Document& document) {
    try {
        return PageJson::parse(document.text);
    } catch (const PageJson::exception& error) {
        // The library's own words name the line and the column; its prefix is for programmers.
        std::string what = error.what();
        if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
        throw Error(fmt::format("{}: not JSON: {}", document.file, what));
    }
}

/// The elements of an array of the document, each with its place.
std::vector<std::pair<std::string, const PageJson&>> elements(const Record& root,
                                                              const char* name) {
    const PageJson& list = root.field(name);
    if (!list.is_array()) root.complain(fmt::format("{}: expected an array", name));
    std::vector<std::pair<std::string, const PageJson&>> out;
    for (std::size_t i = 0; i < list.size(); ++i)
        out.emplace_back(fmt::format("{}[{}]", name, i), list[i]);
    return out;
}

/// Of records that nobody could check; the line with the counts tells how many there are.
constexpr std::string_view not_run = "not-run";

/// The unit of the papers' factors.
constexpr std::string_view factor = "x";

constexpr auto text_type = PageJson::value_t::string;
constexpr auto number_type = PageJson::value_t::number_float;
constexpr auto flag_type = PageJson::value_t::boolean;

PageJson published_value(const Record& record) {
    constexpr std::array needed{"id", "seed", "experiment", "kind", "system", "metric"};
    constexpr std::array optional{"unit", "qualifier", "where"};
    for (const char* name : needed)
        record.text(name);
    PageJson out;
    record.copy(needed, text_type, out);
    out["params"] = record.object("params");
    record.copy(std::array{"value"}, number_type, out);
    record.copy(optional, text_type, out);
    if (out.contains("unit") && out["unit"] == factor) out["unit"] = results::unit::ratio;
    return out;
}

/// Relations and parameters are no points of a plot, nor are gains in percent.
bool is_value(const Record& record) {
    const std::string kind = record.text("kind");
    if (!record.has("value")) return false;
    return kind == "measurement" ||
           (kind == "ratio" && record.has("unit") && record.text("unit") == factor);
}

// What the page shows beside rows: the papers' values, and the verdicts of `railyard reproduce`.
// Both come as JSON files, and only what the page needs of them is let through.

/// The values that papers published of these: an array, empty if there is no document. Factors are
/// among them, in the unit that rows have for ratios.
PageJson published_values(const PageInput::Document& papers, const std::set<Measured>& measured) {
    PageJson out = PageJson::array();
    if (papers.text.empty()) return out;
    const PageJson all = parse(papers);
    if (!all.is_array()) throw Error(fmt::format("{}: expected an array of records", papers.file));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Record record(all[i], papers.file, fmt::format("[{}]", i));
        if (!is_value(record)) continue;
        PageJson value = published_value(record);
        if (measured.contains({record.text("experiment"), record.text("metric")}))
            out.push_back(std::move(value));
    }
    return out;
}

/// What a number does that is a tenth smaller, or larger.
PageJson effect(const Record& record, const std::string& file, const std::string& place) {
    PageJson out;
    record.copy(std::array{"value", "failure", "record"}, text_type, out);
    record.copy(std::array{"largest"}, number_type, out);
    record.copy(std::array{"moved"}, flag_type, out);
    out["flips"] = PageJson::array();
    if (!record.has("flips")) return out;
    for (const auto& [at, value] : elements(record, "flips")) {
        const Record flip(value, file, place + "." + at);
        flip.text("id");
        PageJson one;
        flip.copy(std::array{"id", "before", "after"}, text_type, one);
        out["flips"].push_back(std::move(one));
    }
    return out;
}

/// Which verdicts hang on which numbers.
PageJson sensitivities(const Record& root, const std::string& file) {
    PageJson out = PageJson::array();
    for (const auto& [place, value] : elements(root, "sensitivity")) {
        const Record record(value, file, place);
        PageJson one;
        for (const char* name : {"profile", "key", "value", "evidence"})
            one[name] = record.text(name);
        for (const char* name : {"less", "more"})
            one[name] = effect(Record(record.object(name), file, place), file, place);
        out.push_back(std::move(one));
    }
    return out;
}

/// The records that were checked, the line with the counts, and what hangs on which number if that
/// was asked for: an object, or null if there is no document.
PageJson verdicts(const PageInput::Document& document) {
    if (document.text.empty()) return nullptr;
    constexpr std::array words{"id",        "verdict", "paper",  "where",     "experiment",
                               "system",    "fabric",  "unit",   "qualifier", "basis",
                               "statement", "numbers", "reason", "class"};
    constexpr std::array numbers{"published", "ours", "difference", "margin", "published_margin"};
    const PageJson all = parse(document);
    const Record root(all, document.file, "the file");
    PageJson records = PageJson::array();
    for (const auto& [place, value] : elements(root, "records")) {
        const Record record(value, document.file, place);
        record.text("id");
        if (record.text("verdict") == not_run) continue;
        PageJson out;
        record.copy(words, text_type, out);
        record.copy(numbers, number_type, out);
        record.copy(std::array{"vacuous", "steady"}, flag_type, out);
        if (record.has("place")) out["place"] = record.object("place");
        records.push_back(std::move(out));
    }
    PageJson out{{"records", std::move(records)}};
    root.copy(std::array{"summary"}, text_type, out);
    if (root.has("sensitivity")) out["sensitivity"] = sensitivities(root, document.file);
    return out;
}

/// The rows that the verdicts rest on; none if there is no document.
std::vector<results::Row> verdict_rows(const PageInput::Document& document) {
    std::vector<results::Row> rows;
    if (document.text.empty()) return rows;
    const PageJson all = parse(document);
    const Record root(all, document.file, "the file");
    if (!root.has("rows")) return rows;
    for (const auto& [place, value] : elements(root, "rows"))
        rows.push_back(
            results::from_json_line(value.dump(), fmt::format("{}: {}", document.file, place)));
    return rows;
}

using results::Row;

/// What a row is about, as opposed to what came out.
using RowSubject =
    std::tuple<std::string, std::string, results::Parameters, std::string, std::string>;

RowSubject subject(const Row& row) {
    return {row.experiment, row.fabric, row.parameters, row.metric, row.unit};
}

PageJson machine_json(const results::Machine& machine) {
    return PageJson::parse(results::to_json({.machine = machine, .rows = {}})).at("machine");
}

/// Files of one machine and build are told together: they differ in their date, if at all.
PageJson sources_json(std::span<const PageInput::Source> sources) {
    PageJson out = PageJson::array();
    for (const PageInput::Source& source : sources) {
        PageJson machine = machine_json(source.results.machine);
        bool told = false;
        for (PageJson& known : out) {
            PageJson same = known.at("machine");
            same["date"] = machine.at("date");
            if (same != machine) continue;
            known["files"].push_back(source.file);
            told = true;
            break;
        }
        if (!told) out.push_back({{"files", PageJson::array({source.file})}, {"machine", machine}});
    }
    return out;
}

/// As many digits as anybody looks at: there may be thousands of rows.
double rounded(double value) {
    // And so it stays if rounding goes beyond what a number can be.
    return parse_number<double>(fmt::format("{:.6g}", value)).value_or(value);
}

/// No more of a distribution than the page shows, and nothing of one that is a point, as in virtual
/// time.
PageJson rows_json(const std::vector<Row>& rows) {
    PageJson out = PageJson::array();
    for (const Row& row : rows) {
        PageJson json = PageJson::parse(results::to_json_line(row));
        const results::Statistics& s = row.statistics;
        json["value"] = rounded(row.value);
        const std::array extremes{rounded(s.p1), rounded(s.p99)};
        if (extremes == std::array{rounded(row.value), rounded(row.value)})
            json.erase("statistics");
        else
            json["statistics"] = {{"p1", extremes[0]},
                                  {"p99", extremes[1]},
                                  {"spread", rounded(s.spread)},
                                  {"iterations", s.iterations}};
        out.push_back(std::move(json));
    }
    return out;
}

}  // namespace

std::vector<Row> merged(std::vector<Row> first, std::span<const Row> then) {
    std::map<RowSubject, std::size_t> places;
    for (std::size_t i = 0; i < first.size(); ++i)
        places.emplace(subject(first[i]), i);
    for (const Row& row : then) {
        const auto [place, is_new] = places.emplace(subject(row), first.size());
        if (is_new)
            first.push_back(row);
        else
            first[place->second] = row;
    }
    return first;
}

std::string script_safe(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    // Outside strings JSON has none of these, and inside an escape means the same character.
    for (const char c : json) {
        if (c == '<')
            out += "\\u003c";
        else if (c == '>')
            out += "\\u003e";
        else if (c == '&')
            out += "\\u0026";
        else
            out += c;
    }
    return out;
}

std::string page_data(const PageInput& input) {
    // What the user measured himself counts for more than what stands behind the verdicts.
    std::vector<Row> rows = verdict_rows(input.verdicts);
    for (const PageInput::Source& source : input.sources)
        rows = merged(std::move(rows), source.results.rows);
    std::set<Measured> measured;
    for (const Row& row : rows)
        measured.emplace(row.experiment, row.metric);

    PageJson fabrics = PageJson::object();
    for (const PageInput::Fabric& fabric : input.fabrics)
        fabrics[fabric.name] = {{"clock", fabric.virtual_time ? "virtual" : "real"},
                                {"description", fabric.description}};
    PageJson experiments = PageJson::object();
    for (const PageInput::Experiment& experiment : input.experiments)
        experiments[experiment.name] = {{"summary", experiment.summary},
                                        {"source", experiment.source}};
    const PageJson data{{"generator", input.generator},
                        {"sources", sources_json(input.sources)},
                        {"fabrics", std::move(fabrics)},
                        {"experiments", std::move(experiments)},
                        {"rows", rows_json(rows)},
                        {"papers", published_values(input.papers, measured)},
                        {"verdicts", verdicts(input.verdicts)}};
    try {
        return script_safe(data.dump());
    } catch (const PageJson::type_error&) {
        throw Error("a file name or a description is not UTF-8, which a page must be");
    }
}

std::string page(std::string_view data) {
    std::string text;
    for (const std::string_view piece : page_template())
        text += piece;
    if (text.empty())
        throw Error(
            "this railyard was built without the page; install nodejs and npm, and build it again "
            "with -DRAILYARD_PAGE=ON");
    const auto mark = text.find(page_data_mark);
    if (mark == std::string::npos || text.find(page_data_mark, mark + 1) != std::string::npos)
        throw Error("the page's template has no single place for the data; build it again");
    return text.replace(mark, page_data_mark.size(), data);
}

}  // namespace railyard::report
