#include "launch/job/fabrics.hpp"

#include <gtest/gtest.h>

#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

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
