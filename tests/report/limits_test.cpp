#include "report/sheet.hpp"

#include <gtest/gtest.h>

#include "report/rows.hpp"

namespace railyard::report {
namespace {

std::vector<results::Row> all_limits() {
    return {limit("cache_line_handover", -1, 0.1, "us"), limit("tcp", 8, 9, "us"),
            limit("copy", 65536, 20000, "MB/s"), limit("copy_pipeline", 65536, 21000, "MB/s"),
            limit("process_vm_readv", 65536, 12000, "MB/s")};
}

std::string name_of(const Limits& limits, const results::Row& row) {
    const Limit* found = limits.of(row);
    return found == nullptr ? "" : found->metric;
}

TEST(Limits, BoundOneWayLatencyOfWhatFitsACacheLine) {
    const Limits limits(all_limits());
    for (const char* op : {"send_recv", "rdma_write", "rdma_write_imm"}) {
        EXPECT_EQ(name_of(limits, latency(8, 1, op)), "cache_line_handover") << op;
        EXPECT_EQ(name_of(limits, latency(64, 1, op)), "cache_line_handover") << op;
        EXPECT_EQ(name_of(limits, latency(65, 1, op)), "") << op;
    }
    // A read is a round trip, and its target takes no part: no hand-over bounds it.
    EXPECT_EQ(name_of(limits, latency(8, 1, "rdma_read")), "");
    EXPECT_EQ(name_of(limits, latency(8, 1, "fetch_add")), "");
}

TEST(Limits, BoundBandwidthByWhatMovesTheBytes) {
    const Limits limits(all_limits());
    EXPECT_EQ(name_of(limits, bandwidth(65536, 1, "rdma_write", "nic")), "copy");
    EXPECT_EQ(name_of(limits, bandwidth(65536, 1, "rdma_write_imm", "nic")), "copy");
    EXPECT_EQ(name_of(limits, bandwidth(65536, 1, "rdma_read", "nic")), "copy");
    EXPECT_EQ(name_of(limits, bandwidth(65536, 1, "rdma_read", "user")), "process_vm_readv");
    EXPECT_EQ(name_of(limits, bandwidth(65536, 1, "rdma_write", "user")), "");
    EXPECT_EQ(name_of(limits, bandwidth(65536, 1, "send_recv", "nic")), "copy_pipeline");
    EXPECT_EQ(name_of(limits, bandwidth(65536, 1, "send_recv", "user")), "copy_pipeline");
}

TEST(Limits, AreOfTheSameSize) {
    const Limits limits(all_limits());
    EXPECT_EQ(limits.of(bandwidth(32768, 1, "rdma_write")), nullptr);
    ASSERT_NE(limits.of(bandwidth(65536, 1, "rdma_write")), nullptr);
    EXPECT_EQ(limits.of(bandwidth(65536, 1, "rdma_write"))->value, 20000);
}

TEST(Limits, DoNotBoundThemselvesOrSumsOfBothWays) {
    const auto rows = all_limits();
    const Limits limits(rows);
    for (const auto& row : rows)
        EXPECT_EQ(limits.of(row), nullptr) << row.metric;
    results::Row sum = bandwidth(65536, 1, "rdma_write");
    sum.metric = "bandwidth_aggregate";
    EXPECT_EQ(limits.of(sum), nullptr);
}

TEST(Limits, AreNoneWithoutTheirExperiment) {
    const Limits limits({});
    EXPECT_EQ(limits.of(latency(8, 1, "rdma_write")), nullptr);
}

}  // namespace
}  // namespace railyard::report
