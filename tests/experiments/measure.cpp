#include "experiments/measure.hpp"

#include "railyard/base/error.hpp"

namespace railyard::experiments {

std::vector<results::Row> measure(std::string_view experiment, std::string_view fabric,
                                  const Wishes& wishes, std::optional<job::Kind> kind) {
    const Experiment* found = find(experiment);
    if (!found) throw Error("no such experiment: " + std::string(experiment));
    Plan plan;
    plan.experiments = {found};
    plan.fabrics = {std::string(fabric)};
    plan.wishes = wishes;
    plan.kind = kind;
    Outcome outcome = run(plan, {});
    if (!outcome.failure.empty()) throw Error(outcome.failure);
    return std::move(outcome.rows);
}

std::int64_t integer(const results::Row& row, const char* parameter) {
    return std::get<std::int64_t>(row.parameters.at(parameter));
}

std::string text(const results::Row& row, const char* parameter) {
    return std::get<std::string>(row.parameters.at(parameter));
}

std::vector<Bytes> some_sizes() {
    return {Bytes(1), Bytes(8), Bytes(4097), Bytes(64 << 10)};
}

}  // namespace railyard::experiments
