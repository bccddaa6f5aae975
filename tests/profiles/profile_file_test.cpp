// Where values come from, as comments say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiles/profile_file.hpp"

namespace railyard::profiles {
namespace {

using fabric::Evidence;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProfileSource, CommentsAreFoundOutsideQuotesOnly) {
    EXPECT_EQ(comment_of("a = 1  # why "), "why");
    EXPECT_EQ(comment_of(R"(a = "x # y" # z)"), "z");
    EXPECT_EQ(comment_of(R"(a = "x \" # y" # z)"), "z");
    EXPECT_EQ(comment_of("a = 'x \\' # z"), "z");
    EXPECT_EQ(comment_of("a = 1"), "");
}

TEST(ProfileSource, RecordsAreToldFromWords) {
    const auto records = [](std::string_view comment) { return parse_source(comment).records; };
    EXPECT_THAT(records("fitted: a.b, c.d_e.7.f one of many"), ElementsAre("a.b", "c.d_e.7.f"));
    EXPECT_THAT(records("fitted: 4.4 us of the paper"), IsEmpty());
    EXPECT_THAT(records("stated: paper says 4.4"), IsEmpty());
    EXPECT_THAT(records("assumed: etc. and so on"), IsEmpty());
    EXPECT_THAT(records("a.b"), IsEmpty());
    EXPECT_EQ(parse_source("fitted: a.b, with c").text, "with c");
    EXPECT_EQ(parse_source("fitted").evidence, Evidence::none);
    EXPECT_EQ(parse_source("guessed: x").evidence, Evidence::none);
    EXPECT_EQ(parse_source("derived:").evidence, Evidence::derived);
}

TEST(ProfileSource, SeparatorsBeforeARecordDoNotHideIt) {
    EXPECT_THAT(parse_source("fitted: ,a.b c.d text").records, ElementsAre("a.b"));
    EXPECT_EQ(parse_source("fitted: ,a.b c.d text").text, "c.d text");
}

}  // namespace
}  // namespace railyard::profiles
