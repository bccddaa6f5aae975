#include "report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "railyard/base/error.hpp"
#include "report/page_documents.hpp"

namespace railyard::report {

namespace {

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
    const std::string text = fmt::format("{:.6g}", value);
    double out = value;  // and so it stays if rounding goes beyond what a number can be
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
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
