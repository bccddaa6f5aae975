#pragma once
/// Rows as experiments emit them, for tables to be made of.

#include <string>
#include <vector>

#include "railyard/results/row.hpp"

namespace railyard::report {

struct RowOptions {
    std::string fabric = "shm";
    std::string op{};
    std::string memory{};
    int queue = 0;
};

inline results::Row row(std::string experiment, std::string metric, std::int64_t size, double value,
                        std::string unit, const RowOptions& options = {}) {
    results::Row out{.experiment = std::move(experiment),
                     .fabric = options.fabric,
                     .parameters = {},
                     .metric = std::move(metric),
                     .value = value,
                     .unit = std::move(unit),
                     .statistics = results::single(value, 100)};
    if (size >= 0) out.parameters[results::parameter::message_bytes] = size;
    if (!options.op.empty()) out.parameters[results::parameter::op] = options.op;
    if (!options.memory.empty()) out.parameters[results::parameter::memory] = options.memory;
    if (options.queue != 0) out.parameters[results::parameter::queue] = std::int64_t{options.queue};
    return out;
}

inline results::Row latency(std::int64_t size, double us, const std::string& op,
                            const std::string& fabric = "shm") {
    return row("latency-uni", "latency", size, us, "us",
               {.fabric = fabric, .op = op, .memory = "nic"});
}

inline results::Row bandwidth(std::int64_t size, double rate, const std::string& op,
                              const std::string& memory = "nic") {
    return row("bandwidth-uni-window", "bandwidth", size, rate, "MB/s",
               {.op = op, .memory = memory});
}

inline results::Row limit(const std::string& metric, std::int64_t size, double value,
                          const std::string& unit) {
    return row("limits", metric, size, value, unit, {.fabric = "host"});
}

}  // namespace railyard::report
