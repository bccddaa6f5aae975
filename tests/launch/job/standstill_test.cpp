#include "launch/job/standstill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::job {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Meeting = Waiting::Meeting;

Waiting waits_for(std::vector<int> ranks, std::string call = "a call") {
    return {std::move(call), std::move(ranks)};
}

TEST(Standstill, IsReadBackAsItWasSaid) {
    const Waiting said{"MPI_Recv(…)", {1, 2},           true,
                       Meeting{4, 7}, {{4, 7}, {0, 3}}, Duration::s(10)};
    const auto read = Waiting::parse(said.text());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->call, said.call);
    EXPECT_EQ(read->ranks, said.ranks);
    EXPECT_TRUE(read->any);
    EXPECT_EQ(read->meeting, said.meeting);
    EXPECT_EQ(read->met, said.met);
    EXPECT_EQ(read->for_so_long, said.for_so_long);
    for (std::size_t n = 1; n < said.text().size(); ++n)
        EXPECT_FALSE(Waiting::parse(said.text().substr(0, n))) << n;
}

TEST(Standstill, IsCompleteWhenAllWaitOrHaveLeft) {
    Standstill all(3);
    EXPECT_FALSE(all.is_complete());
    all.set(0, waits_for({1}));
    all.set(1, waits_for({0}));
    EXPECT_FALSE(all.is_complete());
    all.leave(2);
    EXPECT_TRUE(all.is_complete());
    all.hear(1, "");
    EXPECT_FALSE(all.is_complete());
    all.hear(1, waits_for({2}).text());
    EXPECT_TRUE(all.is_complete());
    EXPECT_THAT(all.report(), HasSubstr("deadlock: 2 ranks wait\n"));
    EXPECT_THAT(all.report(),
                EndsWith("\n  no cycle: rank 1 waits for rank 2, which has finished"));
}

TEST(Standstill, FindsACycleBehindOthersThatWaitForIt) {
    Standstill all(5);
    all.set(0, waits_for({3}));
    all.set(1, waits_for({0}));
    all.set(2, waits_for({4}));
    all.set(3, waits_for({2}));
    all.set(4, waits_for({3}));
    EXPECT_THAT(all.report(), EndsWith("\n  cycle: rank 2 → rank 4 → rank 3 → rank 2"));
    EXPECT_THAT(all.report(), HasSubstr("all 5 ranks wait\n  rank 2 waits for rank 4 in a call\n"));
}

TEST(Standstill, OfAMeetingWaitsForThoseWhoHaveNotCome) {
    Standstill all(3);
    Waiting there = waits_for({0, 1, 2}, "MPI_Barrier()");
    there.meeting = Meeting{0, 2};
    there.met = {{0, 2}};
    all.set(0, there);
    all.set(1, there);
    Waiting elsewhere = waits_for({0}, "MPI_Recv()");
    elsewhere.met = {{0, 1}};
    all.set(2, elsewhere);
    EXPECT_THAT(all.report(), HasSubstr("\n  rank 1 waits for rank 2 in MPI_Barrier()"));
    EXPECT_THAT(all.report(), EndsWith("\n  cycle: rank 0 → rank 2 → rank 0"));

    // All have come, but not for the same.
    Waiting other = there;
    other.call = "MPI_Bcast()";
    all.set(2, other);
    EXPECT_THAT(all.report(), EndsWith("with calls that do not match"));
}

}  // namespace
}  // namespace railyard::job
