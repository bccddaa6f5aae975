#include "experiments/user/procedures.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace railyard::experiments {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(ReusePattern, IsTheCommonBufferAloneAtAHundred) {
    EXPECT_THAT(reuse_pattern(5, 100, Bytes(8)), Each(Bytes(0)));
}

TEST(ReusePattern, NeverUsesABufferTwiceAtZero) {
    EXPECT_THAT(reuse_pattern(3, 0, Bytes(8)), ElementsAre(Bytes(8), Bytes(16), Bytes(24)));
}

TEST(ReusePattern, SpreadsFreshBuffersEvenly) {
    EXPECT_THAT(reuse_pattern(8, 75, Bytes(4)),
                ElementsAre(Bytes(0), Bytes(0), Bytes(0), Bytes(4), Bytes(0), Bytes(0), Bytes(0),
                            Bytes(8)));
    EXPECT_THAT(reuse_pattern(4, 25, Bytes(4)),
                ElementsAre(Bytes(0), Bytes(4), Bytes(8), Bytes(12)));
}

TEST(ReusePattern, HasTheShareAskedForAndNoFreshBufferTwice) {
    for (unsigned percent = 0; percent <= 100; ++percent) {
        const auto places = reuse_pattern(200, percent, Bytes(1));
        ASSERT_EQ(places.size(), 200U);
        const auto common = static_cast<unsigned>(std::ranges::count(places, Bytes(0)));
        EXPECT_EQ(common, 2 * percent);
        const std::set<Bytes> distinct(places.begin(), places.end());
        EXPECT_EQ(distinct.size(), 200 - common + (common > 0 ? 1 : 0));
    }
}

}  // namespace
}  // namespace railyard::experiments
