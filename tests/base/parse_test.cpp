#include "base/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace railyard {
namespace {

using testing::ElementsAre;

TEST(Parse, ANumberIsTheWholeText) {
    EXPECT_EQ(parse_number<unsigned>("42"), 42U);
    EXPECT_EQ(parse_number<int>("-7"), -7);
    EXPECT_EQ(parse_number<double>("2.5"), 2.5);
    for (const char* const wrong : {"", " 42", "42 ", "+42", "42x", "x", "-1", "4294967296"})
        EXPECT_EQ(parse_number<std::uint32_t>(wrong), std::nullopt) << wrong;
}

TEST(Parse, TrimTakesWhiteSpaceFromBothEnds) {
    EXPECT_EQ(trim(" \ta b\r\n"), "a b");
    EXPECT_EQ(trim("a"), "a");
    EXPECT_EQ(trim(" \t"), "");
    EXPECT_EQ(trim(""), "");
}

TEST(Parse, SplitHasOneItemMoreThanSeparators) {
    EXPECT_THAT(split("a, b ,c", ','), ElementsAre("a", "b", "c"));
    EXPECT_THAT(split("a", ','), ElementsAre("a"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
    EXPECT_THAT(split("a,,", ','), ElementsAre("a", "", ""));
}

}  // namespace
}  // namespace railyard
