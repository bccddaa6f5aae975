// A short run of every experiment over shared memory: that it ends, and that its rows are named and
// counted rightly. How fast it is, the benchmarks say.

#include <gmock/gmock.h>

#include <set>

#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

using ::testing::UnorderedElementsAre;

Wishes few() {
    Wishes wishes;
    wishes.iterations = 20;
    wishes.warmup = 2;
    return wishes;
}

Wishes few(std::vector<Bytes> sizes) {
    Wishes wishes = few();
    wishes.sizes = std::move(sizes);
    return wishes;
}

/// What every row of a real measurement must have.
void expect_plausible(const std::vector<results::Row>& rows, std::string_view experiment,
                      std::string_view metric, std::string_view unit) {
    for (const results::Row& row : rows) {
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_EQ(row.experiment, experiment);
        EXPECT_EQ(row.fabric, "shm");
        EXPECT_EQ(row.metric, metric);
        EXPECT_EQ(row.unit, unit);
        EXPECT_GT(row.value, 0);
        EXPECT_EQ(row.value, row.statistics.p50);
        EXPECT_LE(row.statistics.min, row.statistics.p1);
        EXPECT_LE(row.statistics.p1, row.statistics.p50);
        EXPECT_LE(row.statistics.p50, row.statistics.p99);
        EXPECT_GT(row.statistics.iterations, 0U);
    }
}

std::set<std::pair<std::string, std::int64_t>> points(const std::vector<results::Row>& rows) {
    std::set<std::pair<std::string, std::int64_t>> found;
    for (const auto& row : rows)
        found.emplace(text(row, results::parameter::op),
                      integer(row, results::parameter::message_bytes));
    return found;
}

class ExperimentsOnShm : public ::testing::TestWithParam<Memory> {
  protected:
    Wishes wishes(std::vector<Bytes> sizes) const {
        Wishes wishes = few(std::move(sizes));
        wishes.memory = GetParam();
        return wishes;
    }
};

TEST_P(ExperimentsOnShm, Latencies) {
    for (const auto* experiment : {"latency-uni", "latency-bi"}) {
        const auto rows = measure(experiment, "shm", wishes(some_sizes()));
        expect_plausible(rows, experiment, "latency", "us");
        const std::size_t ops = find(experiment)->defaults.ops.size();
        EXPECT_EQ(points(rows).size(), ops * some_sizes().size());
        for (const auto& row : rows)
            EXPECT_EQ(text(row, results::parameter::memory), name(GetParam()));
    }
}

TEST_P(ExperimentsOnShm, ReadsAndAtomics) {
    const auto reads = measure("latency-rdma-read", "shm", wishes(some_sizes()));
    expect_plausible(reads, "latency-rdma-read", "latency", "us");
    EXPECT_EQ(reads.size(), some_sizes().size());
    const auto atomics = measure("latency-atomic", "shm", wishes({}));
    expect_plausible(atomics, "latency-atomic", "latency", "us");
    EXPECT_THAT(points(atomics),
                UnorderedElementsAre(std::pair("fetch_add", 8), std::pair("compare_swap", 8)));
}

TEST_P(ExperimentsOnShm, Windows) {
    for (const auto* experiment : {"bandwidth-uni-window", "bandwidth-bi-window"}) {
        Wishes w = wishes({Bytes(1), Bytes(4097), Bytes(256 << 10)});
        w.iterations = 3;
        const auto rows = measure(experiment, "shm", w);
        expect_plausible(rows, experiment,
                         experiment[10] == 'u' ? "bandwidth" : "bandwidth_aggregate", "MB/s");
        EXPECT_EQ(rows.size(), 6U);
        for (const auto& row : rows)
            EXPECT_EQ(integer(row, results::parameter::window), 64);
    }
}

TEST_P(ExperimentsOnShm, Queues) {
    for (const auto* experiment : {"bandwidth-uni-queue", "bandwidth-bi-queue"}) {
        Wishes w = wishes({Bytes(1), Bytes(4097), Bytes(256 << 10)});
        w.queues = {1, 16};
        w.iterations = 100;
        const auto rows = measure(experiment, "shm", w);
        expect_plausible(rows, experiment,
                         experiment[10] == 'u' ? "bandwidth" : "bandwidth_aggregate", "MB/s");
        EXPECT_EQ(rows.size(), 12U);
    }
}

// As threads of one process, where a thread sanitizer sees both sides.
TEST_P(ExperimentsOnShm, AsThreads) {
    for (const Experiment& experiment : all()) {
        if (experiment.raw || experiment.mpi) continue;
        SCOPED_TRACE(experiment.name);
        const bool sized = !experiment.defaults.sizes.empty();
        Wishes w = wishes(sized ? std::vector{Bytes(8), Bytes(32 << 10)} : std::vector<Bytes>{});
        if (!experiment.takes_memory) w.memory.reset();
        const auto rows = measure(experiment.name, "shm", w, job::Kind::threads);
        EXPECT_FALSE(rows.empty());
        // Differences of two measurements may be of either sign, and shares 0.
        const std::set<std::string> differences{"completion_overhead", "host_overhead",
                                                "iteration_latency",
                                                "cpu_share_before_bandwidth_drop"};
        for (const auto& row : rows) {
            if (differences.contains(row.metric)) continue;
            EXPECT_GT(row.value, 0) << results::to_json_line(row);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Memories, ExperimentsOnShm, ::testing::Values(Memory::nic, Memory::user),
                         [](const auto& which) { return std::string(name(which.param)); });

TEST(Limits, AreMeasuredAtEverySize) {
    Wishes wishes = few({Bytes(64 << 10), Bytes(256 << 10)});
    wishes.iterations = 2;
    const auto rows = measure("limits", "shm", wishes);
    std::multiset<std::string> metrics;
    for (const auto& row : rows) {
        SCOPED_TRACE(results::to_json_line(row));
        EXPECT_EQ(row.fabric, "host");
        EXPECT_GT(row.value, 0);
        const bool time = row.metric == "cache_line_handover" || row.unit == "us";
        EXPECT_EQ(row.unit, time ? "us" : "MB/s");
        EXPECT_EQ(row.parameters.contains(results::parameter::message_bytes),
                  row.metric != "cache_line_handover");
        EXPECT_EQ(row.parameters.contains("chunk_bytes"), row.metric == "copy_pipeline");
        metrics.insert(row.metric + " " + row.unit);
    }
    EXPECT_EQ(metrics.count("cache_line_handover us"), 1U);
    EXPECT_EQ(metrics.count("copy MB/s"), 2U);
    EXPECT_EQ(metrics.count("copy_pipeline MB/s"), 2U);
    EXPECT_EQ(metrics.count("tcp us"), 5U);
    EXPECT_EQ(metrics.count("tcp MB/s"), 2U);
    // None at all where the kernel forbids it.
    EXPECT_THAT(metrics.count("process_vm_readv MB/s"), ::testing::AnyOf(0U, 2U));
}

}  // namespace
}  // namespace railyard::experiments
