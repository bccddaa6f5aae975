#include "sim/random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sim/engine.hpp"

namespace railyard::sim {
namespace {

TEST(Random, IsTheSameEverywhere) {
    // splitmix64 from 0 starts with these; xoshiro256** makes the numbers below of them.
    Random random(0);
    EXPECT_EQ(random(), 0x99ec5f36cb75f2b4U);
    EXPECT_EQ(random(), 0xbf6e1f784956452aU);
    EXPECT_EQ(random(), 0x1a5f849d4933e6e0U);
}

TEST(Random, SeedsAndStreamsGiveDifferentNumbers) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 30; ++seed)
        for (std::uint64_t stream = 0; stream < 30; ++stream)
            seen.insert(Random(seed, stream)());
    EXPECT_EQ(seen.size(), 900U);
}

TEST(Random, BelowReachesEachNumberAboutAsOften) {
    Random random(1);
    std::vector<int> hits(7);
    for (int i = 0; i < 70'000; ++i)
        ++hits.at(random.below(7));
    for (const int n : hits)
        EXPECT_NEAR(n, 10'000, 400);  // four standard deviations
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_LT(random.below((std::uint64_t{1} << 63) + 1), (std::uint64_t{1} << 63) + 1);
}

TEST(Random, FractionsFillTheirRange) {
    Random random(2);
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
        const double fraction = random.fraction();
        ASSERT_GE(fraction, 0);
        ASSERT_LT(fraction, 1);
        sum += fraction;
    }
    EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST(Random, AnEngineSaysItsSeedOnceSomebodyHasDrawn) {
    Engine::Options options;
    options.seed = 42;
    Engine engine(options);
    EXPECT_EQ(engine.seed_used(), std::nullopt);
    EXPECT_EQ(engine.random(3)(), Random(42, 3)());
    EXPECT_EQ(engine.seed_used(), 42U);
}

}  // namespace
}  // namespace railyard::sim
