#include "kernels/common/session.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace railyard::kernels {
namespace {

using ::testing::HasSubstr;
using Complex = std::complex<double>;

TEST(Verification, ComparesByRelativeError) {
    Verification close(1e-8);
    close.compare("value", 1e6 * (1 + 0.9e-8), 1e6);
    close.compare("small", -1e-6 * (1 - 0.9e-8), -1e-6);
    EXPECT_FALSE(close.failed());
    EXPECT_STREQ(close.verdict(), "SUCCESSFUL");
    close.compare("far", 1e-6 * (1 + 1.1e-8), 1e-6);
    EXPECT_TRUE(close.failed());
    EXPECT_STREQ(close.verdict(), "UNSUCCESSFUL");
}

TEST(Verification, ComplexNumbersByTheirModulus) {
    Verification close(1e-3);
    close.compare("value", Complex(300, 400.4), Complex(300, 400));
    EXPECT_FALSE(close.failed());
    close.compare("value", Complex(300, 400.6), Complex(300, 400));
    EXPECT_TRUE(close.failed());
}

TEST(Verification, WhatIsNotANumberFails) {
    Verification one(1e-8);
    one.compare("value", std::numeric_limits<double>::quiet_NaN(), 1);
    EXPECT_TRUE(one.failed());
    Verification two(1e-8);
    two.compare("value", Complex(std::numeric_limits<double>::quiet_NaN(), 0), Complex(1, 0));
    EXPECT_TRUE(two.failed());
}

TEST(Verification, WithoutAReferenceValuesAreOnlyShown) {
    Verification shown(1e-8, false);
    shown.compare("value", 3.5, 1);
    EXPECT_FALSE(shown.failed());
    EXPECT_STREQ(shown.verdict(), "NOT PERFORMED");
    EXPECT_THAT(shown.lines(), HasSubstr("3.5"));
}

TEST(Verification, WhatIsWrongInItselfFails) {
    Verification order(1e-8);
    order.check("sorted", true);
    EXPECT_FALSE(order.failed());
    order.check("sorted", false);
    EXPECT_TRUE(order.failed());
}

}  // namespace
}  // namespace railyard::kernels
