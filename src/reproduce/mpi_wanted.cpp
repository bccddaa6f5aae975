#include "reproduce/wanted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"
#include "reproduce/choices.hpp"

namespace railyard::reproduce {

namespace {

namespace parameter = results::parameter;

/// petrini02 lists its MPI among the libraries of an experiment; for us it is another experiment.
std::string experiment_of(const Record& record) {
    if (record.experiment == "quadrics-ping-bi") return "mpi-bandwidth-bothway";
    if (record.experiment != "quadrics-ping-uni") return record.experiment;
    return record.metric == "latency" ? "mpi-latency" : "mpi-bandwidth-uni";
}

bool is_queue(std::string_view experiment) {
    return experiment == "mpi-unexpected-queue" || experiment == "mpi-receive-queue";
}

std::vector<std::int64_t> of_class(std::string_view name) {
    if (name == "very short") return {1};
    if (name == "small" || name == "short") return {choice::small};
    if (name == "medium") return choice::list(choice::medium_sizes);
    if (name.find("medium") != name.npos) return choice::list(choice::small_and_medium);
    return {choice::large};
}

/// All sizes of the reuse experiment that are not larger.
std::vector<std::int64_t> up_to(double limit) {
    std::vector<std::int64_t> out;
    for (const std::int64_t size : choice::reuse_sizes)
        if (static_cast<double>(size) <= limit) out.push_back(size);
    return out;
}

/// That the record names, by number or by class; none if it names none.
std::vector<std::int64_t> named_sizes(const Record& record) {
    if (const auto size = number(record.params, "message_bytes")) return {*size};
    if (const auto name = word(record.params, "message_class")) return of_class(*name);
    if (const auto most = number(record.params, "message_bytes_max"))
        return up_to(static_cast<double>(*most));
    return {};
}

std::vector<std::int64_t> value_sizes_of(const Record& record, const System& system,
                                         std::string_view metric) {
    if (auto sizes = named_sizes(record); !sizes.empty()) return sizes;
    if (word(record.params, "protocol") == "eager") return up_to(protocol_switch(system).eager);
    if (record.experiment == "mpi-buffer-reuse") return choice::list(choice::reuse_sizes);
    if (is_queue(record.experiment)) return choice::list(choice::latency_sizes);
    return {metric.starts_with("bandwidth") ? choice::large : choice::small};
}

/// Twice as large each time.
std::vector<std::int64_t> doubling() {
    std::vector<std::int64_t> out;
    for (std::int64_t size = 512; size <= choice::large; size *= 2)
        out.push_back(size);
    return out;
}

/// Evenly spaced, so that a smooth curve has no step that stands out.
std::vector<std::int64_t> around(double at) {
    std::vector<std::int64_t> out;
    for (const int fifth : {3, 4, 5, 6, 7})
        out.push_back(static_cast<std::int64_t>(at) * fifth / 5);
    return out;
}

/// wu02's, in the order of its tables.
std::vector<std::string> nas_kernels() {
    return {"CG", "MG", "IS", "SP", "BT"};
}

void copy_mpi_parameters(const Record& record, Selection& out) {
    for (const char* name : {"application", "processes", "mode", "collective"})
        if (const auto found = record.params.find(name); found != record.params.end())
            out.where[name] = found->second;
    if (out.experiment == "mpi-latency" || out.experiment.ends_with("-multiport")) {
        // Protocol and striping switch at the same size: a dip is that of two ports.
        const bool dip = record.check && record.check->type == "dip";
        out.where[parameter::ports] = number(record.params, "ports").value_or(dip ? 2 : 1);
    }
    if (out.experiment == "mpi-buffer-reuse")
        out.where["registration_cache"] = word(record.params, "registration_cache").value_or("yes");
    if (is_queue(out.experiment))
        out.where[parameter::queue] = number(record.params, "queue").value_or(choice::entries);
}

}  // namespace

bool of_other_programs(const Record& record) {
    const auto program = word(record.params, "application");
    const auto is_among = [&](const std::vector<std::string>& ours) {
        return std::ranges::find(ours, *program) != ours.end();
    };
    return program && !is_among(micro_programs()) && !is_among(nas_kernels());
}

std::vector<std::string> kernels_of(const Record& record) {
    const auto named = word(record.params, "programs");
    if (!named) return nas_kernels();
    const auto names = split(*named, ',');
    return {names.begin(), names.end()};
}

std::vector<std::string> classes_on(const System& system) {
    // C is there for the most processes of the paper only.
    constexpr std::int64_t fewest_of_c = 16;
    if (system.most_processes != 0 && system.most_processes < fewest_of_c) return {"A", "B"};
    return {"A", "B", "C"};
}

std::vector<std::string> micro_programs() {
    return {"Ring", "Barrier", "Bcast", "Allreduce", "Allgather", "Alltoall"};
}

std::string mpi_metric(std::string_view experiment, std::string_view metric) {
    const bool both_ways =
        experiment.find("-bi-") != experiment.npos || experiment.ends_with("-bothway");
    if (metric.starts_with("bandwidth") || metric == "rendezvous_switch")
        return both_ways ? "bandwidth_aggregate" : "bandwidth";
    if (metric == "latency_reduction" || metric == "mpi_overhead") return "latency";
    if (metric == "latency_change") return "latency_ratio_noreuse_to_reuse";
    if (metric == "normalized_cpu_time" || metric == "cpu_time_change_abs_average")
        return "cpu_time";
    if (metric == "queue_impact_ratio_ib_to_iwarp") return "latency_ratio_full_to_empty";
    return std::string(metric);
}

Selection mpi_selection(const Record& record, const System& system) {
    Selection out;
    out.experiment = experiment_of(record);
    out.fabric = system.fabric;
    out.metric = mpi_metric(out.experiment, record.metric);
    out.where["mpi"] = "paper";
    out.sizes = value_sizes_of(record, system, out.metric);
    out.percent = false;
    out.most_processes = system.most_processes;
    out.label = system.slug;
    copy_mpi_parameters(record, out);
    return out;
}

std::vector<std::int64_t> mpi_relation_sizes(const Record& record) {
    const Relation& relation = *record.check;
    if (relation.type == "dip" || relation.type == "steepest") return dip_sizes();
    if (relation.at) return around(*relation.at);
    if (!relation.at_name.empty()) return doubling();
    if (auto sizes = named_sizes(record); !sizes.empty()) return sizes;
    if (relation.over == parameter::message_bytes) return choice::list(choice::latency_sizes);
    if (record.experiment == "mvich-latency-bandwidth") return choice::list(choice::latency_sizes);
    if (is_queue(record.experiment)) return choice::list(choice::small_and_medium);
    const bool rate = record.metric.starts_with("bandwidth");
    return {rate ? choice::large : choice::small};
}

Selection mpi_variant(Selection out, std::string_view word) {
    out.label = word;
    if (word.starts_with("ports=")) {
        out.where[parameter::ports] = parse_number<std::int64_t>(word.substr(6)).value_or(0);
    } else if (word == "on-demand" || word.starts_with("static")) {
        out.where[parameter::mode] = std::string(word);
    } else if (is_mpi_level(word)) {
        out.metric = mpi_metric(word, out.metric);
        out.experiment = word;
    } else {
        throw Error(fmt::format("a relation compares '{}', which means nothing here", word));
    }
    return out;
}

Switch switch_at(double bytes) {
    return {bytes - 1, bytes + 1};
}

Switch protocol_switch(const System& system) {
    Switch out;
    for (const Record& record : papers()) {
        if (record.seed != system.seed || record.metric != "rendezvous_switch_bytes" ||
            !record.value)
            continue;
        const auto of = systems_of(record);
        if (std::ranges::find(of, &system) == of.end()) continue;
        const double bytes = *record.value;
        if (record.qualifier == Qualifier::equal) return switch_at(bytes);
        if (record.qualifier == Qualifier::more) return {bytes, 2 * bytes};
        (record.qualifier == Qualifier::at_least ? out.eager : out.rendezvous) = bytes;
    }
    if (out.rendezvous == 0)
        throw Error(
            fmt::format("{}: where {} goes to rendezvous is not stated", system.seed, system.slug));
    return out;
}

Switch place_of(const Relation& relation, const System& system) {
    if (relation.at) return switch_at(*relation.at);
    if (relation.range) return {relation.range->first, relation.range->second};
    return protocol_switch(system);
}

}  // namespace railyard::reproduce
