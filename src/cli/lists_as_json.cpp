#include <fmt/format.h>

#include "cli/lists.hpp"
#include "launch/job/job.hpp"
#include "mpi/engine/counters.hpp"
#include "railyard/datasheet.hpp"
#include "results/json.hpp"

namespace railyard::cli {

namespace {

using results::Json;

std::string text_of(const Json& value) {
    return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json heading(const fabric::Traits& traits) {
    Json value;
    value["name"] = traits.name;
    value["time"] = name_of(traits.clock);
    value["description"] = traits.description;
    return value;
}

const char* name_of(fabric::Progress progress) {
    switch (progress) {
        case fabric::Progress::hardware:
            return "hardware";
        case fabric::Progress::thread:
            return "thread";
        case fabric::Progress::calls:
            return "calls";
    }
    return "?";
}

Json parts_of(const fabric::Datasheet& sheet) {
    Json parts = Json::array();
    for (const fabric::Part& part : sheet.parts) {
        Json one;
        one["name"] = part.name;
        one["explanation"] = part.explanation;
        one["parameters"] = Json::array();
        for (const fabric::Parameter& parameter : part.parameters) {
            Json value;
            value["name"] = parameter.name;
            value["value"] = parameter.value;
            value["explanation"] = parameter.explanation;
            value["set"] = parameter.set;
            value["evidence"] = fabric::name(parameter.source.evidence);
            value["records"] = parameter.source.records;
            value["source"] = parameter.source.text;
            one["parameters"].push_back(std::move(value));
        }
        parts.push_back(std::move(one));
    }
    return parts;
}

Json as_json(const experiments::Experiment& e) {
    Json value;
    value["name"] = e.name;
    value["summary"] = e.summary;
    value["source"] = e.source;
    value["least_ranks"] = e.least_ranks;
    value["most_ranks"] = e.most_ranks;
    value["mpi"] = e.mpi;
    value["sizes"] = Json::array();
    for (const Bytes size : e.defaults.sizes)
        value["sizes"].push_back(size.count());
    const auto names = [](const std::vector<fabric::Op>& ops) {
        Json all = Json::array();
        for (const fabric::Op op : ops)
            all.push_back(fabric::name(op));
        return all;
    };
    value["ops"] = names(e.defaults.ops);
    value["known_ops"] = names(e.known_ops);
    value["queues"] = e.defaults.queues;
    value["buffers"] = e.defaults.buffers;
    value["window"] = e.defaults.window;
    if (e.takes_memory) value["memory"] = experiments::name(e.defaults.memory);
    return value;
}

}  // namespace

std::string fabrics_as_json() {
    Json all = Json::array();
    for (const fabric::Traits& traits : job::fabrics())
        all.push_back(heading(traits));
    return text_of(all);
}

std::string fabric_as_json(const fabric::Traits& traits) {
    Json value = heading(traits);
    value["watches_memory"] = traits.placement == fabric::Placement::last_byte_last;
    value["progress"] = name_of(traits.progress);
    value["bulk"] = name_of(traits.bulk);
    value["bulk_threshold_bytes"] = traits.bulk_threshold.count();
    value["coherent_atomics"] = traits.coherent_atomics;
    value["connectionless"] = traits.connectionless;
    value["shared_receives"] = traits.shared_receives;
    value["waits_for_receives"] = traits.waits_for_receives;
    value["crosses_nodes"] = traits.crosses_nodes;
    value["tagged"] = traits.tagged;
    value["adapter_memory"] = traits.adapter_memory;
    value["maps_allocated"] = traits.maps_allocated;
    value["ports"] = traits.ports;
    value["max_message_bytes"] = traits.max_message.count();
    value["max_inline_bytes"] = traits.max_inline.count();
    value["max_slices"] = traits.max_slices;
    value["max_send_depth"] = traits.max_send_depth;
    value["max_queue_pairs"] = traits.max_queue_pairs;
    mpi::check_section(traits);
    if (auto sheet = job::datasheet(traits.name)) {
        mpi::explain(*sheet);
        value["profiles"] = sheet->files;
        value["parts"] = parts_of(*sheet);
    }
    return text_of(value);
}

std::string experiments_as_json() {
    Json all = Json::array();
    for (const experiments::Experiment& experiment : experiments::all())
        all.push_back(as_json(experiment));
    return text_of(all);
}

std::string experiment_as_json(const experiments::Experiment& experiment) {
    return text_of(as_json(experiment));
}

std::string mpi_info_as_json(const fabric::Traits& fabric, const mpi::Settings::Named& chosen) {
    Json value;
    value["fabric"] = fabric.name;
    value["settings"] = Json::array();
    for (const mpi::Setting& setting : mpi::Settings::choose(fabric, chosen).describe()) {
        Json one;
        one["name"] = setting.name;
        one["value"] = setting.value;
        one["from"] = setting.origin;
        one["variable"] = setting.environment;
        one["explanation"] = setting.explanation;
        value["settings"].push_back(std::move(one));
    }
    value["counters"] = Json::array();
    for (const mpi::CounterMeaning& counter : mpi::counter_meanings()) {
        Json one;
        one["name"] = counter.name;
        one["explanation"] = counter.explanation;
        value["counters"].push_back(std::move(one));
    }
    return text_of(value);
}

}  // namespace railyard::cli
