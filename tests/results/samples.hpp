#pragma once
/// Rows and machines with something in every field.

#include "railyard/results/results.hpp"

namespace railyard::results {

inline Row sample_row() {
    return {
        .experiment = "latency-uni",
        .fabric = "shm",
        .parameters = {{"op", "rdma_write"}, {"message_bytes", std::int64_t{8}}, {"share", 0.1}},
        .metric = "latency",
        .value = 0.103,
        .unit = "us",
        .statistics = summarize({0.1, 0.103, 0.11, 0.5})};
}

inline Machine sample_machine() {
    return {.cpu = "a \"fast\" one",
            .cores = 2,
            .threads = 4,
            .l1d = Bytes(64 << 10),
            .l2 = Bytes(1 << 20),
            .l3 = Bytes(32 << 20),
            .memory = Bytes(std::uint64_t{8} << 30),
            .kernel = "Linux 6.1 aarch64",
            .governor = "performance",
            .version = "0.1.0",
            .revision = "abc123",
            .compiler = "GCC 12, optimized",
            .date = "2026-11-15T03:35:42Z"};
}

}  // namespace railyard::results
