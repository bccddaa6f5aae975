#include "base/suggest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace railyard {
namespace {

const std::vector<std::string> names{
    "shm", "ideal", "iwarp", "latency-uni", "latency-bi", "bandwidth-uni-window", "latency-atomic"};

TEST(EditDistance, CountsEachKindOfEdit) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("abc", "abc"), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("abc", ""), 3u);
    EXPECT_EQ(edit_distance("abc", "abxc"), 1u);
    EXPECT_EQ(edit_distance("abc", "ac"), 1u);
    EXPECT_EQ(edit_distance("abc", "axc"), 1u);
    EXPECT_EQ(edit_distance("abc", "acb"), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("ABC", "abc"), 0u);
}

TEST(EditDistance, IsTheSameBothWays) {
    for (const std::string& a : names)
        for (const std::string& b : names)
            EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
}

TEST(Nearest, FindsWhatWasMeant) {
    EXPECT_EQ(nearest("smh", names), "shm");
    EXPECT_EQ(nearest("SHM", names), "shm");
    EXPECT_EQ(nearest("idael", names), "ideal");
    EXPECT_EQ(nearest("latency_uni", names), "latency-uni");
    EXPECT_EQ(nearest("latencyuni", names), "latency-uni");
    EXPECT_EQ(nearest("bandwith-uni-windw", names), "bandwidth-uni-window");
}

TEST(Nearest, ABeginningIsEnough) {
    EXPECT_EQ(nearest("bandwidth", names), "bandwidth-uni-window");
    EXPECT_EQ(nearest("Band", names), "bandwidth-uni-window");
    EXPECT_EQ(nearest("b", names), std::nullopt);
}

TEST(Nearest, TheFirstOfEqualsAndTheNearestOfSeveral) {
    const std::vector<std::string> equals{"abcd1", "abcd2"};
    EXPECT_EQ(nearest("abcd3", equals), "abcd1");
    EXPECT_EQ(nearest("abcd2", equals), "abcd2");
}

TEST(Nearest, SaysNothingRatherThanNonsense) {
    EXPECT_EQ(nearest("quadrics", names), std::nullopt);
    EXPECT_EQ(nearest("", names), std::nullopt);
    EXPECT_EQ(nearest("xyz", names), std::nullopt);
    EXPECT_EQ(nearest(std::string(100'000, 'x'), names), std::nullopt);
    EXPECT_EQ(nearest("shm", {}), std::nullopt);
    const std::vector<std::string> letters{"a", ""};
    EXPECT_EQ(nearest("b", letters), std::nullopt);
}

}  // namespace
}  // namespace railyard
