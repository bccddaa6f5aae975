// EP and IS in virtual time: the published results at several numbers of ranks.

#include <gtest/gtest.h>

#include <tuple>

#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {
namespace {

using Run = std::tuple<const char*, const char*, int>;
class EpAndIs : public testing::TestWithParam<Run> {};

TEST_P(EpAndIs, VerifyClassS) {
    const auto [kernel, fabric, ranks] = GetParam();
    const VirtualRun whole = run({kernel}, ranks, fabric);
    EXPECT_TRUE(whole.verified()) << whole.failure << whole.output << whole.errors;
}

// EP takes any number of ranks.
INSTANTIATE_TEST_SUITE_P(Runs, EpAndIs,
                         testing::Values(Run{"ep", "ideal", 1}, Run{"ep", "ideal", 7},
                                         Run{"ep", "clan-via", 16}, Run{"is", "ideal", 1},
                                         Run{"is", "ideal", 2}, Run{"is", "ideal", 4},
                                         Run{"is", "ideal", 8}, Run{"is", "ideal", 16},
                                         Run{"is", "ideal", 128}, Run{"is", "clan-via", 16}));

TEST(EpRanks, AreAtMostAsManyAsBatches) {
    const VirtualRun refused = run({"ep"}, 257, "ideal");
    EXPECT_EQ(refused.exit_codes, std::vector<int>(257, 2));
    EXPECT_NE(refused.errors.find("class S has work for 256 ranks at most, and these are 257"),
              std::string::npos)
        << refused.errors;
}

TEST(IsRanks, OthersAreRefused) {
    for (const int ranks : {3, 12, 256})
        expect_refused({"is"}, ranks,
                       "class S runs on a power of two of ranks, up to 128; these are " +
                           std::to_string(ranks));
}

// Each tells its right neighbour where its keys end.
TEST(IsRanks, TalkToTheirNeighboursBesidesTheCollectives) {
    const VirtualRun whole = run({"is"}, 4, "ideal");
    EXPECT_EQ(whole.partners, (std::vector<std::set<int>>{{1}, {0, 2}, {1, 3}, {2}}));
}

}  // namespace
}  // namespace railyard::kernels
