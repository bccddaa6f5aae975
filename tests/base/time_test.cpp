#include "railyard/base/time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace railyard {
namespace {

using namespace literals;

TEST(Duration, UnitsAreThousandsOfEachOther) {
    EXPECT_EQ(1_ns, 1000_ps);
    EXPECT_EQ(1_us, 1000_ns);
    EXPECT_EQ(1_ms, 1000_us);
    EXPECT_EQ(1_s, 1000_ms);
    EXPECT_EQ((1_s).picoseconds(), 1'000'000'000'000);
    EXPECT_EQ(Duration().picoseconds(), 0);
}

TEST(Duration, LiteralsTakeDecimals) {
    EXPECT_EQ(1.5_us, 1500_ns);
    EXPECT_EQ(0.35_ns, 350_ps);
    EXPECT_EQ(0.0004_ns, 0_ps);
    EXPECT_EQ(0.0006_ns, 1_ps);
}

TEST(Duration, FromSecondsRoundsToTheNearestEitherSideOfZero) {
    EXPECT_EQ(Duration::from_seconds(1.4e-12), 1_ps);
    EXPECT_EQ(Duration::from_seconds(1.6e-12), 2_ps);
    EXPECT_EQ(Duration::from_seconds(-1.4e-12), Duration::ps(-1));
    EXPECT_EQ(Duration::from_seconds(-1.6e-12), Duration::ps(-2));
    EXPECT_EQ(Duration::from_seconds(0.25), 250_ms);
}

TEST(Duration, ReadsInOtherUnits) {
    EXPECT_DOUBLE_EQ((1500_ns).microseconds(), 1.5);
    EXPECT_DOUBLE_EQ((1500_ps).nanoseconds(), 1.5);
    EXPECT_DOUBLE_EQ((1500_ms).seconds(), 1.5);
}

TEST(Duration, Arithmetic) {
    EXPECT_EQ(3_us + 5_ns, 3005_ns);
    EXPECT_EQ(3_us - 5_us, Duration::us(-2));
    EXPECT_EQ(3_us * 4, 12_us);
    EXPECT_EQ(4 * 3_us, 12_us);
    EXPECT_EQ(7_ps / 2, 3_ps);
    EXPECT_DOUBLE_EQ(3_us / 2_us, 1.5);
    Duration d = 1_us;
    d += 2_us;
    EXPECT_EQ(d, 3_us);
    d -= 5_us;
    EXPECT_LT(d, Duration());
}

TEST(Duration, ForeverIsLongerThanAnything) {
    EXPECT_GT(Duration::forever(), Duration::s(9'000'000));
    EXPECT_EQ(Duration::forever().picoseconds(), std::numeric_limits<std::int64_t>::max());
}

TEST(Duration, WorksAtCompileTime) {
    static_assert(2_us + 500_ns == 2.5_us);
    static_assert(Time::at(1_us) + 1_us == Time::at(2_us));
}

TEST(Time, PointsAndSpans) {
    const Time a = Time::at(10_us);
    EXPECT_EQ(a + 5_us, Time::at(15_us));
    EXPECT_EQ((a + 5_us) - a, 5_us);
    EXPECT_EQ(a - (a + 5_us), Duration::us(-5));
    EXPECT_EQ(a + Duration::us(-4), Time::at(6_us));
    EXPECT_EQ(Time(), Time::at(Duration()));
    EXPECT_LT(a, a + 1_ps);
}

TEST(Time, NeverStaysNever) {
    EXPECT_EQ(Time::never() + Duration(), Time::never());
    EXPECT_EQ(Time::never() + 1_ps, Time::never());
    EXPECT_EQ(Time::never() + Duration::ps(-1), Time::never());
    EXPECT_EQ(Time::never() + Duration::forever(), Time::never());
}

TEST(Time, SumsBeyondTheRangeAreNever) {
    const Time late = Time::at(Duration::ps(std::numeric_limits<std::int64_t>::max() - 1));
    EXPECT_LT(late, Time::never());
    EXPECT_EQ(late + 1_ps, Time::never());
    EXPECT_EQ(late + 2_ps, Time::never());
    EXPECT_EQ(late + Duration::forever(), Time::never());
    EXPECT_EQ(Time() + Duration::forever(), Time::never());
    EXPECT_EQ(Time::at(1_ps) + Duration::forever(), Time::never());
}

}  // namespace
}  // namespace railyard
