#include "experiments/course.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Courses = std::vector<std::vector<Mark>>;

constexpr std::int64_t us = 1'000'000;

auto rate(double megabytes_per_second) {
    return DoubleNear(megabytes_per_second, 1e-9);
}

TEST(CommonRates, OfOneCourseAreItsOwn) {
    const Courses one{{{0, 100}, {10 * us, 1100}, {20 * us, 1600}}};
    EXPECT_THAT(common_rates(one, 1), ElementsAre(rate(75)));
    EXPECT_THAT(common_rates(one, 2), ElementsAre(rate(100), rate(50)));
}

TEST(CommonRates, CountOnlyTheTimeInWhichAllWereAtWork) {
    // 10 MB/s from 0 to 10 us, and 30 MB/s from 5 to 15 us: together only from 5 to 10 us.
    const Courses two{{{0, 0}, {10 * us, 100}}, {{5 * us, 0}, {15 * us, 300}}};
    EXPECT_THAT(common_rates(two, 1), ElementsAre(rate(40)));
}

TEST(CommonRates, OfTurnsAreThoseOfTheWhole) {
    const Courses turns{{{0, 0}, {10 * us, 100}}, {{10 * us, 0}, {20 * us, 100}}};
    EXPECT_THAT(common_rates(turns, 5), ElementsAre(rate(10)));
}

TEST(CommonRates, NeedTwoMarksOfEach) {
    EXPECT_THROW(common_rates(Courses{{{0, 0}}}, 1), Error);
}

}  // namespace
}  // namespace railyard::experiments
