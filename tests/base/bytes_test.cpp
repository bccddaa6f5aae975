#include "railyard/base/bytes.hpp"

#include <gtest/gtest.h>

namespace railyard {
namespace {

using namespace literals;

TEST(Bytes, LiteralsArePowersOfTwo) {
    EXPECT_EQ((1_B).count(), 1u);
    EXPECT_EQ(1_KiB, 1024_B);
    EXPECT_EQ(1_MiB, 1024_KiB);
    EXPECT_EQ(1_GiB, 1024_MiB);
    EXPECT_EQ(Bytes(), 0_B);
}

TEST(Bytes, Arithmetic) {
    EXPECT_EQ(1_KiB + 24_B, 1048_B);
    EXPECT_EQ(1_KiB - 24_B, 1000_B);
    EXPECT_EQ(3_B * 4, 12_B);
    EXPECT_EQ(4 * 3_B, 12_B);
    EXPECT_EQ(10_B / 4, 2_B);
    EXPECT_EQ(1_MiB / 1_KiB, 1024u);
    Bytes b = 8_B;
    b += 2_B;
    EXPECT_EQ(b, 10_B);
    b -= 10_B;
    EXPECT_EQ(b, Bytes());
}

TEST(Bytes, Order) {
    EXPECT_LT(1023_B, 1_KiB);
    EXPECT_GE(1024_B, 1_KiB);
    static_assert(1_GiB > 1023_MiB);
}

}  // namespace
}  // namespace railyard
