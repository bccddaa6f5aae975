#include "report/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace railyard::report {

namespace {

using results::Row;

/// What a row says under a name: one of its own fields, or a parameter; empty if it says nothing.
std::string field(const Row& row, const std::string& name) {
    if (name == "metric") return row.metric;
    if (name == "fabric") return row.fabric;
    const auto found = row.parameters.find(name);
    return found == row.parameters.end() ? "" : results::to_string(found->second);
}

/// As it is read without its name beside it: operations, fabrics and metrics speak for themselves.
std::string label(const std::string& name, const std::string& value) {
    if (value.empty() || name == "metric" || name == "fabric" || name == results::parameter::op)
        return value;
    return name + " " + value;
}

/// What may tell columns apart, most important first; sizes tell rows apart.
std::vector<std::string> names_in(const std::vector<const Row*>& rows) {
    std::vector<std::string> names{"metric", "fabric", results::parameter::op};
    std::set<std::string> others;
    for (const Row* row : rows)
        for (const auto& [name, value] : row->parameters)
            others.insert(name);
    others.erase(results::parameter::op);
    others.erase(results::parameter::message_bytes);
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

/// Those that people choose, and look for in a table. Others only say how it was done.
bool is_chosen(const std::string& name) {
    namespace parameter = results::parameter;
    const std::set<std::string> chosen{"metric",         "fabric",          parameter::op,
                                       parameter::queue, parameter::window, parameter::memory,
                                       parameter::ports, parameter::mpi};
    return chosen.contains(name);
}

/// Do these names and the size tell all rows apart?
bool tell_apart(const std::vector<const Row*>& rows, const std::vector<std::string>& names) {
    std::set<std::vector<std::string>> seen;
    for (const Row* row : rows) {
        std::vector<std::string> key{field(*row, results::parameter::message_bytes)};
        for (const std::string& name : names)
            key.push_back(field(*row, name));
        if (!seen.insert(std::move(key)).second) return false;
    }
    return true;
}

/// A buffer size that follows from the message size needs no columns of its own.
std::vector<std::string> needed(const std::vector<const Row*>& rows,
                                std::vector<std::string> names) {
    for (std::size_t i = names.size(); i-- > 0;) {
        if (is_chosen(names[i])) continue;
        std::vector<std::string> fewer = names;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (tell_apart(rows, fewer)) names = std::move(fewer);
    }
    return names;
}

namespace metric = results::metric;
namespace parameter = results::parameter;

/// A message of no more than this travels in one cache line, so handing one over bounds it.
constexpr std::int64_t one_cache_line = 64;
/// Stands for the size of limits that have none.
constexpr std::int64_t any_size = -1;

std::string text(const results::Row& row, const char* name) {
    const auto found = row.parameters.find(name);
    return found == row.parameters.end() ? "" : results::to_string(found->second);
}

std::string_view limit_of_latency(const std::string& op, std::int64_t size) {
    const bool one_way = op == "send_recv" || op == "rdma_write" || op == "rdma_write_imm";
    return one_way && size <= one_cache_line ? metric::cache_line_handover : "";
}

/// Memory that the Nic allocates can be mapped by the peer, so one copy is the limit; the user's is
/// reached through the kernel. A send may go by way of a buffer, with both CPUs at work.
std::string_view limit_of_bandwidth(const std::string& op, const std::string& memory) {
    if (op == "send_recv") return metric::copy_pipeline;
    if (op == "rdma_read") return memory == "user" ? metric::process_vm_readv : metric::copy;
    if (op == "rdma_write" || op == "rdma_write_imm") return memory == "user" ? "" : metric::copy;
    return "";
}

}  // namespace

Sheet::Sheet(std::vector<const Row*> rows) : rows_(std::move(rows)) {
    const Row& first = *rows_.front();
    std::string fabric, metric, rest;
    for (const std::string& name : names_in(rows_)) {
        const std::string value = field(first, name);
        const bool varies =
            std::ranges::any_of(rows_, [&](const Row* row) { return field(*row, name) != value; });
        if (varies)
            dimensions_.push_back(name);
        else if (name == "fabric")
            fabric = value.empty() ? "" : " on " + value;
        else if (name == "metric")
            metric = ": " + value;
        else if (!value.empty())
            rest += ", " + label(name, value);
    }
    dimensions_ = needed(rows_, std::move(dimensions_));
    const bool plain = first.unit == results::unit::ratio;
    title_ = fmt::format("{}{}{}{}{}", first.experiment, fabric, metric,
                         plain ? "" : " (" + first.unit + ")", rest);
}

std::vector<std::string> Sheet::values(const Row& row) const {
    std::vector<std::string> out;
    for (const std::string& name : dimensions_)
        out.push_back(field(row, name));
    return out;
}

std::vector<std::string> Sheet::heading(const Row& row) const {
    std::vector<std::string> lines;
    for (const std::string& name : dimensions_)
        lines.push_back(label(name, field(row, name)));
    if (lines.empty()) lines.push_back(row.metric);  // One column, but it must have a name.
    return lines;
}

std::vector<Sheet> sheets(std::span<const Row> rows) {
    using Key = std::pair<std::string, std::string>;
    std::vector<std::pair<Key, std::vector<const Row*>>> groups;
    for (const Row& row : rows) {
        const Key key{row.experiment, row.unit};
        auto group = std::ranges::find(groups, key, [](const auto& g) { return g.first; });
        if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
        group->second.push_back(&row);
    }
    std::vector<Sheet> out;
    for (auto& [key, members] : groups)
        out.emplace_back(std::move(members));
    return out;
}

std::optional<std::int64_t> message_bytes(const Row& row) {
    const auto found = row.parameters.find(results::parameter::message_bytes);
    if (found == row.parameters.end()) return std::nullopt;
    const auto* size = std::get_if<std::int64_t>(&found->second);
    return size == nullptr ? std::nullopt : std::optional(*size);
}

Limits::Limits(std::span<const results::Row> rows) {
    for (const results::Row& row : rows) {
        if (row.experiment != limits_experiment) continue;
        const std::int64_t size = row.metric == metric::cache_line_handover
                                      ? any_size
                                      : message_bytes(row).value_or(any_size);
        limits_[{row.metric, size}] = {.metric = row.metric, .value = row.value};
    }
}

const Limit* Limits::of(const results::Row& row) const {
    const auto size = message_bytes(row);
    if (!size || row.experiment == limits_experiment) return nullptr;

    const std::string op = text(row, parameter::op);
    std::string_view wanted;
    if (row.metric == metric::latency) wanted = limit_of_latency(op, *size);
    if (row.metric == metric::bandwidth)
        wanted = limit_of_bandwidth(op, text(row, parameter::memory));
    const std::int64_t at = wanted == metric::cache_line_handover ? any_size : *size;
    const auto found = limits_.find({std::string(wanted), at});
    return found == limits_.end() ? nullptr : &found->second;
}

}  // namespace railyard::report
