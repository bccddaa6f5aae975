// When our value is the paper's: docs/reproduce.md.

#include <gtest/gtest.h>

#include "reproduce/check.hpp"

namespace railyard::reproduce {
namespace {

TEST(Values, AreRightWithinFivePercent) {
    for (const Qualifier qualifier : {Qualifier::equal, Qualifier::about}) {
        EXPECT_TRUE(agrees(100, qualifier, 105));
        EXPECT_TRUE(agrees(100, qualifier, 95));
        EXPECT_FALSE(agrees(100, qualifier, 105.1));
        EXPECT_FALSE(agrees(100, qualifier, 94.9));
    }
    EXPECT_DOUBLE_EQ(difference_percent(200, 190), -5);
}

TEST(Values, ZeroHasAnAbsoluteTolerance) {
    EXPECT_TRUE(agrees(0, Qualifier::equal, 0.04));
    EXPECT_TRUE(agrees(0, Qualifier::equal, -0.04));
    EXPECT_FALSE(agrees(0, Qualifier::equal, 0.06));
}

TEST(Values, BoundsAreMetAsTheyStand) {
    EXPECT_TRUE(agrees(20, Qualifier::more, 20.1));
    EXPECT_FALSE(agrees(20, Qualifier::more, 20));
    EXPECT_TRUE(agrees(20, Qualifier::less, 19.9));
    EXPECT_FALSE(agrees(20, Qualifier::less, 20));
    EXPECT_TRUE(agrees(99, Qualifier::at_least, 99));
    EXPECT_FALSE(agrees(99, Qualifier::at_least, 98));
    EXPECT_TRUE(agrees(75, Qualifier::at_most, 60));
    EXPECT_FALSE(agrees(75, Qualifier::at_most, 76));
}

TEST(Values, BoundsHaveAsManyDigitsAsThePaperPrints) {
    EXPECT_TRUE(agrees(75, Qualifier::at_most, 75.4));
    EXPECT_FALSE(agrees(75, Qualifier::at_most, 75.6));
    EXPECT_TRUE(agrees(1.5, Qualifier::at_least, 1.46));
    EXPECT_FALSE(agrees(1.5, Qualifier::at_least, 1.44));
}

TEST(Values, SharesArePrintedWithTwoDigits) {
    EXPECT_TRUE(prints_as(0.06, 2.0 / 31));
    EXPECT_FALSE(prints_as(0.06, 0.07));
    EXPECT_FALSE(prints_as(1.0, 0.98));
}

TEST(Values, AGainIsTheFactorThatItStandsFor) {
    // 24 % more is a factor of 1.24; 20 % more is 3.2 % less than that.
    EXPECT_NEAR(difference_percent(24, 20, Scale::gain), -3.226, 1e-3);
    EXPECT_TRUE(agrees(24, Qualifier::about, 20, Scale::gain));
    EXPECT_FALSE(agrees(24, Qualifier::about, 20, Scale::plain));
    EXPECT_FALSE(agrees(24, Qualifier::about, 17, Scale::gain));
}

}  // namespace
}  // namespace railyard::reproduce
