#include "launch/agents/host_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::cluster {
namespace {

using ::testing::ElementsAre;

TEST(HostList, RanksGoHostByHost) {
    const Placement placed = place_ranks({{"a", 2}, {"b", 1}, {"c", 2}}, 5);
    EXPECT_THAT(placed.hosts, ElementsAre("a", "b", "c"));
    EXPECT_THAT(placed.nodes, ElementsAre(0, 0, 1, 2, 2));
    EXPECT_THAT(placed.ranks_on(2), ElementsAre(3, 4));
}

TEST(HostList, FewerRanksLeaveHostsOut) {
    const Placement placed = place_ranks({{"a", 2}, {"b", 2}, {"c", 2}}, 3);
    EXPECT_THAT(placed.hosts, ElementsAre("a", "b"));
    EXPECT_THAT(placed.nodes, ElementsAre(0, 0, 1));
}

TEST(HostList, MoreRanksGoRoundAgain) {
    const Placement placed = place_ranks({{"a", 1}, {"b", 2}}, 7);
    EXPECT_THAT(placed.nodes, ElementsAre(0, 1, 1, 0, 1, 1, 0));
    EXPECT_THAT(placed.ranks_on(0), ElementsAre(0, 3, 6));
}

TEST(HostList, AHostNamedTwiceIsOne) {
    const Placement placed = place_ranks({{"a", 1}, {"b", 1}, {"a", 1}}, 3);
    EXPECT_THAT(placed.hosts, ElementsAre("a", "b"));
    EXPECT_THAT(placed.nodes, ElementsAre(0, 1, 0));
}

TEST(HostList, ThisHostIsKnown) {
    EXPECT_TRUE(is_here("localhost"));
    EXPECT_FALSE(is_here("no-such-host.invalid"));
}

}  // namespace
}  // namespace railyard::cluster
