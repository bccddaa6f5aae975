#include "report/page.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "railyard/base/error.hpp"
#include "report/page_documents.hpp"
#include "report/page_rows.hpp"
#include "report/page_run.hpp"

namespace railyard::report {

namespace {

using results::Row;

PageJson fabrics_json(std::span<const PageInput::Fabric> fabrics) {
    PageJson out = PageJson::object();
    for (const PageInput::Fabric& fabric : fabrics)
        out[fabric.name] = {{"clock", fabric.virtual_time ? "virtual" : "real"},
                            {"description", fabric.description}};
    return out;
}

PageJson experiments_json(std::span<const PageInput::Experiment> experiments) {
    PageJson out = PageJson::object();
    for (const PageInput::Experiment& experiment : experiments)
        out[experiment.name] = {{"summary", experiment.summary}, {"source", experiment.source}};
    return out;
}

}  // namespace

std::vector<Row> merged(std::vector<Row> first, std::span<const Row> then) {
    std::map<RowSubject, std::size_t> places;
    for (std::size_t i = 0; i < first.size(); ++i)
        places.emplace(subject_of(first[i]), i);
    for (const Row& row : then) {
        const auto [place, is_new] = places.emplace(subject_of(row), first.size());
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
    const PageJson comparison = comparison_json(input.sources, input.fabrics);
    const PageJson sources = sources_json(input.sources);
    std::vector<PageInput::Source> files = input.sources;
    std::vector<PageInput::Fabric> fabrics = input.fabrics;
    tell_machines_apart(files, fabrics);
    const PageJson limits = limits_json(files, fabrics);
    // What the user measured himself counts for more than what stands behind the verdicts.
    std::vector<Row> rows = verdict_rows(input.verdicts);
    for (const PageInput::Source& source : files)
        rows = merged(std::move(rows), source.results.rows);
    std::set<Measured> measured;
    for (const Row& row : rows)
        measured.emplace(row.experiment, row.metric);

    std::vector<std::string> names;
    PageJson sheets = sheets_json(rows, names);
    PageJson runs = PageJson::array();
    for (const RunPage& run : input.runs)
        runs.push_back(run_json(run));
    const PageJson data{{"generator", input.generator},
                        {"command", input.command},
                        {"sources", sources},
                        {"fabrics", fabrics_json(fabrics)},
                        {"experiments", experiments_json(input.experiments)},
                        {"fabric_names", names},
                        {"sheets", std::move(sheets)},
                        {"papers", published_values(input.papers, measured)},
                        {"verdicts", verdicts(input.verdicts)},
                        {"limits", limits},
                        {"comparison", comparison},
                        {"runs", std::move(runs)}};
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
