#include "cli/run_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/report_files.hpp"
#include "report/page.hpp"
#include "report/page_run.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::cli {

namespace {

using report::RunPage;
using results::Json;

/// What was recorded comes as the JSON that `--summary json` has, so that both say the same.
void add_recorded(RunPage& page, const Json& recorded) {
    for (const Json& pair : recorded.at("messages")) {
        RunPage::Pair one{.from = pair.at("from"), .to = pair.at("to")};
        for (const char* const whose : {"users", "librarys"}) {
            one.messages += pair.at(whose).at("messages").get<std::uint64_t>();
            one.bytes += pair.at(whose).at("bytes").get<std::uint64_t>();
        }
        page.pairs.push_back(one);
    }
    for (const Json& size : recorded.at("sizes"))
        page.sizes.push_back({.from_bytes = size.at("from_bytes"),
                              .messages = size.at("messages"),
                              .bytes = size.at("bytes")});
    for (const Json& rank : recorded.at("rank_times"))
        page.times.push_back({.start_up = rank.at("start_up_seconds"),
                              .shut_down = rank.at("shut_down_seconds"),
                              .computing = rank.at("computing_seconds"),
                              .mpi = rank.at("mpi_seconds"),
                              .connecting = rank.at("connecting_seconds"),
                              .late_sender = rank.at("late_sender_seconds"),
                              .late_receiver = rank.at("late_receiver_seconds"),
                              .collective = rank.at("collective_wait_seconds")});
    for (const Json& of : recorded.at("functions"))
        page.functions.push_back(
            {.name = of.at("function"), .calls = of.at("calls"), .seconds = of.at("seconds")});
    for (const Json& wait : recorded.at("waits"))
        page.waits.push_back({.why = wait.at("why"),
                              .rank = wait.at("rank"),
                              .by = wait.at("by"),
                              .times = wait.at("times"),
                              .seconds = wait.at("seconds")});
}

RunPage page_of(const runs::Summary& run) {
    RunPage page;
    page.program = fmt::format("{}", fmt::join(run.words, " "));
    page.fabric = run.fabric;
    page.compute = to_string(run.compute);
    page.ranks = run.ranks;
    page.nodes = run.nodes;
    page.seconds = run.virtual_time.seconds();
    page.start_up = run.start_up.seconds();
    for (const runs::Summary::Lane& lane : run.lanes)
        page.lanes.push_back({lane.first, lane.ranks, lane.bins});
    for (const fabric::PartUse& part : run.parts)
        page.parts.push_back(
            {std::string(fabric::name(part.kind)), part.name, part.busy.seconds()});
    if (!run.recorded_json.empty()) add_recorded(page, Json::parse(run.recorded_json));
    return page;
}

}  // namespace

int lanes_of_page() {
    return report::most_lines;
}

void write_run_page(const std::string& path, std::span<const runs::Summary> runs) {
    report::PageInput input;
    input.generator = generator();
    add_names(input);
    for (const runs::Summary& run : runs)
        input.runs.push_back(page_of(run));
    results::write_file(path, report::page(report::page_data(input)));
}

}  // namespace railyard::cli
