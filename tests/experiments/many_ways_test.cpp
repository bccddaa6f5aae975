// The experiments with placements, ports, processes and connections on `ideal`, where arithmetic
// says what must come out: 1 us from the last byte's leaving to its arrival, 1 ns a byte on the way
// out of a rank, and nothing else.

#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/ideal.hpp"

namespace railyard::experiments {
namespace {

using ::testing::SizeIs;
namespace parameter = results::parameter;

std::vector<results::Row> only(const std::vector<results::Row>& rows, std::string_view metric) {
    std::vector<results::Row> found;
    std::ranges::copy_if(rows, std::back_inserter(found),
                         [&](const results::Row& row) { return row.metric == metric; });
    return found;
}

/// All rows have this unit and the value that `expected(row)` says, and no sample strays from it.
template <class Expected>
void expect_rows(const std::vector<results::Row>& rows, std::size_t count, std::string_view unit,
                 Expected expected) {
    EXPECT_EQ(rows.size(), count);
    for (const results::Row& row : rows) {
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_EQ(row.unit, unit);
        const double value = expected(row);
        EXPECT_NEAR(row.statistics.min, value, value * 1e-9);
        EXPECT_NEAR(row.statistics.max, value, value * 1e-9);
    }
}

double one_way(const results::Row& row) {
    return ideal_latency + size_of(row) / ideal_rate;
}

double one_round_trip(const results::Row& row) {
    return one_way(row) + ideal_latency;
}

double bandwidth_of_queue(const results::Row& row) {
    const double bytes = static_cast<double>(integer(row, parameter::queue)) * size_of(row);
    return std::min(ideal_rate, bytes / (bytes / 2 / ideal_rate + 2 * ideal_latency));
}

TEST(QuadricsPing, IsLatencyAndRateOfMainMemoryWhereThereIsNoOther) {
    Wishes wishes = wishes_for({Bytes(0), Bytes(64), Bytes(4096), Bytes(64 << 10)});
    wishes.ops = {fabric::Op::rdma_write, fabric::Op::rdma_write_imm};
    for (const bool both : {false, true}) {
        const auto rows = measure(both ? "quadrics-ping-bi" : "quadrics-ping-uni", "ideal", wishes);
        // No bytes leave no last one to watch; beyond 4 KiB only bandwidth is asked for.
        expect_rows(only(rows, "latency"), 5, "us", one_way);
        expect_rows(only(rows, both ? "bandwidth_per_direction" : "bandwidth"), 3, "MB/s",
                    bandwidth_of_queue);
        EXPECT_THAT(rows, SizeIs(8));
        for (const auto& row : rows) {
            EXPECT_EQ(text(row, parameter::source), "main");
            EXPECT_EQ(text(row, parameter::destination), "main");
        }
    }
}

TEST(QuadricsPing, GoesThroughTheTaggedPort) {
    Wishes wishes = wishes_for({Bytes(0), Bytes(64), Bytes(4096)});
    wishes.ops = {fabric::Op::send};
    wishes.queues = {4};
    for (const bool both : {false, true}) {
        const auto rows = measure(both ? "quadrics-ping-bi" : "quadrics-ping-uni", "ideal", wishes);
        expect_rows(only(rows, "latency"), 3, "us", one_way);
        expect_rows(only(rows, both ? "bandwidth_per_direction" : "bandwidth"), 2, "MB/s",
                    [](const auto& row) { return bandwidth_of_window(4, row); });
        for (const auto& row : rows)
            EXPECT_EQ(text(row, parameter::op), "tagged");
    }
}

TEST(QuadricsHotspot, ReadsShareTheLinkOfTheOneThatIsRead) {
    const auto rows = measure("quadrics-hotspot", "ideal", wishes_for({Bytes(64 << 10)}));
    std::vector<std::int64_t> nodes;
    for (const auto& row : only(rows, "bandwidth_aggregate")) {
        SCOPED_TRACE(results::to_json_line(row));
        const bool read = text(row, parameter::access) == "read";
        const auto n = integer(row, parameter::nodes);
        if (read) nodes.push_back(n);
        // Requests enough to fill a way. A rank's way out is all that is shared: writers have one
        // each, readers wait for the target's.
        const double expected = read ? ideal_rate : ideal_rate * static_cast<double>(n);
        EXPECT_NEAR(row.value, expected, expected * 0.005);
    }
    EXPECT_THAT(nodes, ::testing::ElementsAre(1, 2, 4, 8, 15));
    for (const auto& row : only(rows, "bandwidth_per_node")) {
        const auto all = std::ranges::find_if(rows, [&](const results::Row& other) {
            return other.metric == "bandwidth_aggregate" && other.parameters == row.parameters;
        });
        ASSERT_NE(all, rows.end());
        EXPECT_NEAR(row.value * static_cast<double>(integer(row, parameter::nodes)), all->value,
                    all->value * 1e-9);
    }
}

TEST(QuadricsHotspot, GoesAsFarAsThereAreRanks) {
    Plan plan{.experiments = {find("quadrics-hotspot")}, .fabrics = {"ideal"}};
    plan.wishes = wishes_for({Bytes(4096)});
    plan.ranks = 4;
    std::vector<std::int64_t> nodes;
    for (const auto& row : only(run(plan, {}).rows, "bandwidth_aggregate"))
        nodes.push_back(integer(row, parameter::nodes));
    EXPECT_THAT(nodes, ::testing::ElementsAre(1, 1, 2, 2, 3, 3));
}

TEST(TwoPort, WithOnePortIsTheWindowOfThatPort) {
    const Wishes wishes = wishes_for({Bytes(8), Bytes(8192), Bytes(64 << 10)});
    const auto uni = measure("bandwidth-uni-two-port", "ideal", wishes);
    expect_rows(only(uni, "bandwidth"), 3, "MB/s", window_bandwidth);
    const auto bi = measure("bandwidth-bi-two-port", "ideal", wishes);
    expect_rows(only(bi, "bandwidth_aggregate"), 3, "MB/s",
                [](const auto& row) { return 2 * window_bandwidth(row); });
    for (const auto& row : bi) {
        EXPECT_EQ(integer(row, parameter::ports), 1);
        EXPECT_EQ(integer(row, parameter::processes), 1);
        EXPECT_FALSE(row.parameters.contains(parameter::mode));
    }
}

TEST(TwoProcess, IsTheSumOfBothPairs) {
    const Wishes wishes = wishes_for({Bytes(8), Bytes(64 << 10)});
    const auto uni = measure("bandwidth-uni-two-process", "ideal", wishes);
    expect_rows(only(uni, "bandwidth_aggregate"), 2, "MB/s",
                [](const auto& row) { return 2 * window_bandwidth(row); });
    const auto bi = measure("bandwidth-bi-two-process", "ideal", wishes);
    expect_rows(only(bi, "bandwidth_aggregate"), 2, "MB/s",
                [](const auto& row) { return 4 * window_bandwidth(row); });
    for (const auto& row : bi)
        EXPECT_EQ(integer(row, parameter::processes), 2);
}

TEST(UserPingpong, BandwidthFollowsFromLatency) {
    const std::vector<Bytes> sizes{Bytes(1), Bytes(64), Bytes(4097)};
    const auto rows = measure("user-pingpong", "ideal", wishes_for(sizes));
    expect_rows(only(rows, "latency"), 2 * sizes.size(), "us", one_way);
    expect_rows(only(rows, "bandwidth"), 2 * sizes.size(), "MB/s",
                [](const auto& row) { return size_of(row) / one_way(row); });
    // Messages go through the tagged port where there is one.
    for (const auto& row : rows)
        EXPECT_EQ(text(row, parameter::level),
                  text(row, parameter::op) == "send_recv" ? "tagged" : "queue_pair");
}

TEST(Multiconn, LatencyIsSharedByAllConnections) {
    const std::vector<Bytes> sizes{Bytes(4), Bytes(4096)};
    const auto rows = measure("multiconn-latency", "ideal", wishes_for(sizes));
    expect_rows(only(rows, "normalized_latency"), 9 * sizes.size(), "us", [](const auto& row) {
        const auto connections = static_cast<double>(integer(row, parameter::connections));
        return (ideal_latency + connections * size_of(row) / ideal_rate) / connections;
    });
    EXPECT_EQ(integer(rows.back(), parameter::connections), 256);
}

TEST(Multiconn, ThroughputDoesNotDependOnTheConnectionsOfAnIdealAdapter) {
    const std::vector<Bytes> sizes{Bytes(4), Bytes(4096)};
    const auto rows = measure("multiconn-throughput", "ideal", wishes_for(sizes));
    expect_rows(only(rows, "throughput"), 9 * sizes.size(), "MB/s", [](const auto& row) {
        // 64 messages under way; each answer lets the next one go.
        return 2 * std::min(ideal_rate, 64 * size_of(row) / one_round_trip(row));
    });
}

}  // namespace
}  // namespace railyard::experiments
