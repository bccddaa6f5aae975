#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "fabric/traits.hpp"
#include "job/job.hpp"
#include "report/table.hpp"

namespace railyard::cli {

namespace {

using fabric::Traits;
using report::Align;
using report::Table;

const char* clock(const Traits& traits) {
    return traits.clock == fabric::Clock::real ? "real" : "virtual";
}

const char* bulk(const Traits& traits) {
    switch (traits.bulk) {
        case fabric::Bulk::read:
            return "rdma_read";
        case fabric::Bulk::write:
            return "rdma_write";
        case fabric::Bulk::send:
            return "send_recv";
    }
    return "?";
}

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

std::string all_fabrics() {
    Table table;
    for (const char* name : {"name", "time", "what it is"})
        table.add_column({name}, Align::left);
    for (const Traits& traits : job::fabrics())
        table.add_row({traits.name, clock(traits), traits.description});
    return table.text() + "\n`railyard fabrics NAME` says what one of them can do.\n";
}

std::string one_fabric(const Traits& traits) {
    Table table;
    table.add_column({}, Align::left);
    table.add_column({}, Align::left);
    const bool watched = traits.placement == fabric::Placement::last_byte_last;
    table.add_row({"time", clock(traits)});
    table.add_row({"arrival by watching memory", yes_no(watched)});
    table.add_row({"progress is made by", progress(traits)});
    table.add_row({"best way for bulk",
                   fmt::format("{}, from {} on", bulk(traits), to_string(traits.bulk_threshold))});
    table.add_row({"atomic with the CPU's atomics", yes_no(traits.coherent_atomics)});
    table.add_row({"connects at no cost", yes_no(traits.connectionless)});
    table.add_row({"reaches other nodes", yes_no(traits.crosses_nodes)});
    table.add_row({"matches tags itself", yes_no(traits.tagged)});
    table.add_row({"memory on the adapter", yes_no(traits.adapter_memory)});
    table.add_row({"maps memory that it allocates", yes_no(traits.maps_allocated)});
    table.add_row({"ports", std::to_string(traits.ports)});
    table.add_row({"longest message", to_string(traits.max_message)});
    table.add_row({"longest inline message", to_string(traits.max_inline)});
    table.add_row({"slices to a request", std::to_string(traits.max_slices)});
    table.add_row({"requests outstanding", std::to_string(traits.max_send_depth)});
    table.add_row({"queue pairs", std::to_string(traits.max_queue_pairs)});
    return fmt::format("{}: {}\n\n{}", traits.name, traits.description, table.text());
}

}  // namespace

Command fabrics_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand("fabrics", "Lists the fabrics, and what each can do");
    const auto name = std::make_shared<std::string>();
    app->add_option("NAME", *name, "Only this one, with all that it can do")->type_name("");
    app->footer(
        "Examples:\n"
        "  railyard fabrics\n"
        "  railyard fabrics shm");
    return {app, [name] {
                fmt::print("{}", name->empty() ? all_fabrics() : one_fabric(fabric_named(*name)));
                return 0;
            }};
}

}  // namespace railyard::cli
