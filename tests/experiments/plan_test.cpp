#include "experiments/plan.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railyard::experiments {
namespace {

using fabric::Op;

Experiment sample() {
    return {.name = "sample",
            .defaults = {.sizes = {Bytes(4), Bytes(8), Bytes(16), Bytes(64), Bytes(100)},
                         .ops = {Op::send},
                         .queues = {8, 16},
                         .buffers = {1, 2},
                         .window = 64},
            .known_ops = {Op::send, Op::rdma_write}};
}

TEST(Plan, LeavesDefaultsWhereNothingIsWished) {
    const Request request = resolve(sample(), {});
    EXPECT_EQ(request.sizes, sample().defaults.sizes);
    EXPECT_EQ(request.ops, std::vector{Op::send});
    EXPECT_EQ(request.queues, (std::vector<unsigned>{8, 16}));
    EXPECT_EQ(request.buffers, (std::vector<unsigned>{1, 2}));
    EXPECT_EQ(request.window, 64u);
    EXPECT_EQ(request.memory, Memory::nic);
    EXPECT_FALSE(request.iterations);
    EXPECT_FALSE(request.quick);
}

TEST(Plan, TakesWishes) {
    const Request request = resolve(sample(), {.sizes = {Bytes(1)},
                                               .ops = {Op::rdma_read, Op::rdma_write},
                                               .queues = {3},
                                               .buffers = {4, 9},
                                               .window = 5,
                                               .memory = Memory::user,
                                               .iterations = 7,
                                               .warmup = 0});
    EXPECT_EQ(request.sizes, std::vector{Bytes(1)});
    EXPECT_EQ(request.ops, std::vector{Op::rdma_write}) << "only what the experiment knows";
    EXPECT_EQ(request.queues, std::vector<unsigned>{3});
    EXPECT_EQ(request.buffers, (std::vector<unsigned>{4, 9}));
    EXPECT_EQ(request.window, 5u);
    EXPECT_EQ(request.memory, Memory::user);
    EXPECT_EQ(request.iterations, 7u);
    EXPECT_EQ(request.warmup, 0u);
}

TEST(Plan, GivesAnExperimentNoParameterThatItDoesNotHave) {
    const Experiment bare{.name = "bare", .takes_memory = false};
    const Request request = resolve(bare, {.sizes = {Bytes(1)},
                                           .ops = {Op::send},
                                           .queues = {3},
                                           .buffers = {4},
                                           .window = 5,
                                           .memory = Memory::user});
    EXPECT_TRUE(request.sizes.empty());
    EXPECT_TRUE(request.ops.empty());
    EXPECT_TRUE(request.queues.empty());
    EXPECT_TRUE(request.buffers.empty());
    EXPECT_EQ(request.window, 0u);
    EXPECT_EQ(request.memory, Memory::nic);
}

TEST(Plan, LooksAtFewerDefaultSizesWhenQuick) {
    EXPECT_EQ(resolve(sample(), {.quick = true}).sizes,
              (std::vector{Bytes(4), Bytes(8), Bytes(64), Bytes(100)}));
    EXPECT_EQ(resolve(sample(), {.sizes = {Bytes(16), Bytes(32)}, .quick = true}).sizes,
              (std::vector{Bytes(16), Bytes(32)}))
        << "sizes that were asked for are all measured";
}

TEST(Plan, IsRefusedWhenAFabricCannotCarryIt) {
    const Experiment experiment = sample();
    const fabric::Traits& ideal = *job::find_fabric("ideal");
    Plan plan{.experiments = {&experiment}, .fabrics = {"ideal"}};
    EXPECT_NO_THROW(check(plan));
    plan.wishes.sizes = {ideal.max_message + Bytes(1)};
    EXPECT_THROW(check(plan), UsageError);
    plan.wishes.sizes = {ideal.max_message};
    EXPECT_NO_THROW(check(plan));
    plan.wishes.queues = {ideal.max_send_depth + 1};
    EXPECT_THROW(check(plan), UsageError);
}

TEST(Plan, IsRefusedWithoutExperimentsOrFabrics) {
    const Experiment experiment = sample();
    EXPECT_THROW(check({.experiments = {}, .fabrics = {"ideal"}}), UsageError);
    EXPECT_THROW(check({.experiments = {&experiment}, .fabrics = {}}), UsageError);
    EXPECT_THROW(check({.experiments = {&experiment}, .fabrics = {"no-such"}}), UsageError);
}

TEST(Plan, IsRefusedWithRanksThatDoNotFit) {
    Experiment experiment = sample();
    experiment.least_ranks = 2;
    experiment.most_ranks = 4;
    for (const int ranks : {2, 3, 4})
        EXPECT_NO_THROW(
            check({.experiments = {&experiment}, .fabrics = {"ideal"}, .ranks = ranks}));
    for (const int ranks : {1, 5})
        EXPECT_THROW(check({.experiments = {&experiment}, .fabrics = {"ideal"}, .ranks = ranks}),
                     UsageError);
}

}  // namespace
}  // namespace railyard::experiments
