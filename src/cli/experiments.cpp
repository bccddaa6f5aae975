#include "experiments/core/experiment.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/quantity.hpp"
#include "cli/command.hpp"
#include "cli/words.hpp"
#include "report/table.hpp"

namespace railyard::cli {

namespace {

using experiments::Experiment;
using report::Align;
using report::Table;

std::string all_experiments() {
    Table table;
    for (const char* name : {"name", "paper and figure", "what it measures"})
        table.add_column({name}, Align::left);
    for (const Experiment& experiment : experiments::all())
        table.add_row({std::string(experiment.name), std::string(experiment.source),
                       std::string(experiment.summary)});
    return table.text() + "\n`railyard experiments NAME` lists the parameters of one of them.\n";
}

/// "1, 2, 4 ... 4M" would hide what a list holds; all of it, then, in the form of the option.
template <class List, class Text>
std::string list(const List& items, const Text& text) {
    std::string out;
    for (const auto& item : items)
        out += fmt::format("{}{}", out.empty() ? "" : ",", text(item));
    return out;
}

std::string one_experiment(const Experiment& e) {
    Table table;
    table.add_column({}, Align::left);
    table.add_column({}, Align::left);
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) table.add_row({option, value});
    };
    const auto op_name = [](fabric::Op op) { return fabric::name(op); };
    const auto number = [](unsigned n) { return std::to_string(n); };
    add("from", std::string(e.source));
    add("ranks", e.least_ranks == e.most_ranks
                     ? number(static_cast<unsigned>(e.least_ranks))
                     : fmt::format("{} to {}", e.least_ranks, e.most_ranks));
    add("--sizes", list(e.defaults.sizes, short_size));
    add("--ops", list(e.defaults.ops, op_name));
    if (e.known_ops != e.defaults.ops) add("  also knows", list(e.known_ops, op_name));
    add("--queues", list(e.defaults.queues, number));
    add("--buffers", list(e.defaults.buffers, number));
    add("--window", e.defaults.window == 0 ? "" : number(e.defaults.window));
    add("--memory", e.takes_memory ? std::string(name(e.defaults.memory)) : "");
    return fmt::format("{}: {}\n\n{}", e.name, e.summary, table.text());
}

}  // namespace

Command experiments_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "experiments", "Lists the experiments, each with the paper and figure it comes from");
    const auto name = std::make_shared<std::string>();
    app->add_option("NAME", *name, "Only this one, with its parameters and their defaults")
        ->type_name("");
    app->footer(
        "Examples:\n"
        "  railyard experiments\n"
        "  railyard experiments bandwidth-uni-queue");
    return {app, [name] {
                fmt::print("{}", name->empty() ? all_experiments()
                                               : one_experiment(experiment_named(*name)));
                return 0;
            }};
}

}  // namespace railyard::cli
