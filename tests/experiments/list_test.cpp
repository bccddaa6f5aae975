#include <gmock/gmock.h>

#include <set>

#include "experiments/experiment.hpp"

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
    EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                           "limits", "latency-uni", "latency-rdma-read", "latency-atomic",
                           "bandwidth-uni-queue", "bandwidth-uni-window", "latency-bi",
                           "bandwidth-bi-queue", "bandwidth-bi-window"));
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
