#include "railyard/library/experiment.hpp"

#include <utility>

#include "railyard/base/error.hpp"
#include "results/file.hpp"

namespace railyard {

void Trial::emit(results::Parameters parameters, std::string_view metric, std::string_view unit,
                 const results::Statistics& statistics) {
    if (rank_.id() != 0) return;
    rank_.deliver(results::to_json_line({.experiment = std::string(experiment_),
                                         .fabric = std::string(fabric_),
                                         .parameters = std::move(parameters),
                                         .metric = std::string(metric),
                                         .value = statistics.p50,
                                         .unit = std::string(unit),
                                         .statistics = statistics}));
}

results::Results measure(const Experiment& experiment, std::span<const std::string> fabrics) {
    if (experiment.name.empty() || !experiment.run)
        throw UsageError("an experiment has a name and something that it runs");
    results::Results all{results::this_machine(), {}};
    for (const std::string& fabric : fabrics) {
        const JobResult ended = run({.fabric = fabric, .ranks = experiment.ranks}, [&](Rank& rank) {
            Trial trial(rank, experiment.name, rank.nic().traits().name);
            experiment.run(trial);
        });
        if (!ended.ok) throw Error(experiment.name + " on " + fabric + ": " + ended.failure);
        for (const std::string& line : ended.delivered)
            all.rows.push_back(results::from_json_line(line, experiment.name));
    }
    return all;
}

void write(const results::Results& results, const std::filesystem::path& path) {
    results::write_file(path, results::to_json(results));
}

}  // namespace railyard
