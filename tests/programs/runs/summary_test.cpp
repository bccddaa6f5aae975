#include "programs/runs/run.hpp"

#include <gtest/gtest.h>

namespace railyard::runs {
namespace {

TEST(TimeSum, IsExactInWhateverOrder) {
    TimeSum up;
    TimeSum down;
    for (int i = 0; i < 1000; ++i) {
        up.add(Duration::ps(i * 333'333'333'333));
        down.add(Duration::ps((999 - i) * 333'333'333'333));
    }
    EXPECT_EQ(up.seconds(), down.seconds());
    EXPECT_EQ(up.seconds(), 166499.9999998335);
}

TEST(TimeSum, HoldsMoreThanADuration) {
    const Duration month = Duration::s(30 * 86'400);
    TimeSum sum;
    for (int i = 0; i < 1000; ++i)
        sum.add(month);
    EXPECT_EQ(sum.seconds(), 30'000.0 * 86'400);
    EXPECT_EQ(TimeSum::of(month, 1000).seconds(), sum.seconds());
}

// A rank that is in MPI all the time is there for the whole, and not for 1.0000000000000002 of it.
TEST(Summary, APartIsNeverMoreThanTheWhole) {
    for (const std::int64_t picoseconds : {1LL, 3LL, 333'333'333'333LL, 1'234'567'890'123LL}) {
        Summary summary;
        summary.ranks = 7;
        summary.virtual_time = Duration::ps(picoseconds * 1001);
        for (int call = 0; call < 1001 * 7; ++call)
            summary.mpi_time.add(Duration::ps(picoseconds));
        EXPECT_EQ(summary.mpi_share(), 1.0) << picoseconds;
        EXPECT_EQ(summary.mpi_seconds(), summary.rank_seconds()) << picoseconds;
    }
}

}  // namespace
}  // namespace railyard::runs
