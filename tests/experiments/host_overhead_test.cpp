// host-overhead-latency and host-overhead-bandwidth: exact on `ideal`, whose hosts work for
// nothing; over shared memory that they end, with rows named and counted rightly.

#include <gmock/gmock.h>

#include <cmath>

#include "experiments/ideal.hpp"

namespace railyard::experiments {
namespace {

using fabric::Op;

double number(const results::Row& row, const char* parameter) {
    return std::get<double>(row.parameters.at(parameter));
}

TEST(HostOverheadLatency, IsZeroWhereHostsWorkForNothing) {
    Wishes wishes{.sizes = some_sizes(), .ops = {Op::send, Op::rdma_write}};
    const auto rows = measure("host-overhead-latency", "ideal", wishes);
    ASSERT_EQ(rows.size(), 2 * some_sizes().size());
    for (const auto& row : rows) {
        EXPECT_EQ(row.metric, "host_overhead");
        EXPECT_EQ(row.unit, "us");
        EXPECT_EQ(row.value, 0);
    }
}

TEST(HostOverheadLatency, IsTheTimeInCallsForReal) {
    Wishes wishes{.sizes = {Bytes(8), Bytes(64 << 10)}, .ops = {Op::send, Op::rdma_write}};
    wishes.iterations = 200;
    wishes.warmup = 10;
    const auto overhead = measure("host-overhead-latency", "shm", wishes);
    ASSERT_EQ(overhead.size(), 4U);
    for (const auto& row : overhead) {
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_EQ(row.unit, "us");
        EXPECT_GE(row.value, 0);
    }
    // The sender's processor carries 64 KiB into the peer's memory: that is work.
    EXPECT_GT(overhead[3].value, overhead[2].value);
}

TEST(HostOverheadBandwidth, FallsOnlyWhenTheProcessorHasNothingToSpare) {
    const auto rows = measure("host-overhead-bandwidth", "ideal", {});
    ASSERT_GT(rows.size(), 10U);
    const double period = (256 << 10) / ideal_rate;  // us
    bool fallen = false;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const auto& row = rows[i];
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_EQ(row.metric, "bandwidth");
        EXPECT_EQ(row.unit, "MB/s");
        EXPECT_EQ(integer(row, results::parameter::message_bytes), 256 << 10);
        const double computation = number(row, results::parameter::computation_us);
        const double share = number(row, results::parameter::cpu_share_percent);
        // But for how a stream begins and ends.
        const double rate = std::min(ideal_rate, ideal_rate * period / computation);
        EXPECT_NEAR(row.value, rate, 0.01 * rate);
        EXPECT_NEAR(share, std::min(100.0, 100 * computation / period), 1);
        fallen = fallen || row.value < 0.6 * ideal_rate;
    }
    EXPECT_TRUE(fallen) << "the sweep goes on beyond the knee";
    EXPECT_EQ(rows.back().metric, "cpu_share_before_bandwidth_drop");
    EXPECT_EQ(rows.back().unit, "percent");
    EXPECT_NEAR(rows.back().value, 100, 1e-3);
}

TEST(HostOverheadBandwidth, RunsForReal) {
    for (const Memory memory : {Memory::nic, Memory::user}) {
        Wishes wishes{.sizes = {Bytes(16 << 10)}, .ops = {Op::send, Op::rdma_write}, .queues = {4}};
        wishes.memory = memory;
        wishes.iterations = 20;
        const auto rows = measure("host-overhead-bandwidth", "shm", wishes);
        const auto drops =
            std::ranges::count(rows, "cpu_share_before_bandwidth_drop", &results::Row::metric);
        EXPECT_EQ(drops, 2);
        for (const auto& row : rows) {
            SCOPED_TRACE(results::to_json_line(row));
            EXPECT_EQ(integer(row, results::parameter::queue), 4);
            if (row.metric == "bandwidth") {
                EXPECT_GT(row.value, 0);
                EXPECT_GE(number(row, results::parameter::cpu_share_percent), 0);
                EXPECT_LE(number(row, results::parameter::cpu_share_percent), 100);
            } else {
                EXPECT_GE(row.value, 0);
                EXPECT_LE(row.value, 100);
            }
        }
    }
}

}  // namespace
}  // namespace railyard::experiments
