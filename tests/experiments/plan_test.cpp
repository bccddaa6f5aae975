#include "experiments/core/plan.hpp"

#include <gtest/gtest.h>

#include "railyard/base/error.hpp"

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

std::vector<Variant> by_mode(const fabric::Traits&, std::optional<int> ranks) {
    return {{.parameters = {{"mode", "plain"}}},
            {.parameters = {{"mode", "rich"}}, .ranks = ranks.value_or(5)}};
}

TEST(Plan, GivesEveryVariantItsRanks) {
    Experiment experiment = sample();
    experiment.most_ranks = 8;
    experiment.virtual_ranks = 3;
    const fabric::Traits& ideal = *job::find_fabric("ideal");
    EXPECT_EQ(variants_of(experiment, ideal, {}).at(0).ranks, 3) << "one job without variants";
    experiment.variants = by_mode;
    const auto ranks = [&](const Plan& plan) {
        std::vector<int> out;
        for (const Variant& variant : variants_of(experiment, ideal, plan))
            out.push_back(variant.ranks);
        return out;
    };
    EXPECT_EQ(ranks({}), (std::vector{3, 5}));
    EXPECT_EQ(ranks({.ranks = 4}), (std::vector{4, 4}));
    EXPECT_EQ(ranks({.only = {{"mode", "rich"}}}), (std::vector{5}));
    EXPECT_EQ(ranks({.only = {{"mode", "poor"}}}), std::vector<int>{});
}

TEST(Plan, IsRefusedWithVariantsThatThereAreNot) {
    Experiment experiment = sample();
    experiment.most_ranks = 8;
    Plan plan{.experiments = {&experiment}, .fabrics = {"ideal"}, .only = {{"mode", "rich"}}};
    EXPECT_THROW(check(plan), UsageError) << "it has none at all";
    experiment.variants = by_mode;
    EXPECT_NO_THROW(check(plan));
    plan.only = {{"mode", "poor"}};
    EXPECT_THROW(check(plan), UsageError);
    plan.only = {{"colour", "rich"}};
    EXPECT_THROW(check(plan), UsageError);
}

TEST(Plan, ATraceShowsOneVariant) {
    Experiment experiment = sample();
    experiment.most_ranks = 8;
    experiment.variants = by_mode;
    Plan plan{.experiments = {&experiment}, .fabrics = {"ideal"}, .trace = "trace.json"};
    EXPECT_THROW(check(plan), UsageError);
    plan.only = {{"mode", "rich"}};
    EXPECT_NO_THROW(check(plan));
}

TEST(Plan, ALibraryIsChosenForMpiExperimentsAlone) {
    Experiment experiment = sample();
    Plan plan{.experiments = {&experiment}, .fabrics = {"ideal"}};
    plan.wishes.mpi = Library::native;
    EXPECT_THROW(check(plan), UsageError);
    experiment.mpi = true;
    EXPECT_NO_THROW(check(plan));
    plan.wishes.mpi = Library::paper;
    EXPECT_THROW(check(plan), UsageError) << "no paper has a library on this fabric";
    plan.fabrics = {"clan-via"};
    EXPECT_NO_THROW(check(plan));
}

TEST(Plan, MpiCutsWhatAFabricDoesNotCarryButCountsInInts) {
    Experiment experiment = sample();
    experiment.mpi = true;
    const fabric::Traits& ideal = *job::find_fabric("ideal");
    Plan plan{.experiments = {&experiment}, .fabrics = {"ideal"}};
    plan.wishes.queues = {ideal.max_send_depth + 1};
    EXPECT_NO_THROW(check(plan)) << "entries of a queue in memory";
    plan.wishes.sizes = {Bytes(1 << 30)};
    EXPECT_NO_THROW(check(plan));
    plan.wishes.sizes = {Bytes((1 << 30) + 1)};
    EXPECT_THROW(check(plan), UsageError);
}

}  // namespace
}  // namespace railyard::experiments
