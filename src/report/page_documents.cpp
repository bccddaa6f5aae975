#include "report/page_documents.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::report {

namespace {

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

}  // namespace

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
    root.copy(std::array{"tolerance_percent"}, number_type, out);
    if (root.has("sensitivity")) out["sensitivity"] = sensitivities(root, document.file);
    return out;
}

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

}  // namespace railyard::report
