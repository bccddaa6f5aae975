// buffer-reuse-fifo and buffer-reuse-percent. On `ideal`, which has no translation cache, it does
// not matter which buffer is used.

#include <gmock/gmock.h>

#include <set>

#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

/// Of so many messages of half a mebibyte at 1000 MB/s, timed from the first to the answer to the
/// last: two ways of a microsecond are all that is added.
double stream_rate(std::int64_t messages) {
    const double bytes = static_cast<double>(messages) * (512 << 10);
    return bytes / (bytes / 1000 + 2);
}

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<std::int64_t> column(const std::vector<results::Row>& rows, const char* parameter) {
    std::vector<std::int64_t> values;
    for (const auto& row : rows)
        values.push_back(integer(row, parameter));
    return values;
}

TEST(BufferReuseFifo, IsFlatWhereNothingIsCached) {
    const auto rows = measure("buffer-reuse-fifo", "ideal", {});
    EXPECT_THAT(column(rows, results::parameter::buffers),
                ElementsAre(1, 2, 4, 8, 10, 11, 12, 16, 20, 25, 30));
    for (const auto& row : rows) {
        EXPECT_EQ(row.metric, "bandwidth");
        EXPECT_EQ(row.unit, "MB/s");
        EXPECT_EQ(integer(row, results::parameter::message_bytes), 512 << 10);
        EXPECT_EQ(integer(row, results::parameter::queue), 16);
        // A queue, and as many more as fill whole rounds of the buffers; and twice that, which
        // agrees.
        const std::int64_t buffers = integer(row, results::parameter::buffers);
        EXPECT_NEAR(row.value, stream_rate(2 * ((16 + buffers - 1) / buffers * buffers)), 1e-6);
    }
}

TEST(BufferReuseFifo, UsesEveryBufferBeforeTheClockStarts) {
    // A round of 40 is longer than the queue; a batch is a whole round all the same.
    Wishes wishes{.sizes = {Bytes(64)}, .queues = {2}, .buffers = {40, 3}};
    const auto rows = measure("buffer-reuse-fifo", "ideal", wishes);
    EXPECT_THAT(column(rows, results::parameter::buffers), ElementsAre(40, 3));
}

TEST(BufferReuseFifo, RunsForReal) {
    for (const Memory memory : {Memory::nic, Memory::user}) {
        Wishes wishes{.sizes = {Bytes(4097)}, .queues = {4}, .buffers = {1, 3}, .memory = memory};
        wishes.iterations = 50;
        const auto rows = measure("buffer-reuse-fifo", "shm", wishes);
        EXPECT_THAT(column(rows, results::parameter::buffers), ElementsAre(1, 3));
        for (const auto& row : rows)
            EXPECT_GT(row.value, 0);
    }
}

/// "latency 25" and so on.
std::set<std::string> points(const std::vector<results::Row>& rows) {
    std::set<std::string> found;
    for (const auto& row : rows)
        found.insert(row.metric + " " +
                     std::to_string(integer(row, results::parameter::reuse_percent)));
    return found;
}

const auto all_points = UnorderedElementsAre("latency 0", "latency 25", "latency 50", "latency 75",
                                             "latency 100", "bandwidth 0", "bandwidth 25",
                                             "bandwidth 50", "bandwidth 75", "bandwidth 100");

TEST(BufferReusePercent, IsFlatWhereNothingIsCached) {
    const auto rows = measure("buffer-reuse-percent", "ideal", {});
    EXPECT_EQ(rows.size(), 10U);
    EXPECT_THAT(points(rows), all_points);
    for (const auto& row : rows) {
        SCOPED_TRACE(results::to_json_line(row));
        const bool latency = row.metric == "latency";
        EXPECT_EQ(integer(row, results::parameter::message_bytes), latency ? 4 << 10 : 512 << 10);
        EXPECT_EQ(row.unit, latency ? "us" : "MB/s");
        EXPECT_NEAR(row.value, latency ? 1 + 4.096 : stream_rate(2 * 2 * 16), 1e-6);
    }
}

TEST(BufferReusePercent, RunsForReal) {
    for (const Memory memory : {Memory::nic, Memory::user}) {
        Wishes wishes{.queues = {4}, .memory = memory, .iterations = 8, .warmup = 1};
        const auto rows = measure("buffer-reuse-percent", "shm", wishes);
        EXPECT_THAT(points(rows), all_points);
        for (const auto& row : rows)
            EXPECT_GT(row.value, 0);
    }
}

}  // namespace
}  // namespace railyard::experiments
