#pragma once
/// Rows of every MPI experiment, a few of each, as `railyard measure` yields them.

#include <string>
#include <vector>

#include "report/rows.hpp"

namespace railyard::report {

inline results::Row mpi_row(std::string experiment, std::string metric, std::string unit,
                            results::Parameters parameters, double value = 2) {
    results::Row out = row(std::move(experiment), std::move(metric), -1, value, std::move(unit),
                           {.fabric = "clan-via"});
    parameters["mpi"] = "paper";
    out.parameters = std::move(parameters);
    return out;
}

inline std::vector<results::Row> mpi_rows() {
    std::vector<results::Row> rows;
    const auto add = [&](auto... parts) { rows.push_back(mpi_row(parts...)); };
    for (const std::int64_t size : {4, 8192}) {
        const results::Parameters at{{"message_bytes", size}};
        const auto with = [&](const char* name, results::Value value) {
            results::Parameters out = at;
            out[name] = std::move(value);
            return out;
        };
        for (const std::int64_t ports : {1, 2}) {
            add("mpi-latency", "latency", "us", with("ports", ports));
            add("mpi-bandwidth-uni-multiport", "bandwidth", "MB/s", with("ports", ports));
            add("mpi-bandwidth-bi-multiport", "bandwidth_aggregate", "MB/s", with("ports", ports));
        }
        add("mpi-bandwidth-uni", "bandwidth", "MB/s", at);
        add("mpi-bandwidth-pingpong", "bandwidth", "MB/s", at);
        add("mpi-bandwidth-bothway", "bandwidth_aggregate", "MB/s", at);
        for (const char* metric : {"gap", "sender_overhead", "receiver_overhead"})
            add("mpi-logp", metric, "us", at);
        add("mpi-buffer-reuse", "latency_ratio_noreuse_to_reuse", "1",
            with("registration_cache", "yes"));
        for (const char* experiment : {"mpi-unexpected-queue", "mpi-receive-queue"})
            add(experiment, "latency_ratio_full_to_empty", "1", with("queue", std::int64_t{1000}));
        for (const char* mode : {"static", "on-demand"}) {
            add("mvich-latency-bandwidth", "latency", "us", with("mode", mode));
            add("mvich-latency-bandwidth", "bandwidth", "MB/s", with("mode", mode));
        }
    }
    for (const char* mode : {"static", "on-demand"}) {
        for (const std::int64_t processes : {2, 4, 8}) {
            const results::Parameters ranks{{"processes", processes}, {"mode", mode}};
            results::Parameters collective = ranks;
            collective["collective"] = "allreduce";
            collective["message_bytes"] = std::int64_t{1024};
            add("allreduce-latency", "latency", "us", collective);
            add("mpi-init-time", "init_time", "us", ranks);
        }
        for (const char* application : {"Ring", "Alltoall"})
            add("vi-count", "vis_per_process", "VIs",
                results::Parameters{
                    {"application", application}, {"processes", std::int64_t{16}}, {"mode", mode}});
    }
    return rows;
}

}  // namespace railyard::report
