#include "reproduce/rows.hpp"

#include <algorithm>

#include "railyard/base/error.hpp"

namespace railyard::reproduce {

const Record& paper(const std::string& id) {
    const auto found = std::ranges::find(papers(), id, &Record::id);
    if (found == papers().end()) throw Error("there is no record " + id);
    return *found;
}

Check check(const std::string& id) {
    return std::get<Check>(check_of(paper(id), papers()));
}

results::Row make_row(std::string experiment, std::string fabric, std::string metric,
                      results::Parameters parameters, double value, std::string unit) {
    return {.experiment = std::move(experiment),
            .fabric = std::move(fabric),
            .parameters = std::move(parameters),
            .metric = std::move(metric),
            .value = value,
            .unit = std::move(unit),
            .statistics = {}};
}

results::Row small_latency(std::string fabric, std::string op, double value) {
    return make_row("latency-uni", std::move(fabric), "latency",
                    {{"message_bytes", 4}, {"op", std::move(op)}}, value);
}

bool holds(const std::string& id, const Model& model, const std::vector<double>& places) {
    const Check asked = check(id);
    std::vector<Series> series;
    for (const Selection& selection : asked.selections) {
        std::vector<double> xs(selection.sizes.begin(), selection.sizes.end());
        if (selection.over != results::parameter::message_bytes) xs = places;
        series.push_back({selection.label, {}});
        for (const double x : xs)
            series.back().points.push_back({x, model(selection, x)});
    }
    return asked.judge(series).right;
}

bool on_demand(const Selection& selection) {
    return word(selection.where, "mode") == "on-demand";
}

double first_rendezvous(const Selection& selection) {
    if (selection.fabric == "infiniband-memfree") return 4608;
    return selection.fabric == "neteffect-iwarp" ? 131072 : 32769;
}

}  // namespace railyard::reproduce
