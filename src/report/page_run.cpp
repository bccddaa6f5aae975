#include "report/page_run.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "report/page_documents.hpp"

namespace railyard::report {

namespace {

/// Ranks of one cell are one sender, or one receiver, by the first of them.
PageJson pairs_json(const RunPage& run, int ranks_a_cell) {
    std::map<std::pair<int, int>, RunPage::Pair> cells;
    for (const RunPage::Pair& pair : run.pairs) {
        const int from = pair.from / ranks_a_cell * ranks_a_cell;
        const int to = pair.to / ranks_a_cell * ranks_a_cell;
        RunPage::Pair& cell = cells[{from, to}];
        cell.messages += pair.messages;
        cell.bytes += pair.bytes;
    }
    PageJson out = PageJson::array();
    for (const auto& [where, cell] : cells)
        out.push_back({{"from", where.first},
                       {"to", where.second},
                       {"messages", cell.messages},
                       {"bytes", cell.bytes}});
    return out;
}

RunPage::RankTime mean_of(const RunPage& run, std::size_t first, std::size_t count) {
    RunPage::RankTime mean;
    for (std::size_t i = first; i < first + count; ++i) {
        const RunPage::RankTime& one = run.times[i];
        const double part = 1.0 / static_cast<double>(count);
        mean.start_up += one.start_up * part;
        mean.shut_down += one.shut_down * part;
        mean.computing += one.computing * part;
        mean.mpi += one.mpi * part;
        mean.connecting += one.connecting * part;
        mean.late_sender += one.late_sender * part;
        mean.late_receiver += one.late_receiver * part;
        mean.collective += one.collective * part;
    }
    return mean;
}

PageJson times_json(const RunPage& run) {
    PageJson out = PageJson::array();
    const auto step =
        static_cast<std::size_t>(ranks_a_line(static_cast<int>(run.times.size()), most_lines));
    for (std::size_t first = 0; first < run.times.size(); first += step) {
        const std::size_t count = std::min(step, run.times.size() - first);
        const RunPage::RankTime mean = mean_of(run, first, count);
        out.push_back({{"first", first},
                       {"ranks", count},
                       {"mean",
                        {{"start_up", mean.start_up},
                         {"shut_down", mean.shut_down},
                         {"computing", mean.computing},
                         {"mpi", mean.mpi},
                         {"connecting", mean.connecting},
                         {"late_sender", mean.late_sender},
                         {"late_receiver", mean.late_receiver},
                         {"collective", mean.collective}}}});
    }
    return out;
}

/// The busiest of all, in the order in which they were given.
PageJson parts_json(const RunPage& run) {
    std::vector<double> busy;
    for (const RunPage::Part& part : run.parts)
        busy.push_back(part.seconds);
    double least = 0;
    if (busy.size() > most_parts) {
        std::ranges::nth_element(busy, busy.begin() + most_parts - 1, std::greater());
        least = busy[most_parts - 1];
    }
    PageJson out = PageJson::array();
    for (const RunPage::Part& part : run.parts)
        if (part.seconds >= least && out.size() < most_parts)
            out.push_back({{"kind", part.kind},
                           {"name", part.name},
                           {"seconds", part.seconds},
                           {"share", run.seconds > 0 ? part.seconds / run.seconds : 0}});
    return out;
}

}  // namespace

int ranks_a_line(int ranks, int most) {
    return std::max(1, (ranks + most - 1) / most);
}

PageJson run_json(const RunPage& run) {
    const int ranks_a_cell = ranks_a_line(run.ranks, most_cells);
    PageJson out{{"program", run.program},
                 {"fabric", run.fabric},
                 {"ranks", run.ranks},
                 {"nodes", run.nodes},
                 {"seconds", run.seconds},
                 {"start_up", run.start_up},
                 {"compute", run.compute},
                 {"lanes", PageJson::array()},
                 {"pairs", pairs_json(run, ranks_a_cell)},
                 {"ranks_a_cell", ranks_a_cell},
                 {"sizes", PageJson::array()}};
    for (const RunPage::Lane& lane : run.lanes)
        out["lanes"].push_back({{"first", lane.first}, {"ranks", lane.ranks}, {"bins", lane.bins}});
    for (const RunPage::SizeClass& size : run.sizes)
        out["sizes"].push_back(
            {{"from_bytes", size.from_bytes}, {"messages", size.messages}, {"bytes", size.bytes}});
    out["times"] = times_json(run);
    out["functions"] = PageJson::array();
    for (const RunPage::Function& of : run.functions)
        out["functions"].push_back(
            {{"name", of.name}, {"calls", of.calls}, {"seconds", of.seconds}});
    out["waits"] = PageJson::array();
    for (std::size_t i = 0; i < std::min(run.waits.size(), most_waits); ++i)
        out["waits"].push_back({{"why", run.waits[i].why},
                                {"rank", run.waits[i].rank},
                                {"by", run.waits[i].by},
                                {"times", run.waits[i].times},
                                {"seconds", run.waits[i].seconds}});
    out["parts"] = parts_json(run);
    out["parts_left_out"] = run.parts.size() - out["parts"].size();
    return out;
}

}  // namespace railyard::report
