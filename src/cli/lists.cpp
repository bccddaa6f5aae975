// What there is: `railyard fabrics` and `railyard experiments`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "cli/command.hpp"
#include "cli/lists.hpp"
#include "cli/words.hpp"
#include "experiments/core/experiment.hpp"
#include "launch/job/job.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/base/error.hpp"
#include "railyard/datasheet.hpp"
#include "railyard/traits.hpp"
#include "report/table.hpp"

namespace railyard::cli {

const char* name_of(fabric::Clock clock) {
    return clock == fabric::Clock::real ? "real" : "virtual";
}

const char* name_of(fabric::Bulk bulk) {
    switch (bulk) {
        case fabric::Bulk::read:
            return "rdma_read";
        case fabric::Bulk::write:
            return "rdma_write";
        case fabric::Bulk::send:
            return "send_recv";
    }
    return "?";
}

namespace {

struct Widths {
    std::size_t name = 0;
    std::size_t value = 0;
};

/// The name and the description have been said already.
bool shown(const fabric::Part& part, const fabric::Parameter& parameter) {
    return !part.name.empty() || (parameter.name != "name" && parameter.name != "description");
}

Widths widths(const fabric::Datasheet& sheet) {
    Widths out;
    for (const auto& part : sheet.parts)
        for (const auto& parameter : part.parameters) {
            if (!shown(part, parameter)) continue;
            out.name = std::max(out.name, parameter.name.size());
            out.value = std::max(out.value, parameter.value.size());
        }
    return out;
}

std::string source(const fabric::Source& source, const std::string& own_file) {
    std::string out = source.evidence == fabric::Evidence::none
                          ? "no source"
                          : fmt::format("{}:", name(source.evidence));
    if (!source.records.empty()) out += fmt::format(" {}", fmt::join(source.records, ", "));
    if (!source.text.empty())
        out += fmt::format("{} {}", source.records.empty() ? "" : ";", source.text);
    if (source.file != own_file) out += fmt::format(" ({}:{})", source.file, source.line);
    return out;
}

std::string chain(const std::vector<std::string>& files) {
    std::string out;
    for (std::size_t i = 0; i < files.size(); ++i)
        out += fmt::format("{}{}", i == 0 ? "Parameters of " : ",\nwhich extends ", files[i]);
    return out + ":\n";
}

/// The datasheet of a modelled fabric as text: part by part, each parameter with its value, what it
/// means, and where the value comes from.
std::string text(const fabric::Datasheet& sheet) {
    const Widths width = widths(sheet);
    const std::string own_file = sheet.files.empty() ? "" : sheet.files.front();
    std::string out = chain(sheet.files);
    for (const auto& part : sheet.parts) {
        out += part.name.empty() ? "\n" : fmt::format("\n[{}] {}\n", part.name, part.explanation);
        for (const auto& parameter : part.parameters) {
            if (!shown(part, parameter)) continue;
            out +=
                fmt::format("  {:<{}}  {:<{}}  {}{}\n", parameter.name, width.name, parameter.value,
                            width.value, parameter.explanation, parameter.set ? "" : " (default)");
            if (parameter.set)
                out += fmt::format("{:{}}{}\n", "", width.name + width.value + 8,
                                   source(parameter.source, own_file));
        }
    }
    return out;
}

using fabric::Traits;
using report::Align;
using report::Table;

const char* progress(const Traits& traits) {
    switch (traits.progress) {
        case fabric::Progress::hardware:
            return "the hardware";
        case fabric::Progress::thread:
            return "a thread of the fabric's";
        case fabric::Progress::calls:
            return "the rank itself, inside its calls";
    }
    return "?";
}

const char* yes_no(bool value) {
    return value ? "yes" : "no";
}

std::string group(fabric::Clock clock, std::size_t width) {
    std::string lines;
    for (const Traits& traits : job::fabrics())
        if (traits.clock == clock)
            lines += fmt::format("  {:<{}}  {}\n", traits.name, width, traits.description);
    return lines;
}

std::string all_fabrics() {
    std::size_t width = 0;
    for (const Traits& traits : job::fabrics())
        width = std::max(width, traits.name.size());
    return fmt::format(
        "real: bytes move, on this machine\n{}\n"
        "virtual: models, whose results are the same on every machine\n{}\n"
        "`railyard fabrics FABRIC` says what one of them can do, and what a model is made of.\n"
        "A model of your own is a file, and its path its name: `railyard fabrics FABRIC --toml` "
        "gives one to start from.\n",
        group(fabric::Clock::real, width), group(fabric::Clock::virtual_time, width));
}

std::string one_fabric(const Traits& traits) {
    Table table;
    table.add_column({}, Align::left);
    table.add_column({}, Align::left);
    const bool watched = traits.placement == fabric::Placement::last_byte_last;
    table.add_row({"time", name_of(traits.clock)});
    table.add_row({"arrival by watching memory", yes_no(watched)});
    table.add_row({"progress is made by", progress(traits)});
    table.add_row({"best way for bulk", fmt::format("{}, from {} on", name_of(traits.bulk),
                                                    to_string(traits.bulk_threshold))});
    table.add_row({"atomic with the CPU's atomics", yes_no(traits.coherent_atomics)});
    table.add_row({"connects at no cost", yes_no(traits.connectionless)});
    table.add_row({"shares receives among queue pairs", yes_no(traits.shared_receives)});
    table.add_row({"messages wait for a receive", yes_no(traits.waits_for_receives)});
    table.add_row({"reaches other nodes", yes_no(traits.crosses_nodes)});
    table.add_row({"matches tags itself", yes_no(traits.tagged)});
    table.add_row({"memory on the adapter", yes_no(traits.adapter_memory)});
    table.add_row({"maps memory that it allocates", yes_no(traits.maps_allocated)});
    table.add_row({"ports", std::to_string(traits.ports)});
    table.add_row({"longest message", to_string(traits.max_message)});
    table.add_row({"longest inline message", to_string(traits.max_inline)});
    table.add_row({"slices to a request", std::to_string(traits.max_slices)});
    table.add_row({"requests outstanding", std::to_string(traits.max_send_depth)});
    table.add_row({"queue pairs a process", std::to_string(traits.max_queue_pairs)});
    mpi::check_section(traits);
    auto sheet = job::datasheet(traits.name);
    if (sheet) mpi::explain(*sheet);
    const std::string survey = job::survey(traits.name);
    return fmt::format("{}: {}\n\n{}{}{}", traits.name, traits.description, table.text(),
                       sheet ? "\n" + text(*sheet) : "", survey.empty() ? "" : "\n" + survey);
}

std::string as_profile(const Traits& traits) {
    const auto sheet = job::datasheet(traits.name);
    if (!sheet)
        throw UsageError(
            fmt::format("--toml: {} is no model, and has no profile; `railyard fabrics` lists all",
                        traits.name));
    return sheet->profile;
}

std::string answer(const std::string& name, bool toml, bool json, bool keys) {
    if (keys && (toml || json || !name.empty()))
        throw UsageError("--keys: all profiles have the same; give it alone");
    if (keys) return profile_keys();
    if (toml && json) throw UsageError("--toml and --json: give one of them");
    if (name.empty() && toml)
        throw UsageError("--toml: of which fabric? Name one; `railyard fabrics` lists all");
    if (name.empty()) return json ? fabrics_as_json() : all_fabrics();
    const Traits& traits = fabric_named(name);
    if (json) return fabric_as_json(traits);
    return toml ? as_profile(traits) : one_fabric(traits);
}

}  // namespace

Command fabrics_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand("fabrics", "Lists the fabrics, and what each can do");
    const auto name = std::make_shared<std::string>();
    const auto toml = std::make_shared<bool>(false);
    const auto json = std::make_shared<bool>(false);
    const auto keys = std::make_shared<bool>(false);
    app->add_option("FABRIC", *name,
                    "Only this one, with all that it can do; or the path of a profile")
        ->type_name("");
    app->add_flag("--toml", *toml, "A model as a profile that stands alone, to save and to change");
    app->add_flag("--keys", *keys, "All that a profile may say: keys, units, defaults, meanings");
    add_json(*app, *json);
    app->footer(
        "Examples:\n"
        "  railyard fabrics\n"
        "  railyard fabrics shm\n"
        "  railyard fabrics ofi\n"
        "  railyard fabrics infiniband-pcie\n"
        "  railyard fabrics infiniband-pcie --toml > mine.toml\n"
        "  railyard fabrics --keys\n"
        "  railyard fabrics --json | jq -r '.[].name'");
    return {app, [name, toml, json, keys] {
                fmt::print("{}", answer(*name, *toml, *json, *keys));
                return 0;
            }};
}

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
    return table.text() +
           "\n`railyard experiments EXPERIMENT` lists the parameters of one of them.\n";
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
    const auto json = std::make_shared<bool>(false);
    app->add_option("EXPERIMENT", *name, "Only this one, with its parameters and their defaults")
        ->type_name("");
    add_json(*app, *json);
    app->footer(
        "Examples:\n"
        "  railyard experiments\n"
        "  railyard experiments bandwidth-uni-queue\n"
        "  railyard experiments --json");
    return {app, [name, json] {
                if (name->empty()) {
                    fmt::print("{}", *json ? experiments_as_json() : all_experiments());
                    return 0;
                }
                const Experiment& one = experiment_named(*name);
                fmt::print("{}", *json ? experiment_as_json(one) : one_experiment(one));
                return 0;
            }};
}

}  // namespace railyard::cli
