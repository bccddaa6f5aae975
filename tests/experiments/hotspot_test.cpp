// hotspot-send and hotspot-recv. On `ideal` a Nic's messages leave one after the other, 4 ns each,
// and take 1 us from there.

#include <gmock/gmock.h>

#include "experiments/ideal.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {
namespace {

constexpr double message = 0.004;  // us on the way out

double slaves(const results::Row& row) {
    return static_cast<double>(integer(row, results::parameter::slaves));
}

std::vector<results::Row> measure_on(std::string_view experiment, std::string_view fabric,
                                     int ranks, const Wishes& wishes) {
    Plan plan{.experiments = {find(experiment)},
              .fabrics = {std::string(fabric)},
              .wishes = wishes,
              .ranks = ranks};
    Outcome outcome = run(plan, {});
    if (!outcome.failure.empty()) throw Error(outcome.failure);
    return std::move(outcome.rows);
}

TEST(Hotspot, HasOneToSevenSlaves) {
    for (const char* experiment : {"hotspot-send", "hotspot-recv"}) {
        const auto rows = measure(experiment, "ideal", {});
        ASSERT_EQ(rows.size(), 2 * 7U);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(text(rows[i], results::parameter::op), i < 7 ? "send_recv" : "rdma_write");
            EXPECT_EQ(integer(rows[i], results::parameter::slaves),
                      static_cast<std::int64_t>(i % 7 + 1));
            EXPECT_EQ(integer(rows[i], results::parameter::message_bytes), 4);
            EXPECT_EQ(rows[i].metric, "iteration_latency");
            EXPECT_EQ(rows[i].unit, "us");
        }
    }
}

TEST(HotspotSend, IsTheWayOfTheLastMessage) {
    for (const auto& row : measure("hotspot-send", "ideal", {})) {
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_NEAR(row.value, slaves(row) * message + ideal_latency, 1e-9);
        EXPECT_NEAR(row.statistics.max, row.statistics.min, 1e-9);
    }
}

TEST(HotspotRecv, IsTheWayThereAndBackOfTheLast) {
    for (const auto& row : measure("hotspot-recv", "ideal", {})) {
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_NEAR(row.value, (slaves(row) + 1) * message + 2 * ideal_latency, 1e-9);
        EXPECT_NEAR(row.statistics.max, row.statistics.min, 1e-9);
    }
}

TEST(Hotspot, HasAsManySlavesAsThereAreRanks) {
    for (const char* experiment : {"hotspot-send", "hotspot-recv"}) {
        EXPECT_EQ(measure_on(experiment, "ideal", 2, {}).size(), 2U);
        EXPECT_EQ(measure_on(experiment, "ideal", 4, {}).size(), 6U);
        EXPECT_THROW(measure_on(experiment, "ideal", 9, {}), UsageError);
    }
}

TEST(Hotspot, RunsForReal) {
    for (const char* experiment : {"hotspot-send", "hotspot-recv"}) {
        for (const Memory memory : {Memory::nic, Memory::user}) {
            const Wishes wishes{
                .sizes = {Bytes(4), Bytes(4097)}, .memory = memory, .iterations = 5, .warmup = 1};
            const auto rows = measure_on(experiment, "shm", 4, wishes);
            EXPECT_EQ(rows.size(), 2 * 2 * 3U);
            for (const auto& row : rows)
                EXPECT_EQ(row.metric, "iteration_latency");
        }
    }
}

}  // namespace
}  // namespace railyard::experiments
