#include "reproduce/wanted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "railyard/base/error.hpp"
#include "reproduce/choices.hpp"

namespace railyard::reproduce {

namespace {

namespace parameter = results::parameter;

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> metrics{{
    {"host-overhead-latency", "host_overhead"},
    {"host-overhead-bandwidth", "cpu_share_before_bandwidth_drop"},
    {"completion-polling", "completion_overhead"},
    {"completion-blocking", "completion_overhead"},
    {"hotspot-send", "iteration_latency"},
    {"hotspot-recv", "iteration_latency"},
    {"buffer-reuse-fifo", "bandwidth"},
    {"quadrics-ping-uni", "bandwidth"},
    {"quadrics-ping-bi", "bandwidth_per_direction"},
    {"quadrics-hotspot", "bandwidth_aggregate"},
    {"bandwidth-uni-two-process", "bandwidth_aggregate"},
    {"user-pingpong", "latency"},
    {"multiconn-latency", "normalized_latency"},
    {"multiconn-throughput", "throughput"},
}};

/// The write that tells its target of itself.
const std::string told = "rdma_write_imm";

bool is_rate(std::string_view metric) {
    return metric.starts_with("bandwidth") || metric == "throughput" || metric == "sensitivity";
}

/// The metric that the record's own is made of.
std::string measured_metric(const Record& record) {
    if (record.metric == "bandwidth_utilization") return "bandwidth";
    constexpr std::array<std::string_view, 5> derived{"latency_reduction", "bandwidth_gain",
                                                      "bandwidth_gain_over_uni", "bandwidth_ratio",
                                                      "sensitivity"};
    if (std::ranges::find(derived, record.metric) != derived.end())
        return base_metric(record.experiment);
    return record.metric;
}

std::int64_t usual_size(const Record& record) {
    if (record.experiment == "host-overhead-bandwidth") return 256 << 10;
    if (record.experiment == "buffer-reuse-fifo") return 512 << 10;
    if (record.experiment == "latency-atomic") return 8;  // a word, beside a read of as many bytes
    // Sixteen nodes at one: a block is large enough when it is many packets.
    if (record.experiment == "quadrics-hotspot") return 64 << 10;
    return is_rate(measured_metric(record)) ? choice::large : choice::small;
}

/// Those of the sweep that lie between the record's limits.
std::vector<std::int64_t> between(const Record& record) {
    const auto limit = [&](const char* name, std::int64_t otherwise) {
        if (const auto stated = number(record.params, name)) return *stated;
        if (record.check)
            if (const auto stated = number(record.check->when, name)) return *stated;
        return otherwise;
    };
    const auto least = limit("message_bytes_min", 0);
    const auto most = limit("message_bytes_max", std::numeric_limits<std::int64_t>::max());
    if (least == 0 && most == std::numeric_limits<std::int64_t>::max()) return {};
    std::vector<std::int64_t> out;
    for (const std::int64_t size : choice::latency_sizes)
        if (size >= least && size <= most) out.push_back(size);
    return out;
}

bool has_queue(std::string_view experiment) {
    return experiment.ends_with("-queue");
}

void copy_parameters(const Record& record, Selection& out) {
    for (const char* name : {"slaves", "mode", "source", "destination", "access"})
        if (const auto found = record.params.find(name); found != record.params.end())
            out.where[name] = found->second;
    if (has_queue(record.experiment))
        out.where[parameter::queue] = number(record.params, "queue").value_or(choice::queue);
}

/// What the papers mean where they do not say.
void fill_in(const Record& record, const System& system, Selection& out) {
    const std::string& e = record.experiment;
    const bool two_ports = e.ends_with("-two-port");
    if (two_ports || e.ends_with("-two-process")) {
        out.where.emplace("mode", two_ports ? "striping" : "binding");
        out.where.emplace("ports", std::int64_t{2});
    }
    // Both are about writes; a GM user who names no operation elsewhere means a send.
    if (e.starts_with("completion-") || e.starts_with("buffer-reuse-"))
        out.where[parameter::op] = "rdma_write";
    if (e.starts_with("quadrics-ping-") && system.ops.front() != "tagged") {
        out.where.emplace("source", "main");
        out.where.emplace("destination", "main");
        // Elan3lib waits for the destination's event.
        if (out.metric == "latency") out.where[parameter::op] = told;
    }
    if (e == "quadrics-hotspot") {
        out.over = "nodes";
        out.last_only = true;
        out.where[parameter::op] = "rdma_" + word(record.params, "access").value_or("read");
    }
}

}  // namespace

std::string base_metric(std::string_view experiment) {
    for (const auto& [name, metric] : metrics)
        if (name == experiment) return std::string(metric);
    if (experiment.starts_with("bandwidth-bi")) return "bandwidth_aggregate";
    return experiment.starts_with("bandwidth") ? "bandwidth" : "latency";
}

std::vector<std::int64_t> dip_sizes() {
    std::vector<std::int64_t> out;
    for (std::int64_t size = 1024; size <= choice::large; size *= 2)
        out.push_back(size);
    return out;
}

std::vector<std::int64_t> value_sizes(const Record& record) {
    if (const auto size = number(record.params, "message_bytes")) return {*size};
    if (const auto name = word(record.params, "message_class"))
        return {*name == "small" || *name == "short" ? choice::small : choice::large};
    if (auto sizes = between(record); !sizes.empty()) return sizes;
    return {usual_size(record)};
}

std::vector<std::int64_t> relation_sizes(const Record& record) {
    const Relation& relation = *record.check;
    const bool named = record.params.contains("message_bytes") ||
                       record.params.contains("message_class") || !between(record).empty();
    if (named) return value_sizes(record);
    if (relation.type == "dip") return dip_sizes();
    if (relation.metric == "latency") return choice::list(choice::basic_latency_sizes);
    if (record.experiment.starts_with("multiconn")) return {choice::small, 64, 1024};
    const bool all_sizes =
        relation.over == parameter::message_bytes ||
        (relation.type == "compare" &&
         (record.experiment == "latency-uni" || record.experiment.starts_with("bandwidth-uni-")));
    if (!all_sizes) return value_sizes(record);
    return is_rate(measured_metric(record)) ? choice::list(choice::bandwidth_sizes)
                                            : choice::list(choice::latency_sizes);
}

std::vector<std::string> operations(const Record& record, const System& system) {
    if (is_mpi(system.slug)) return {""};
    if (const auto op = word(record.params, "op")) return {*op};
    if (record.experiment != "latency-uni") return {std::string(system.ops.front())};
    return {system.ops.begin(), system.ops.end()};
}

Selection selection_of(const Record& record, const System& system, std::string_view op) {
    if (is_mpi(system.slug)) return mpi_selection(record, system);
    Selection out;
    out.experiment = record.experiment;
    out.fabric = system.fabric;
    out.metric = measured_metric(record);
    out.sizes = value_sizes(record);
    out.label = system.slug;
    // A reference to the one-way figure in the two-way experiment.
    if (out.experiment == "quadrics-ping-bi" && out.metric == "bandwidth")
        out.experiment = "quadrics-ping-uni";
    copy_parameters(record, out);
    // A library that matches tags has no other operation, whatever the record calls it.
    const bool tagged = system.ops.front() == "tagged";
    if (op.empty() || tagged) op = system.ops.front();
    out.where[parameter::op] = std::string(op);
    fill_in(record, system, out);
    return out;
}

std::vector<std::pair<std::string, std::string>> placements() {
    return {{"elan", "elan"}, {"elan", "main"}, {"main", "elan"}, {"main", "main"}};
}

Selection placed(Selection selection, const std::string& source, const std::string& destination) {
    selection.where["source"] = source;
    selection.where["destination"] = destination;
    selection.label = fmt::format("{}->{}", source, destination);
    // Nobody can watch the adapter's memory: all placements are measured with a completion.
    if (selection.metric == "latency") selection.where[parameter::op] = told;
    return selection;
}

Selection variant(Selection out, std::string_view word, std::string_view seed) {
    const auto arrow = word.find("->");
    if (arrow != std::string_view::npos)
        return placed(out, std::string(word.substr(0, arrow)), std::string(word.substr(arrow + 2)));
    if (word == "pci_read") return placed(out, "main", "elan");
    if (word == "pci_write") return placed(out, "elan", "main");

    out.label = word;
    if (const System* system = find_system(seed, word)) {
        out.fabric = system->fabric;
    } else if (word == "rdma_write" || word == "send_recv") {
        out.where[parameter::op] = std::string(word);
    } else if (word == "atomic") {
        out.experiment = "latency-atomic";
    } else if (word == "rdma_read") {
        out.experiment = "latency-rdma-read";
        out.where[parameter::op] = "rdma_read";
    } else if (word == "striping" || word == "binding") {
        out.where["mode"] = std::string(word);
    } else if (word == "ports=2,striping") {
        out.experiment = "bandwidth-uni-two-port";
        out.where["mode"] = "striping";
    } else if (word == "ports=1") {
        out.experiment = "bandwidth-uni-window";
        out.where.erase("mode");
        out.where.erase("ports");
    } else if (is_user_level(word)) {
        out.experiment = word;
        if (out.metric != "latency") out.metric = base_metric(word);
    } else {
        throw Error(fmt::format("a relation compares '{}', which means nothing here", word));
    }
    return out;
}

}  // namespace railyard::reproduce
