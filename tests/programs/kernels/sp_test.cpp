// SP in virtual time: the published results at all numbers of ranks, and the published partners.

#include <gtest/gtest.h>

#include "programs/kernels/multipartition_runs.hpp"
#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {
namespace {

class Sp : public testing::TestWithParam<FabricAndRanks> {};

TEST_P(Sp, VerifiesClassS) {
    const auto [fabric, ranks] = GetParam();
    const VirtualRun whole = run({"sp"}, ranks, fabric);
    EXPECT_TRUE(whole.verified()) << whole.failure << whole.output << whole.errors;
}

INSTANTIATE_TEST_SUITE_P(Ranks, Sp,
                         testing::Combine(testing::Values("ideal", "clan-via"),
                                          testing::Values(1, 4, 9, 16)),
                         name_of);

TEST(SpRanks, AreSquaresOnly) {
    expect_refusals("sp");
}

TEST(SpRanks, TalkToThePublishedPartners) {
    for (const int ranks : {4, 9, 16})
        expect_partners("sp", "S", ranks);
    for (const int ranks : {25, 36})
        expect_partners("sp", "W", ranks);
}

TEST(SpRanks, MakeThePublishedNumberOfConnections) {
    expect_connections("sp");
}

}  // namespace
}  // namespace railyard::kernels
