// Time lines of programs of which it is known who does what when.

#include "mpi/traces/lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mpi/traces/recorded.hpp"

namespace railyard::mpi::traces {
namespace {

std::ptrdiff_t count(const std::string& bins, Doing doing) {
    return std::ranges::count(bins, static_cast<char>(doing));
}

/// Rank 0 computes for a millisecond and sends; rank 1 waits for it all the time.
Recorded late_sender(int ranks = 2) {
    return recorded(ranks, [](int rank, fabric::Host& host) {
        char byte = 0;
        if (rank % 2 == 0) {
            host.compute(Duration::ms(1));
            MPI_Send(&byte, 1, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&byte, 1, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    });
}

TEST(Lanes, TellComputingFromWaiting) {
    const auto lanes = lanes_of(late_sender().run, 8, 100);
    ASSERT_EQ(lanes.size(), 2u);
    EXPECT_EQ(lanes[1].first, 1);
    EXPECT_EQ(lanes[0].bins.size(), 100u);
    EXPECT_GE(count(lanes[0].bins, Doing::computing), 90);
    EXPECT_EQ(count(lanes[0].bins, Doing::waiting), 0);
    EXPECT_GE(count(lanes[1].bins, Doing::waiting), 90);
    EXPECT_EQ(count(lanes[1].bins, Doing::computing), 0);
}

TEST(Lanes, ALaneOfSeveralRanksHasWhatMostOfThemDo) {
    const auto lanes = lanes_of(late_sender(10).run, 3, 50);
    ASSERT_EQ(lanes.size(), 3u);
    EXPECT_EQ(lanes[0].ranks, 4);
    EXPECT_EQ(lanes[2].first, 8);
    EXPECT_EQ(lanes[2].ranks, 2);
    for (const Lane& lane : lanes)
        EXPECT_GE(count(lane.bins, Doing::computing) + count(lane.bins, Doing::waiting), 40)
            << lane.bins;
}

TEST(Lanes, TellCollectivesFromCallsBetweenTwo) {
    const Recorded found = recorded(2, [](int, fabric::Host&) {
        std::vector<int> in(1 << 16), out(1 << 16);
        for (int i = 0; i < 10; ++i)
            MPI_Allreduce(in.data(), out.data(), 1 << 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    });
    for (const Lane& lane : lanes_of(found.run, 2, 64)) {
        EXPECT_GE(count(lane.bins, Doing::collective), 50) << lane.bins;
        EXPECT_EQ(count(lane.bins, Doing::two), 0) << lane.bins;
    }
}

TEST(Lanes, OfARunWithoutCallsAreEmpty) {
    RunRecord run;
    run.ranks.resize(3);
    const auto lanes = lanes_of(run, 2, 4);
    ASSERT_EQ(lanes.size(), 2u);
    EXPECT_EQ(lanes[0].bins, "    ");
    EXPECT_TRUE(lanes_of(RunRecord(), 2, 4).empty());
}

}  // namespace
}  // namespace railyard::mpi::traces
