#include "base/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

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

TEST(Parse, WhatIsNoNumberLeavesTheVariable) {
    int number = 7;
    EXPECT_FALSE(parse_into(number, "many"));
    EXPECT_EQ(number, 7);
    EXPECT_TRUE(parse_into(number, "-42"));
    EXPECT_EQ(number, -42);
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

TEST(Parse, AHostMayHaveANumberBehindIt) {
    const auto parts = [](std::string_view text) {
        const auto found = split_host(text);
        if (!found) return std::string("none");
        return std::string(found->host) + "|" + std::string(found->number.value_or("-"));
    };
    EXPECT_EQ(parts("node7"), "node7|-");
    EXPECT_EQ(parts("node7:4711"), "node7|4711");
    EXPECT_EQ(parts(":4711"), "|4711");
    EXPECT_EQ(parts("a:"), "a|");
    EXPECT_EQ(parts(""), "|-");
    EXPECT_EQ(parts("2001:db8::7"), "2001:db8::7|-");
    EXPECT_EQ(parts("[2001:db8::7]"), "2001:db8::7|-");
    EXPECT_EQ(parts("[2001:db8::7]:4711"), "2001:db8::7|4711");
    for (const char* const wrong : {"[a", "[a]b", "[[a]]"})
        EXPECT_EQ(parts(wrong), "none") << wrong;
}

}  // namespace
}  // namespace railyard
