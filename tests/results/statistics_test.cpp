#include "results/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "railyard/base/error.hpp"

namespace railyard::results {
namespace {

TEST(Statistics, OfOneSampleIsThatSample) {
    const Statistics s = summarize({2.5});
    EXPECT_EQ(s, single(2.5));
    EXPECT_EQ(s.p1, 2.5);
    EXPECT_EQ(s.p99, 2.5);
    EXPECT_EQ(s.spread, 0);
    EXPECT_EQ(s.iterations, 1u);
}

TEST(Statistics, InterpolateBetweenNeighbours) {
    const Statistics s = summarize({4, 1, 3, 2});
    EXPECT_DOUBLE_EQ(s.p50, 2.5);
    EXPECT_DOUBLE_EQ(s.mean, 2.5);
    EXPECT_DOUBLE_EQ(s.min, 1);
    EXPECT_DOUBLE_EQ(s.max, 4);
    EXPECT_DOUBLE_EQ(s.p1, 1.03);
    EXPECT_DOUBLE_EQ(s.p99, 3.97);
    EXPECT_DOUBLE_EQ(s.spread, (3.25 - 1.75) / 2.5);
    EXPECT_EQ(s.iterations, 4u);
}

TEST(Statistics, OfZeroToHundredAreThePercentiles) {
    std::vector<double> samples(101);
    std::iota(samples.begin(), samples.end(), 0.0);
    std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
    const Statistics s = summarize(samples);
    EXPECT_DOUBLE_EQ(s.p1, 1);
    EXPECT_DOUBLE_EQ(s.p50, 50);
    EXPECT_DOUBLE_EQ(s.p99, 99);
    EXPECT_DOUBLE_EQ(s.mean, 50);
    EXPECT_DOUBLE_EQ(s.spread, 1);
}

TEST(Statistics, MedianIsNotMovedByOutliers) {
    const Statistics s = summarize({1, 1, 1, 1, 1000});
    EXPECT_EQ(s.p50, 1);
    EXPECT_EQ(s.max, 1000);
    EXPECT_EQ(s.spread, 0);
}

TEST(Statistics, EqualSamplesGiveExactlyThemselves) {
    // 0.1 has no exact binary form: sums and interpolations of it round.
    const Statistics s = summarize(std::vector<double>(1000, 0.1));
    EXPECT_EQ(s.p1, 0.1);
    EXPECT_EQ(s.p50, 0.1);
    EXPECT_EQ(s.p99, 0.1);
    EXPECT_EQ(s.mean, 0.1);
    EXPECT_EQ(s.spread, 0);
}

TEST(Statistics, DoNotDependOnTheOrderOfSamples) {
    std::vector<double> samples;
    for (int i = 1; i <= 1000; ++i)
        samples.push_back(1.0 / i);
    const Statistics there = summarize(samples);
    std::reverse(samples.begin(), samples.end());
    EXPECT_EQ(summarize(samples), there);
}

TEST(Statistics, SpreadIsNoughtWhenTheMedianIs) {
    EXPECT_EQ(summarize({-1, 0, 1}).spread, 0);
    EXPECT_GT(summarize({-3, -2, -1}).spread, 0);
}

TEST(Statistics, RefuseWhatIsNoSample) {
    EXPECT_THROW(summarize({}), Error);
    EXPECT_THROW(summarize({1, std::nan("")}), Error);
    EXPECT_THROW(summarize({std::numeric_limits<double>::infinity()}), Error);
    EXPECT_THROW(single(std::nan("")), Error);
}

}  // namespace
}  // namespace railyard::results
