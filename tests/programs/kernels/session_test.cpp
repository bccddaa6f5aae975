// What all kernels have in common for those who start them: help, options, refusals.

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class EveryKernel : public testing::TestWithParam<std::string> {
  protected:
    /// Two ranks say it once.
    static std::string complaint(std::vector<std::string> options) {
        options.insert(options.begin(), GetParam());
        const VirtualRun refused = run(options, 2, "ideal");
        EXPECT_TRUE(refused.ended_well) << refused.failure;
        EXPECT_THAT(refused.exit_codes, Each(2));
        EXPECT_EQ(refused.output, "");
        EXPECT_EQ(std::ranges::count(refused.errors, '\n'), 1) << refused.errors;
        return refused.errors;
    }
};

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Kernel& kernel : kernels::all())
        all.emplace_back(kernel.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, testing::ValuesIn(names()),
                         [](const auto& each) { return each.param; });

TEST_P(EveryKernel, HasHelpOnAnyNumberOfRanks) {
    const VirtualRun help = run({GetParam(), "--help"}, 3, "ideal");
    EXPECT_TRUE(help.ended_well) << help.failure;
    EXPECT_THAT(help.exit_codes, Each(0));
    EXPECT_THAT(help.output, AllOf(HasSubstr("Ranks: "), HasSubstr("--class S|W|A|B|C")));
    EXPECT_EQ(help.errors, "");
}

TEST_P(EveryKernel, SaysWhichClassesThereAre) {
    EXPECT_THAT(complaint({"--class", "X"}),
                HasSubstr("--class: expected one of S, W, A, B, C, found 'X'"));
    EXPECT_THAT(complaint({"--class=SW"}), HasSubstr("found 'SW'"));
    EXPECT_THAT(complaint({"--class="}), HasSubstr("found ''"));
    EXPECT_THAT(complaint({"--class"}), HasSubstr("--class: a value is missing"));
}

TEST_P(EveryKernel, RefusesWhatItDoesNotKnow) {
    EXPECT_THAT(complaint({"--colour", "red"}),
                HasSubstr("'--colour' is not understood; see its --help; the launcher's options"));
    EXPECT_THAT(complaint({"S"}), HasSubstr("'S' is not understood"));
    // The name tells who complains.
    std::string name = GetParam();
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c - 32); });
    EXPECT_THAT(complaint({"S"}), StartsWith(name + ": "));
}

TEST(Iterations, AreANumberFromOneOn) {
    for (const char* wrong : {"0", "-1", "two", "2x", ""})
        EXPECT_THAT(run({"cg", "--iterations", wrong}, 1, "ideal").errors,
                    HasSubstr("--iterations: expected a number from 1 on, found '" +
                              std::string(wrong) + "'"));
}

TEST(Iterations, OtherThanThoseOfTheClassAreNotVerified) {
    const VirtualRun fewer = run({"cg", "--iterations=1"}, 1, "ideal");
    EXPECT_THAT(fewer.exit_codes, Each(0));
    EXPECT_THAT(fewer.output, HasSubstr("NOT PERFORMED"));
    EXPECT_TRUE(run({"cg", "--iterations=15"}, 1, "ideal").verified());
}

TEST(Kernels, AreFoundByName) {
    EXPECT_EQ(names().size(), 8U);
    EXPECT_EQ(find("mg")->name, "mg");
    EXPECT_EQ(find("xy"), nullptr);
}

}  // namespace
}  // namespace railyard::kernels
