#include "programs/runs/compute_choice.hpp"

#include <gmock/gmock.h>

#include "railyard/base/error.hpp"

namespace railyard::runs {
namespace {

using From = ComputeChoice::From;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

ComputeChoice parse(std::string_view text) {
    return parse_compute("--compute", text);
}

TEST(ComputeChoice, IsReadAsItIsWritten) {
    EXPECT_EQ(parse("none").from, From::nowhere);
    EXPECT_EQ(parse("measured").from, From::measurement);
    EXPECT_EQ(parse("measured").factor, 1);
    for (const char* const text : {"measured×2.5", "measuredx2.5", "measured*2.5"}) {
        EXPECT_EQ(parse(text).from, From::measurement) << text;
        EXPECT_EQ(parse(text).factor, 2.5) << text;
    }
    EXPECT_EQ(parse("record:a.log").from, From::recording);
    EXPECT_EQ(parse("record:a.log").file, "a.log");
    EXPECT_EQ(parse("replay:x:2").file, "x:2") << "a name may have a colon";
    EXPECT_EQ(parse("replayx40:a.log").factor, 40);
    for (const char* const text : {"none", "measured", "measured×0.5", "record:a.log",
                                   "record-medians:a", "replay:a", "replay×2:b"})
        EXPECT_EQ(to_string(parse(text)), text);
}

TEST(ComputeChoice, SaysWhetherRunsAreAlike) {
    EXPECT_TRUE(parse("none").repeats());
    EXPECT_TRUE(parse("replay:a").repeats());
    EXPECT_FALSE(parse("measured").repeats());
    EXPECT_FALSE(parse("record:a").repeats());
    EXPECT_FALSE(parse("record-medians:a").repeats());
}

TEST(ComputeChoice, WrongOnesAreExplained) {
    for (const char* const text :
         {"", "some", "nonesuch", "measured2", "measuredx", "measuredx0", "measuredx-1",
          "measuredxnan", "measuredxinf", "measuredx2e6", "measured:a", "record",
          "record:", "recordx2:a", "record-medians", "replay", "replay:", "replayx:a", "x2"})
        EXPECT_THAT([&] { parse(text); }, ThrowsMessage<UsageError>(AllOf(
                                              StartsWith("--compute: expected none, measured"),
                                              HasSubstr("found '" + std::string(text) + "'"))));
}

}  // namespace
}  // namespace railyard::runs
