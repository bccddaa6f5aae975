#include "base/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

TEST(Nearest, AWholeWordCountsMoreThanFewLetters) {
    const std::vector<std::string> all{"limits", "latency-uni", "latency-bi", "mpi-logp"};
    EXPECT_EQ(nearest("latency", all), "latency-uni");
    EXPECT_EQ(nearest("Latency", all), "latency-uni");
    EXPECT_EQ(nearest("latency-b", all), "latency-bi");
    EXPECT_EQ(nearest("logp", all), "mpi-logp");
    EXPECT_EQ(nearest("uni", all), "latency-uni");
    EXPECT_EQ(nearest("og", all), std::nullopt);
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

TEST(DidYouMean, IsAWholeSentenceOrNothing) {
    EXPECT_EQ(did_you_mean("smh", names), "did you mean 'shm'?");
    EXPECT_EQ(did_you_mean("smh", names, "; ", " "), "; did you mean 'shm'? ");
    EXPECT_EQ(did_you_mean("quadrics", names, "; ", " "), "");
}

TEST(Advice, NamesTheNearestOrAll) {
    const std::vector<std::string> few{"shm", "ideal"};
    EXPECT_EQ(advice("smh", few), "did you mean 'shm'?");
    EXPECT_EQ(advice("quadrics", few), "there are shm, ideal");
    EXPECT_EQ(advice("quadrics", few, "it has"), "it has shm, ideal");
}

TEST(Parse, ANumberIsTakenFromTheBeginning) {
    std::string_view text = "42 us";
    EXPECT_EQ(take_number<unsigned>(text), 42U);
    EXPECT_EQ(text, " us");
    EXPECT_EQ(take_number<unsigned>(text), std::nullopt);
    EXPECT_EQ(text, " us");
}

}  // namespace

}  // namespace railyard
