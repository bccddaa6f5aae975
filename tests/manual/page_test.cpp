// What the tests of the manual find, and what they let pass.

#include "manual/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::manual {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string page =
    "Words.\n"
    "```sh\n"
    "# a remark\n"
    "railyard fabrics   # all\n"
    "railyard run \\\n"
    "    ring\n"
    "```\n"
    "```console varies\n"
    "$ railyard measure\n"
    "size 8\n"
    "...\n"
    "$ echo $?\n"
    "0\n"
    "```\n"
    "```toml mine.toml\n"
    "a = 1\n"
    "```\n"
    "```sh cluster\n"
    "srun ./hello\n"
    "```\n";

TEST(ManualPage, HasFences) {
    const std::vector<Fence> fences = fences_of(page);
    ASSERT_THAT(fences, SizeIs(4));
    EXPECT_EQ(fences[0].line, 3U);
    EXPECT_THAT(commands_of(fences[0]),
                ElementsAre("railyard fabrics   # all", "railyard run \\\n    ring"));
    EXPECT_TRUE(fences[1].varies());
    EXPECT_EQ(fences[2].file(), "mine.toml");
    EXPECT_THAT(fences[2].lines, ElementsAre("a = 1"));
    EXPECT_EQ(fences[3].not_run(), "cluster");
}

TEST(ManualPage, HasStepsWithTheirOutput) {
    const std::vector<Step> steps = steps_of(fences_of(page)[1]);
    ASSERT_THAT(steps, SizeIs(2));
    EXPECT_EQ(steps[0].command, "railyard measure");
    EXPECT_THAT(steps[0].output, ElementsAre("size 8", "..."));
    EXPECT_EQ(steps[1].first, 4U);
    EXPECT_THAT(steps[1].output, ElementsAre("0"));
}

TEST(ManualPage, CommandsOutsideOfFencesAreFound) {
    EXPECT_THAT(loose_commands(page), IsEmpty());
    EXPECT_THAT(loose_commands("    railyard fabrics\n    railyard: no\n```c\n$ make\n```\n"
                               "railyard is a word\n    ./hello\n"),
                ElementsAre("4: $ make", "1: railyard fabrics", "7: ./hello"));
}

TEST(ManualPage, OutputIsComparedExactly) {
    EXPECT_TRUE(is_as_shown({"a 1.5", "b"}, {"a 1.5", "b"}, false));
    EXPECT_FALSE(is_as_shown({"a 1.5"}, {"a 1.6"}, false));
    EXPECT_FALSE(is_as_shown({"a"}, {"a", "b"}, false));
    EXPECT_FALSE(is_as_shown({}, {"a"}, false));
}

TEST(ManualPage, OutputMayLeaveSomethingOut) {
    EXPECT_TRUE(is_as_shown({"...", "b", "..."}, {"a", "a", "b"}, false));
    EXPECT_FALSE(is_as_shown({"...", "c", "..."}, {"a", "a", "b"}, false));
    EXPECT_TRUE(is_as_shown({"at …: no … here"}, {"at a/b: no way here"}, false));
    EXPECT_FALSE(is_as_shown({"at …: no"}, {"at a/b: yes"}, false));
}

TEST(ManualPage, NumbersOfTheMachineAreAlike) {
    EXPECT_TRUE(is_as_shown({"8   0.148 us  +1.0 %"}, {"8  12 us -0.3 %"}, true));
    EXPECT_FALSE(is_as_shown({"8 us"}, {"8 ms"}, true));
    EXPECT_FALSE(is_as_shown({"8 us"}, {"us"}, true));
    EXPECT_FALSE(is_as_shown({"8 9"}, {"8"}, true));
}

}  // namespace
}  // namespace railyard::manual
