#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/words.hpp"
#include "launch/job/job.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/engine/settings.hpp"
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
    app->footer(
        "Examples:\n"
        "  railyard mpi-info\n"
        "  railyard mpi-info --on infiniband-pcie\n"
        "  railyard mpi-info --on clan-via --mpi paper\n"
        "A setting is changed by its variable, or with --set NAME=VALUE of `railyard run` and "
        "mpiexec.");
    return {app, [on, library] {
                const fabric::Traits& fabric = fabric_named(*on);
                mpi::Settings::Named chosen;
                if (!library->empty()) chosen.emplace_back("library", *library);
                fmt::print(
                    "The MPI library on {}:\n\n{}\n"
                    "What --stats of mpiexec and of `railyard run` counts:\n\n{}",
                    fabric.name, settings_of(fabric, chosen), counters());
                return 0;
            }};
}

}  // namespace railyard::cli
