// Every experiment on `ideal`, where arithmetic says what must come out: 1 us from the last byte's
// leaving to its arrival, 1 ns a byte on the way out, and nothing else. A completion comes when the
// target's answer is back.

#include <gmock/gmock.h>

#include <map>
#include <tuple>

#include "experiments/ideal.hpp"

namespace railyard::experiments {
namespace {

constexpr double exactly = 1e-12;  // but for the rounding of doubles

double expected_close(double value) {
    return value * exactly;
}

/// Checks that all rows have this metric and unit and the value that `expected(row)` says, and that
/// no sample strays from it.
template <class Expected>
void expect_rows(const std::vector<results::Row>& rows, std::size_t count, std::string_view metric,
                 std::string_view unit, Expected expected) {
    ASSERT_EQ(rows.size(), count);
    for (const results::Row& row : rows) {
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_EQ(row.fabric, "ideal");
        EXPECT_EQ(row.metric, metric);
        EXPECT_EQ(row.unit, unit);
        const double value = expected(row);
        EXPECT_NEAR(row.value, value, expected_close(value));
        EXPECT_NEAR(row.statistics.min, value, expected_close(value));
        EXPECT_NEAR(row.statistics.max, value, expected_close(value));
    }
}

TEST(ExperimentsOnIdeal, LatencyUniIsLatencyAndBytes) {
    for (const Memory memory : {Memory::nic, Memory::user}) {
        Wishes wishes = wishes_for(some_sizes());
        wishes.memory = memory;
        const auto rows = measure("latency-uni", "ideal", wishes);
        expect_rows(rows, 3 * some_sizes().size(), "latency", "us",
                    [](const auto& row) { return ideal_latency + size_of(row) / ideal_rate; });
        for (const auto& row : rows)
            EXPECT_EQ(text(row, results::parameter::memory), name(memory));
    }
}

TEST(ExperimentsOnIdeal, LatencyUniMeasuresTheOperationsAskedFor) {
    Wishes wishes = wishes_for({Bytes(8)});
    wishes.ops = {fabric::Op::rdma_write_imm};
    const auto rows = measure("latency-uni", "ideal", wishes);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(text(rows[0], results::parameter::op), "rdma_write_imm");
}

TEST(ExperimentsOnIdeal, AWriteOfNoBytesHasNoLastByteToWatch) {
    const auto rows = measure("latency-uni", "ideal", wishes_for({Bytes(0)}));
    std::vector<std::string> ops;
    for (const auto& row : rows)
        ops.push_back(text(row, results::parameter::op));
    EXPECT_THAT(ops, ::testing::ElementsAre("send_recv", "rdma_write_imm"));
}

TEST(ExperimentsOnIdeal, LatencyRdmaReadIsTwoWaysAndBytes) {
    expect_rows(measure("latency-rdma-read", "ideal", wishes_for(some_sizes())),
                some_sizes().size(), "latency", "us",
                [](const auto& row) { return 2 * ideal_latency + size_of(row) / ideal_rate; });
}

TEST(ExperimentsOnIdeal, LatencyAtomicIsThatOfASmallRead) {
    const auto rows = measure("latency-atomic", "ideal", {});
    const auto read = measure("latency-rdma-read", "ideal", wishes_for({Bytes(8)}));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(text(rows[0], results::parameter::op), "fetch_add");
    EXPECT_EQ(text(rows[1], results::parameter::op), "compare_swap");
    for (const auto& row : rows) {
        EXPECT_EQ(integer(row, results::parameter::message_bytes), 8);
        EXPECT_GE(row.value, 2 * ideal_latency);
        // The operands travel as well: at most 16 bytes more than a read's request.
        EXPECT_NEAR(row.value, read.at(0).value, 16 / ideal_rate);
    }
}

TEST(ExperimentsOnIdeal, LatencyBiIsThatOfOneWayWhereNothingIsShared) {
    expect_rows(measure("latency-bi", "ideal", wishes_for(some_sizes())), 2 * some_sizes().size(),
                "latency", "us",
                [](const auto& row) { return ideal_latency + size_of(row) / ideal_rate; });
}

/// Half the queue is posted when half the queue has finished. Where its bytes take longer than the
/// answer, the link never rests; else each half turns around on its own. A long stream is timed
/// from its beginning to the answer to its end; the second is twice as long, and agrees with the
/// first.
double bandwidth_of_stream(const results::Row& row) {
    const auto queue = static_cast<double>(integer(row, results::parameter::queue));
    const double bytes = queue * size_of(row);
    constexpr double bulk = 4 << 20;
    if (bytes >= bulk) return 2 * bytes / (2 * bytes / ideal_rate + 2 * ideal_latency);
    return std::min(ideal_rate, bytes / (bytes / 2 / ideal_rate + 2 * ideal_latency));
}

TEST(ExperimentsOnIdeal, BandwidthUniQueueRisesToTheRate) {
    Wishes wishes = wishes_for(some_sizes());
    wishes.queues = {2, 8, 100};
    const auto rows = measure("bandwidth-uni-queue", "ideal", wishes);
    expect_rows(rows, 2 * 3 * some_sizes().size(), "bandwidth", "MB/s", bandwidth_of_stream);
    EXPECT_NEAR(rows.back().value, ideal_rate, ideal_rate / 1000);
}

TEST(ExperimentsOnIdeal, BandwidthUniQueueWithOneMessageIsARoundTripEach) {
    Wishes wishes = wishes_for({Bytes(4096)});
    wishes.queues = {1};
    expect_rows(measure("bandwidth-uni-queue", "ideal", wishes), 2, "bandwidth", "MB/s",
                [](const auto& row) {
                    return size_of(row) / (size_of(row) / ideal_rate + 2 * ideal_latency);
                });
}

TEST(ExperimentsOnIdeal, BandwidthBiQueueIsTwiceOneWay) {
    Wishes wishes = wishes_for(some_sizes());
    wishes.queues = {8};
    expect_rows(measure("bandwidth-bi-queue", "ideal", wishes), 2 * some_sizes().size(),
                "bandwidth_aggregate", "MB/s",
                [](const auto& row) { return 2 * bandwidth_of_stream(row); });
}

TEST(ExperimentsOnIdeal, BandwidthUniWindowPaysOneReplyAWindow) {
    expect_rows(measure("bandwidth-uni-window", "ideal", wishes_for(some_sizes())),
                2 * some_sizes().size(), "bandwidth", "MB/s", window_bandwidth);
    Wishes wishes = wishes_for({Bytes(4096)});
    wishes.window = 3;
    expect_rows(measure("bandwidth-uni-window", "ideal", wishes), 2, "bandwidth", "MB/s",
                window_bandwidth);
}

TEST(ExperimentsOnIdeal, BandwidthBiWindowIsTwiceOneWay) {
    expect_rows(measure("bandwidth-bi-window", "ideal", wishes_for(some_sizes())),
                2 * some_sizes().size(), "bandwidth_aggregate", "MB/s",
                [](const auto& row) { return 2 * window_bandwidth(row); });
}

TEST(ExperimentsOnIdeal, TwoRunsGiveTheSameBytes) {
    for (const Experiment& experiment : all()) {
        if (experiment.raw) continue;
        SCOPED_TRACE(experiment.name);
        const Wishes wishes =
            experiment.defaults.sizes.empty() ? Wishes{} : wishes_for(some_sizes());
        const auto once = measure(experiment.name, "ideal", wishes);
        const auto again = measure(experiment.name, "ideal", wishes);
        // Nobody connects there, so nobody's partners are counted.
        ASSERT_EQ(once.empty(), experiment.name == "destinations-per-process");
        ASSERT_EQ(once.size(), again.size());
        for (std::size_t i = 0; i < once.size(); ++i)
            EXPECT_EQ(results::to_json_line(once[i]), results::to_json_line(again[i]));
    }
}

TEST(ExperimentsOnIdeal, IterationsAreThoseAskedFor) {
    Wishes wishes = wishes_for({Bytes(8)});
    wishes.iterations = 7;
    wishes.warmup = 0;
    for (const auto& row : measure("latency-uni", "ideal", wishes)) {
        EXPECT_LE(row.statistics.iterations, 7U);
        EXPECT_NEAR(row.value, ideal_latency + 8 / ideal_rate, 1e-9);
    }
}

}  // namespace
}  // namespace railyard::experiments
