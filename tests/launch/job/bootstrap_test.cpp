// A rank stands on whatever Bootstrap its process manager brings: here one that is no board.
#include "launch/job/bootstrap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "launch/job/fabrics.hpp"
#include "launch/job/join.hpp"
#include "launch/job/map_bootstrap.hpp"

namespace railyard::job {
namespace {

using ::testing::ElementsAre;
using testing::MapManager;

TEST(Bootstrap, SaysWhoARankIs) {
    MapManager manager({0, 0, 7});
    const auto rank = join_by(manager.bootstrap(2), "shm", true);
    EXPECT_EQ(rank->id(), 2);
    EXPECT_EQ(rank->size(), 3);
    EXPECT_EQ(rank->node(), 7u);
    EXPECT_EQ(rank->node_of(1), 0u);
    EXPECT_TRUE(rank->shares_core());
    EXPECT_EQ(rank->fabric_between_nodes(), "");
    EXPECT_EQ(rank->nic().traits().name, "shm");
    EXPECT_NO_THROW(rank->deliver("to nobody"));
}

TEST(Bootstrap, EndsTheJob) {
    MapManager manager({0});
    const auto rank = join_by(manager.bootstrap(0), "shm", false);
    try {
        rank->abort(7, "enough");
        FAIL() << "it went on";
    } catch (const AbortCalled& abort) {
        EXPECT_EQ(abort.code(), 7);
        EXPECT_STREQ(abort.what(), "enough");
    }
}

TEST(Bootstrap, ARankTakesLeaveWhenItIsDestroyed) {
    MapManager manager({0, 0});
    auto rank = join_by(manager.bootstrap(1), "shm", false);
    EXPECT_THAT(manager.left(), ElementsAre());
    rank.reset();
    EXPECT_THAT(manager.left(), ElementsAre(1));
}

TEST(Bootstrap, OfNoFabricThatMovesBytesIsRefused) {
    MapManager manager({0});
    EXPECT_THROW(join_by(manager.bootstrap(0), "ideal", false), UsageError);
}

TEST(Bootstrap, BringsRanksOfTwoNodesTogether) {
    MapManager manager({0, 1});
    const std::string fabrics = FabricPair::for_hosts("shm").text();
    const auto run = [&](int id) {
        const auto rank = join_by(manager.bootstrap(id), fabrics, false);
        EXPECT_EQ(fabrics, "shm+" + std::string(rank->fabric_between_nodes()));
        const auto nic = rank->open(rank->fabric_between_nodes());
        rank->bootstrap().put("address", nic->address().bytes);
        fabric::Address peer;
        const auto told = rank->bootstrap().get(1 - id, "address");
        ASSERT_EQ(told.size(), peer.bytes.size());
        std::copy_n(told.begin(), told.size(), peer.bytes.begin());
        EXPECT_NE(peer.bytes, nic->address().bytes);
        for (int round = 0; round < 3; ++round)
            rank->bootstrap().fence();
    };
    std::thread other(run, 1);
    run(0);
    other.join();
}

}  // namespace
}  // namespace railyard::job
