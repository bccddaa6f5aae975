#include "report/limits.hpp"

#include <optional>

#include "report/sheet.hpp"

namespace railyard::report {

namespace {

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
