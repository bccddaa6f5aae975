// The random numbers of the benchmarks, against the sequence as whole numbers.

#include "kernels/common/numbers.hpp"

#include <gtest/gtest.h>

namespace railyard::kernels {
namespace {

TEST(Random, IsThePublishedSequence) {
    Random random(Random::usual_seed);
    for (const std::uint64_t state : {55909509111989, 61155031930969, 45573031421645}) {
        EXPECT_EQ(random.next(), static_cast<double>(state) / static_cast<double>(1LL << 46));
        EXPECT_EQ(random.state(), state);
    }
}

TEST(Random, JumpsAhead) {
    EXPECT_EQ(Random(314159265, 1000000).state(), 50447193586593U);
    EXPECT_EQ(Random(314159265, (1ULL << 40) + 12345).state(), 23188607081429U);
    EXPECT_EQ(Random(271828183, 1000000).state(), 35523939983831U);
    EXPECT_EQ(Random(271828183, 0).state(), 271828183U);
}

TEST(Random, JumpingIsTheSameAsDrawing) {
    Random drawn(271828183);
    for (int i = 0; i < 1000; ++i)
        drawn.next();
    Random jumped(271828183, 400);
    jumped.skip(600);
    EXPECT_EQ(drawn.state(), jumped.state());
}

}  // namespace
}  // namespace railyard::kernels
