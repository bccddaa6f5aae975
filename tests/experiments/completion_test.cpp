// completion-polling and completion-blocking: three rows a size, of which the last is the
// difference of the first two.

#include <gmock/gmock.h>

#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

class Completion : public ::testing::TestWithParam<const char*> {};

/// Checks the three rows of each size, and returns the overheads.
std::vector<double> overheads(const std::vector<results::Row>& rows) {
    std::vector<double> found;
    EXPECT_EQ(rows.size(), 3 * some_sizes().size());
    for (std::size_t i = 0; i + 2 < rows.size(); i += 3) {
        const auto& watched = rows[i];
        const auto& told = rows[i + 1];
        const auto& overhead = rows[i + 2];
        SCOPED_TRACE(results::to_json_line(overhead));
        EXPECT_EQ(watched.metric, "latency");
        EXPECT_EQ(told.metric, "latency");
        EXPECT_EQ(overhead.metric, "completion_overhead");
        EXPECT_EQ(text(watched, results::parameter::method), "memory");
        EXPECT_EQ(text(told, results::parameter::method), "immediate");
        EXPECT_EQ(text(overhead, results::parameter::method), "immediate");
        for (const auto* row : {&watched, &told, &overhead}) {
            EXPECT_EQ(row->unit, "us");
            EXPECT_EQ(integer(*row, results::parameter::message_bytes),
                      static_cast<std::int64_t>(some_sizes()[i / 3].count()));
        }
        found.push_back(overhead.value);
    }
    return found;
}

TEST_P(Completion, CostsNothingWhereNothingDoes) {
    Wishes wishes{.sizes = some_sizes()};
    const auto rows = measure(GetParam(), "ideal", wishes);
    for (const double overhead : overheads(rows))
        EXPECT_EQ(overhead, 0);
    for (const auto& row : rows) {
        if (row.metric != "latency") continue;
        const auto size = static_cast<double>(integer(row, results::parameter::message_bytes));
        EXPECT_NEAR(row.value, 1 + size / 1000, 1e-9);
    }
}

TEST_P(Completion, RunsForReal) {
    for (const Memory memory : {Memory::nic, Memory::user}) {
        Wishes wishes{.sizes = some_sizes(), .memory = memory, .iterations = 20, .warmup = 2};
        const auto rows = measure(GetParam(), "shm", wishes);
        overheads(rows);
        for (const auto& row : rows)
            if (row.metric == "latency") {
                EXPECT_GT(row.value, 0);
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Waits, Completion,
                         ::testing::Values("completion-polling", "completion-blocking"),
                         [](const auto& which) {
                             return std::string(which.param).substr(sizeof("completion-") - 1);
                         });

}  // namespace
}  // namespace railyard::experiments
