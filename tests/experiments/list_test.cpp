#include <gmock/gmock.h>

#include <set>

#include "experiments/core/experiment.hpp"

namespace railyard::experiments {
namespace {

TEST(List, HasEveryExperimentOnceWithItsSource) {
    std::set<std::string_view> names;
    for (const Experiment& experiment : all()) {
        SCOPED_TRACE(experiment.name);
        EXPECT_TRUE(names.insert(experiment.name).second);
        EXPECT_FALSE(experiment.summary.empty());
        EXPECT_FALSE(experiment.summary.ends_with('.'));
        EXPECT_FALSE(experiment.source.empty());
        EXPECT_NE(experiment.run, nullptr);
    }
    EXPECT_THAT(
        names,
        ::testing::UnorderedElementsAre(
            "limits", "latency-uni", "latency-rdma-read", "latency-atomic", "bandwidth-uni-queue",
            "bandwidth-uni-window", "latency-bi", "bandwidth-bi-queue", "bandwidth-bi-window",
            "host-overhead-latency", "host-overhead-bandwidth", "completion-polling",
            "completion-blocking", "buffer-reuse-fifo", "buffer-reuse-percent", "hotspot-send",
            "hotspot-recv", "victim-flow", "quadrics-ping-uni", "quadrics-ping-bi",
            "quadrics-hotspot", "bandwidth-uni-two-port", "bandwidth-bi-two-port",
            "bandwidth-uni-two-process", "bandwidth-bi-two-process", "user-pingpong",
            "multiconn-latency", "multiconn-throughput", "mpi-latency",
            "mpi-bandwidth-uni-multiport", "mpi-bandwidth-bi-multiport", "mpi-bandwidth-uni",
            "mpi-bandwidth-pingpong", "mpi-bandwidth-bothway", "mpi-logp", "mpi-buffer-reuse",
            "mpi-unexpected-queue", "mpi-receive-queue", "mvich-latency-bandwidth", "vi-count",
            "destinations-per-process", "npb-cpu-time", "allreduce-latency", "network-collectives",
            "mpi-init-time"));
}

TEST(List, DefaultsAreAmongTheKnown) {
    for (const Experiment& experiment : all()) {
        SCOPED_TRACE(experiment.name);
        for (const fabric::Op op : experiment.defaults.ops)
            EXPECT_THAT(experiment.known_ops, ::testing::Contains(op));
    }
}

TEST(List, IsFoundByName) {
    ASSERT_NE(find("latency-uni"), nullptr);
    EXPECT_EQ(find("latency-uni")->name, "latency-uni");
    EXPECT_EQ(find("latency"), nullptr);
}

}  // namespace
}  // namespace railyard::experiments
