// What a job of two hosts refuses before it calls anybody. How it runs is tested with two calls of
// `railyard` (tests/cli/peer_test.cpp).

#include <gtest/gtest.h>

#include "job/fabric_pair.hpp"
#include "job/peer_job.hpp"

namespace railyard::job {
namespace {

void nothing(Rank&) {}

TEST(PeerJob, NeedsAFabricThatReachesOtherHosts) {
    Options options;
    options.fabric = "shm";
    EXPECT_THROW(run_with_peer(options, {.secret = "sixteen letters."}, nothing), UsageError);
    options.fabric = "ideal";
    EXPECT_THROW(run_with_peer(options, {.secret = "sixteen letters."}, nothing), UsageError);
}

TEST(FabricPair, IsOneWord) {
    const FabricPair pair = FabricPair::for_hosts("shm");
    ASSERT_NE(pair.between, nullptr) << "no fabric crosses hosts";
    EXPECT_EQ(pair.text().substr(0, 4), "shm+");
    EXPECT_EQ(FabricPair::parse(pair.text()).between, pair.between);
    EXPECT_EQ(FabricPair::parse("shm").between, nullptr);
    EXPECT_THROW(FabricPair::parse("shm+quadrics"), UsageError);
}

TEST(FabricPair, AFabricThatCrossesHostsNeedsNoOther) {
    const std::string both = FabricPair::for_hosts("shm").text();
    EXPECT_EQ(FabricPair::for_hosts(both.substr(4)).text(), both.substr(4));
}

}  // namespace
}  // namespace railyard::job
