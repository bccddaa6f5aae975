// The shapes of throughput and latency against offered load, on a tree of 64 nodes.

#include "interconnects/quadrics/elite/load.hpp"

#include <gmock/gmock.h>

#include <set>

#include "railyard/base/error.hpp"

namespace railyard::elite {
namespace {

using namespace railyard::literals;

Load tree_of_64(Pattern pattern) {
    Load load;
    load.parameters.dimension = 3;
    load.pattern = pattern;
    load.payload = 320_B;
    load.measured = 200_us;
    return load;
}

TEST(EliteLoad, PatternsAreWhatTheirNamesSay) {
    sim::Random random(1);
    std::set<NodeId> hit;
    for (int i = 0; i < 2000; ++i)
        hit.insert(*destination(Pattern::uniform, 5, 64, random));
    EXPECT_EQ(hit.size(), 63U);
    EXPECT_FALSE(hit.contains(5));
    EXPECT_EQ(destination(Pattern::bit_complement, 0b001011, 64, random), NodeId{0b110100});
    EXPECT_EQ(destination(Pattern::transpose, 0b001011, 64, random), NodeId{0b011001});
    EXPECT_EQ(destination(Pattern::transpose, 0b011011, 64, random), std::nullopt);
    EXPECT_EQ(destination(Pattern::hot_spot, 9, 64, random), NodeId{0});
    EXPECT_EQ(destination(Pattern::hot_spot, 0, 64, random), std::nullopt);
}

TEST(EliteLoad, WaitingTimesHaveMeanOneAndNoMemory) {
    sim::Random random(2);
    double sum = 0;
    double squares = 0;
    constexpr int many = 100'000;
    for (int i = 0; i < many; ++i) {
        const double x = random.exponential();
        sum += x;
        squares += x * x;
    }
    EXPECT_NEAR(sum / many, 1, 0.02);
    EXPECT_NEAR(squares / many, 2, 0.08);
}

// While there is room, all that is offered arrives, at nearly the latency of an empty network.
TEST(EliteLoad, LittleLoadIsCarried) {
    for (const Pattern pattern : {Pattern::uniform, Pattern::bit_complement, Pattern::transpose}) {
        Load load = tree_of_64(pattern);
        load.offered = 0.05;
        const LoadPoint point = run_load(load);
        EXPECT_NEAR(point.accepted / point.offered, 1, 0.05);
        EXPECT_LT(point.mean_latency, 1300_ns);  // empty: 35 * 5 + 5 * 172 = 1035 ns
    }
}

// Throughput rises, saturates below capacity, and does not fall again; latency only rises.
TEST(EliteLoad, SaturatesBelowCapacity) {
    for (const Pattern pattern : {Pattern::uniform, Pattern::bit_complement, Pattern::transpose}) {
        const auto points = run_loads(tree_of_64(pattern), {0.1, 0.2, 0.5, 0.9, 1.2});
        for (std::size_t i = 1; i < points.size(); ++i) {
            EXPECT_GT(points[i].accepted, points[i - 1].accepted * 0.97);
            EXPECT_GT(points[i].mean_latency, points[i - 1].mean_latency);
        }
        EXPECT_LT(points.back().accepted, 0.85);
        EXPECT_GT(points.back().accepted, 0.3);
        EXPECT_NEAR(points[4].accepted / points[3].accepted, 1, 0.05);
        EXPECT_GT(points.back().mean_latency, points.front().mean_latency * 5);
    }
}

// Bit complement is free of conflicts in a fat tree: four nodes of a switch, four links up, and no
// two ways down meet. Nothing is ever blocked, and no pattern is carried better.
TEST(EliteLoad, BitComplementIsTheBestAndUniformNot) {
    Load load = tree_of_64(Pattern::bit_complement);
    load.offered = 1.0;
    const LoadPoint complement = run_load(load);
    EXPECT_EQ(complement.counters.blocked, 0U);
    load.pattern = Pattern::uniform;
    const LoadPoint uniform = run_load(load);
    EXPECT_GT(uniform.counters.blocked, uniform.counters.sent / 2);
    EXPECT_LT(uniform.accepted, complement.accepted * 0.7);
}

// All to one: its link is all there is, a 64th of it for each.
TEST(EliteLoad, AHotSpotSaturatesAtItsLink) {
    const auto points = run_loads(tree_of_64(Pattern::hot_spot), {0.01, 0.1});
    EXPECT_LT(points[0].accepted, 1.0 / 64);
    EXPECT_GT(points[0].accepted, 0.008);
    EXPECT_LT(points[1].accepted, 1.0 / 64);
    EXPECT_GT(points[1].accepted, 0.8 / 64);
    EXPECT_GT(points[1].mean_latency, points[0].mean_latency * 5);
}

// The same argument gives the same figures; another seed others.
TEST(EliteLoad, IsRepeatable) {
    for (const Detail detail : {Detail::packets, Detail::flits}) {
        Load load = tree_of_64(Pattern::uniform);
        load.parameters.dimension = 2;
        load.parameters.detail = detail;
        load.offered = 0.6;
        load.measured = 40_us;
        const LoadPoint first = run_load(load);
        const LoadPoint again = run_load(load);
        EXPECT_EQ(first.mean_latency, again.mean_latency);
        EXPECT_EQ(first.packets, again.packets);
        EXPECT_EQ(first.events, again.events);
        load.seed = 2;
        EXPECT_NE(run_load(load).mean_latency, first.mean_latency);
    }
}

// A packet takes three events and the wish for one, however large the tree.
TEST(EliteLoad, EventsDoNotGrowWithTheTree) {
    for (const unsigned dimension : {2U, 5U}) {
        Load load = tree_of_64(Pattern::bit_complement);
        load.parameters.dimension = dimension;
        load.offered = 0.02;
        load.measured = dimension == 2 ? 640_us : 20_us;
        const LoadPoint point = run_load(load);
        EXPECT_LT(static_cast<double>(point.events),
                  4.1 * static_cast<double>(point.counters.sent));
    }
}

TEST(EliteLoad, SaysWhatIsNoLoad) {
    Load load;
    load.offered = 0;
    EXPECT_THROW(static_cast<void>(run_load(load)), UsageError);
}

}  // namespace
}  // namespace railyard::elite
