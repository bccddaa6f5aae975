#include "reproduce/rows.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace railyard::reproduce {

const Record& paper(const std::string& id) {
    const auto found = std::ranges::find(papers(), id, &Record::id);
    if (found == papers().end()) throw Error("there is no record " + id);
    return *found;
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

}  // namespace railyard::reproduce
