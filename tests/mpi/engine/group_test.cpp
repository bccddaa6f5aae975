#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mpi/engine/communicator.hpp"

namespace railyard::mpi {
namespace {

TEST(Group, RanksThatFollowEachOtherNeedNoList) {
    const Group world = Group::all(100'000);
    EXPECT_TRUE(world.is_range());
    EXPECT_EQ(world.list(), nullptr);
    EXPECT_EQ(world.size(), 100'000);
    EXPECT_EQ(world.world_rank(77), 77);
    EXPECT_EQ(world.rank_of(99'999), 99'999);
    EXPECT_EQ(world.rank_of(100'000), -1);
    EXPECT_EQ(world.rank_of(-1), -1);

    const Group some(std::vector{5, 6, 7});
    EXPECT_TRUE(some.is_range());
    EXPECT_EQ(some, Group::range(5, 3));
    EXPECT_EQ(some.world_rank(2), 7);
    EXPECT_EQ(some.rank_of(6), 1);
    EXPECT_EQ(some.rank_of(4), -1);
    EXPECT_EQ(some.rank_of(8), -1);
    EXPECT_EQ(some.list_of_world_ranks(), (std::vector{5, 6, 7}));
}

TEST(Group, OthersHaveOne) {
    const Group group(std::vector{3, 1, 2, 9});
    EXPECT_FALSE(group.is_range());
    EXPECT_EQ(group.size(), 4);
    EXPECT_EQ(group.world_rank(0), 3);
    EXPECT_EQ(group.list()[3], 9);
    EXPECT_EQ(group.rank_of(1), 1);
    EXPECT_EQ(group.rank_of(9), 3);
    EXPECT_EQ(group.rank_of(4), -1);
    EXPECT_EQ(group.rank_of(0), -1);
    EXPECT_TRUE(std::ranges::equal(group.world_ranks(), std::vector{3, 1, 2, 9}));
    EXPECT_EQ(group, Group(std::vector{3, 1, 2, 9}));
    EXPECT_NE(group, Group(std::vector{3, 1, 2, 8}));
    EXPECT_NE(group, Group::range(3, 4));
}

TEST(Group, OfNobody) {
    const Group nobody;
    EXPECT_EQ(nobody.size(), 0);
    EXPECT_EQ(nobody.rank_of(0), -1);
    EXPECT_EQ(nobody, Group(std::vector<int>{}));
    EXPECT_EQ(nobody, Group::range(4, 0));
    EXPECT_TRUE(nobody.list_of_world_ranks().empty());
    EXPECT_NE(nobody, Group::all(1));
}

}  // namespace
}  // namespace railyard::mpi
