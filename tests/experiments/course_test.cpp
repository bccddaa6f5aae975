#include "experiments/user/course.hpp"

#include <gmock/gmock.h>

#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr std::int64_t us = 1'000'000;

TEST(Stretch, GoesFromTheFirstMarkToTheLast) {
    const std::vector<Mark> course{{5 * us, 0}, {7 * us, 10}, {9 * us, 20}};
    EXPECT_EQ(stretch_of(course).begin, 5 * us);
    EXPECT_EQ(stretch_of(course).end, 9 * us);
    EXPECT_THROW(stretch_of(std::span(course).first(1)), Error);
}

TEST(Stretch, IsCommonWhileAllAreAtWork) {
    const std::vector<Stretch> overlapping{{0, 10}, {5, 15}, {3, 12}};
    EXPECT_EQ(common(overlapping).begin, 5);
    EXPECT_EQ(common(overlapping).end, 10);
    const std::vector<Stretch> turns{{0, 10}, {10, 15}};
    EXPECT_EQ(common(turns).begin, 0) << "never all of them: the whole, then";
    EXPECT_EQ(common(turns).end, 15);
}

TEST(Stretch, BytesFlowEvenlyBetweenMarks) {
    const std::vector<Mark> course{{0, 100}, {10 * us, 1100}, {20 * us, 1600}};
    EXPECT_THAT(moved_within(course, {0, 20.0 * us}, 1), ElementsAre(1500));
    EXPECT_THAT(moved_within(course, {0, 20.0 * us}, 2), ElementsAre(1000, 500));
    EXPECT_THAT(moved_within(course, {5.0 * us, 15.0 * us}, 1), ElementsAre(750));
    EXPECT_THAT(moved_within(course, {-10.0 * us, 30.0 * us}, 1), ElementsAre(1500));
}

TEST(Stretch, OfMarksMadeAtOneTimeTheLastCounts) {
    const std::vector<Mark> course{{0, 0}, {10 * us, 50}, {10 * us, 100}};
    EXPECT_THAT(moved_within(course, stretch_of(course), 1), ElementsAre(100));
}

TEST(Course, WithAPartInWhichNothingMovedOnlyTheWholeCounts) {
    job::Options options;
    options.fabric = "ideal";
    const job::Result result = job::run(options, [](job::Rank& rank) {
        Course course(rank);
        // One moves 20 bytes in the first 10 us, the other 20 in the last 10 of 40.
        const bool late = rank.id() == 1;
        rank.host().compute(Duration::us(late ? 30 : 0));
        course.mark(Bytes(0));
        rank.host().compute(Duration::us(10));
        course.mark(Bytes(20));
        const std::vector<int> ranks{0, 1};
        const auto rates = course.rates_of_all("turns", ranks, 4);
        if (rank.id() == 0) {
            ASSERT_EQ(rates.size(), 1U);
            EXPECT_NEAR(rates[0], 1.0, 1e-9);
        }
        rank.bootstrap().fence();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(Course, SumsWhatRanksMoveWhileAllAreAtWork) {
    job::Options options;
    options.fabric = "ideal";
    options.ranks = 4;
    // Rank n moves n bytes a microsecond, begins n us late and takes 10 us; rank 0 only listens.
    const job::Result result = job::run(options, [](job::Rank& rank) {
        Course course(rank);
        const auto n = static_cast<unsigned>(rank.id());
        rank.host().compute(Duration::us(n));
        if (n > 0) course.mark(Bytes(0));
        rank.host().compute(Duration::us(10));
        if (n > 0) course.mark(Bytes(10 * n));
        const std::vector<int> ranks{1, 2, 3};
        const auto rates = course.rates_of_all("all", ranks, 2);
        if (n == 0)
            for (const double rate : rates)
                rank.deliver(std::to_string(rate));
    });
    ASSERT_TRUE(result.ok) << result.failure;
    ASSERT_EQ(result.delivered.size(), 2U);
    for (const std::string& rate : result.delivered)
        EXPECT_THAT(std::stod(rate), DoubleNear(1 + 2 + 3, 1e-6));
}

}  // namespace
}  // namespace railyard::experiments
