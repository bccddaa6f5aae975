#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/lists.hpp"
#include "cli/words.hpp"
#include "launch/job/job.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/base/error.hpp"
#include "report/table.hpp"

namespace railyard::cli {

namespace {

using report::Align;
using report::Table;

std::string settings_of(const fabric::Traits& fabric, const mpi::Settings::Named& chosen) {
    Table table;
    for (const char* title : {"setting", "value", "from", "variable", "what it is"})
        table.add_column({title}, Align::left);
    for (const mpi::Setting& setting : mpi::Settings::choose(fabric, chosen).describe())
        table.add_row({setting.name, setting.value, setting.origin, setting.environment,
                       setting.explanation});
    return table.text();
}

std::string counters() {
    Table table;
    table.add_column({"counter"}, Align::left);
    table.add_column({"what it counts, on one rank"}, Align::left);
    for (const mpi::CounterMeaning& counter : mpi::counter_meanings())
        table.add_row({std::string(counter.name), std::string(counter.explanation)});
    return table.text();
}

}  // namespace

Command mpi_info_command(CLI::App& parent) {
    CLI::App* app =
        parent.add_subcommand("mpi-info", "Shows the MPI library's settings on a fabric");
    const auto on = std::make_shared<std::string>(job::Options().fabric);
    app->add_option("--on", *on, "On which fabric (default: shm)")->type_name("FABRIC");
    const auto library = std::make_shared<std::string>();
    app->add_option("--mpi", *library,
                    "Whose ways it has: native (ours), or paper (that of the fabric's papers)")
        ->type_name("LIBRARY");
    const auto json = std::make_shared<bool>(false);
    add_json(*app, *json);
    app->footer(
        "Examples:\n"
        "  railyard mpi-info\n"
        "  railyard mpi-info --on infiniband-pcie\n"
        "  railyard mpi-info --on clan-via --mpi paper\n"
        "A setting is changed by its variable, or with --set NAME=VALUE of `railyard run` and "
        "mpiexec.");
    return {app, [on, library, json] {
                const fabric::Traits& fabric = fabric_named(*on);
                mpi::Settings::Named chosen;
                if (!library->empty()) chosen.emplace_back("library", *library);
                if (*json) {
                    fmt::print("{}", mpi_info_as_json(fabric, chosen));
                    return 0;
                }
                fmt::print(
                    "The MPI library on {}:\n\n{}\n"
                    "What --stats of mpiexec and of `railyard run` counts:\n\n{}",
                    fabric.name, settings_of(fabric, chosen), counters());
                return 0;
            }};
}

namespace {

const mpi::SettingRow& row_named(const TypedSetting& typed) {
    const std::vector<mpi::SettingRow>& rows = mpi::setting_rows();
    const auto found = std::ranges::find(rows, typed.name, &mpi::SettingRow::name);
    if (found != rows.end()) return *found;
    std::vector<std::string> names;
    for (const mpi::SettingRow& row : rows)
        names.emplace_back(row.name);
    throw UsageError(fmt::format("{}: {}", typed.option,
                                 unknown("setting", typed.name, names, "railyard mpi-info")));
}

}  // namespace

TypedSetting typed_setting(const std::string& word) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UsageError(fmt::format(
            "--set: expected a setting such as eager-limit=4K, found '{}'; `railyard mpi-info` "
            "lists them",
            word));
    const std::string name = word.substr(0, equals);
    return {"--set", name, word.substr(equals + 1), "--set " + name};
}

void apply_settings(const fabric::Traits& fabric, std::span<const TypedSetting> typed) {
    for (const TypedSetting& one : typed)
        ::setenv(row_named(one).variable().c_str(), one.value.c_str(), 1);
    try {
        mpi::Settings::from_environment(fabric);
    } catch (const UsageError& error) {
        // What is wrong with a value is told of what was typed, not of the variable.
        const std::string_view complaint = error.what();
        for (const TypedSetting& one : typed) {
            const std::string variable = row_named(one).variable() + ":";
            if (complaint.starts_with(variable))
                throw UsageError(
                    fmt::format("{}:{}", one.complains_as, complaint.substr(variable.size())));
        }
        throw;
    }
}

}  // namespace railyard::cli
