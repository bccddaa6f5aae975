#include "base/rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace railyard {
namespace {

using namespace literals;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(Rate, FactoriesAndAccessors) {
    EXPECT_EQ(Rate::bytes_per_second(400e6), 400_MBps);
    EXPECT_EQ(Rate::bytes_per_second(400'000'000), 400_MBps);
    EXPECT_EQ((400_MBps).bytes_per_second(), 400'000'000u);
    EXPECT_DOUBLE_EQ((400_MBps).megabytes_per_second(), 400.0);
    EXPECT_EQ(1_GBps, 1000_MBps);
    EXPECT_EQ(1.25_GBps, 1250_MBps);
    EXPECT_EQ(0.5_MBps, Rate::bytes_per_second(500'000));
    EXPECT_EQ(Rate().bytes_per_second(), 0u);
}

TEST(Rate, DoublesAreRoundedAndKeptInRange) {
    EXPECT_EQ(Rate::bytes_per_second(1.4).bytes_per_second(), 1u);
    EXPECT_EQ(Rate::bytes_per_second(1.5).bytes_per_second(), 2u);
    EXPECT_EQ(Rate::bytes_per_second(0x1p53).bytes_per_second(), 1ull << 53);
    EXPECT_EQ(Rate::bytes_per_second(0x1p63).bytes_per_second(), 1ull << 63);
    EXPECT_EQ(Rate::bytes_per_second(1e30), Rate::fastest());
    EXPECT_EQ(Rate::bytes_per_second(0x1p64), Rate::fastest());
    EXPECT_EQ(Rate::bytes_per_second(std::numeric_limits<double>::infinity()), Rate::fastest());
    EXPECT_EQ(Rate::bytes_per_second(-1.0), Rate());
    EXPECT_EQ(Rate::bytes_per_second(-1), Rate());
    EXPECT_EQ(Rate::bytes_per_second(std::nan("")), Rate());
    EXPECT_EQ(Rate::bytes_per_second(most).bytes_per_second(), most);
}

TEST(Rate, OrderAndRatio) {
    EXPECT_LT(999_MBps, 1_GBps);
    EXPECT_GT(Rate::fastest(), 1_GBps);
    EXPECT_DOUBLE_EQ(400_MBps / 1_GBps, 0.4);
}

TEST(Rate, TimeToMove) {
    EXPECT_EQ(400_B / 400_MBps, 1_us);
    EXPECT_EQ(1_B / 1_GBps, 1_ns);
    EXPECT_EQ(4_MiB / 1_GBps, Duration::ns(4'194'304));
    static_assert(1000_B / 1_GBps == 1_us);
}

TEST(Rate, TimeToMoveRoundsToTheNearest) {
    EXPECT_EQ(1_B / Rate::bytes_per_second(3), Duration::ps(333'333'333'333));
    EXPECT_EQ(2_B / Rate::bytes_per_second(3), Duration::ps(666'666'666'667));
    EXPECT_EQ(1_B / Rate::bytes_per_second(2'000'000'000'000), 1_ps);  // half a ps: up
    EXPECT_EQ(1_B / Rate::bytes_per_second(2'000'000'000'001), 0_ps);
}

TEST(Rate, TimeToMoveSaturates) {
    EXPECT_EQ(0_B / Rate(), Duration());
    EXPECT_EQ(1_B / Rate(), Duration::forever());
    EXPECT_EQ(Bytes(most) / Rate::bytes_per_second(1), Duration::forever());
    EXPECT_EQ(Bytes(most) / Rate::fastest(), 1_s);
    EXPECT_EQ(Bytes(9'223'372) / Rate::bytes_per_second(1), Duration::s(9'223'372));
    EXPECT_EQ(Bytes(9'223'373) / Rate::bytes_per_second(1), Duration::forever());
}

TEST(Rate, MeasuredRate) {
    EXPECT_EQ(400_B / 1_us, 400_MBps);
    EXPECT_EQ(1_B / 3_s, Rate());
    EXPECT_EQ(2_B / 3_s, Rate::bytes_per_second(1));
    EXPECT_EQ(0_B / 1_us, Rate());
    EXPECT_EQ(0_B / Duration(), Rate());
    EXPECT_EQ(8_B / Duration(), Rate::fastest());
    EXPECT_EQ(8_B / Duration::ps(-1), Rate::fastest());
    EXPECT_EQ(Bytes(most) / 1_ps, Rate::fastest());
}

TEST(Rate, TimeToMoveIsWithinHalfAPicosecond) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t bytes = random() % (1ull << 30);
        const std::uint64_t rate = 1'000'000 + random() % 1'000'000'000'000;
        const auto ps =
            static_cast<std::uint64_t>((Bytes(bytes) / Rate::bytes_per_second(rate)).picoseconds());
        __extension__ using Wide = __int128;
        const Wide error = Wide{ps} * rate - Wide{bytes} * 1'000'000'000'000;
        ASSERT_LE(2 * (error < 0 ? -error : error), Wide{rate}) << bytes << " B at " << rate;
    }
}

}  // namespace
}  // namespace railyard
