#include "cli/kept.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/words.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::cli {

namespace {

using results::Json;
using results::Reader;

std::string this_build() {
    return fmt::format("{} ({})", results::version(), results::revision());
}

}  // namespace

std::string kept_beside(const std::string& file) {
    return file + ".partial";
}

std::vector<experiments::Finished> read_kept(const std::string& file) {
    const std::string path = kept_beside(file);
    try {
        const Json value = Reader::parse(results::read_file(path), path);
        const Reader all(value, path);
        if (const std::string by = all.field("by").text(); by != this_build())
            throw UsageError(
                fmt::format("--resume: {} was written by railyard {}, and this is {}; begin anew",
                            path, by, this_build()));
        std::vector<experiments::Finished> finished;
        for (const Reader& step : all.field("finished").elements()) {
            experiments::Finished one{step.field("task").text(), {}};
            for (const Reader& row : step.field("rows").elements())
                one.rows.push_back(row.text());
            finished.push_back(std::move(one));
        }
        return finished;
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        throw UsageError(fmt::format("--resume: {}", error.what()));
    }
}

std::string keep(const std::string& file, const std::vector<experiments::Finished>& finished) {
    if (finished.empty()) return "";
    Json value;
    value["by"] = this_build();
    value["finished"] = Json::array();
    for (const experiments::Finished& one : finished) {
        Json step;
        step["task"] = one.task;
        step["rows"] = one.rows;
        value["finished"].push_back(std::move(step));
    }
    results::write_file(kept_beside(file), value.dump(1) + "\n");
    return fmt::format(
        "; {} done, kept in {}: the same call with --resume goes on",
        finished.size() == 1 ? "1 run is" : fmt::format("{} runs are", finished.size()),
        kept_beside(file));
}

void forget_kept(const std::string& file) {
    std::error_code ignored;
    std::filesystem::remove(kept_beside(file), ignored);
}

}  // namespace railyard::cli
