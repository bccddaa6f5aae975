#include "launch/engines/host_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "railyard/base/error.hpp"

namespace railyard::engines {
namespace {

using ::testing::ElementsAre;

TEST(HostList, RanksGoHostByHost) {
    EXPECT_THAT(place_ranks({{"a", 2}, {"b", 1}, {"c", 2}}, 5),
                ElementsAre("a", "a", "b", "c", "c"));
}

TEST(HostList, FewerRanksLeaveHostsOut) {
    EXPECT_THAT(place_ranks({{"a", 2}, {"b", 2}, {"c", 2}}, 3), ElementsAre("a", "a", "b"));
}

TEST(HostList, MoreRanksGoRoundAgain) {
    EXPECT_THAT(place_ranks({{"a", 1}, {"b", 2}}, 7),
                ElementsAre("a", "b", "b", "a", "b", "b", "a"));
}

TEST(HostList, ThisHostIsKnown) {
    EXPECT_TRUE(is_here("localhost"));
    EXPECT_FALSE(is_here("no-such-host.invalid"));
}

using ::testing::HasSubstr;

TEST(HostWords, AHostMayHaveANumber) {
    EXPECT_EQ(parse_host("a"), (WrittenHost{"a", {}}));
    EXPECT_EQ(parse_host("node7.cluster:16"), (WrittenHost{"node7.cluster", 16}));
    EXPECT_EQ(parse_host("2001:db8::7"), (WrittenHost{"2001:db8::7", {}}));
    EXPECT_EQ(parse_host("[2001:db8::7]:2"), (WrittenHost{"2001:db8::7", 2}));
    for (const char* wrong :
         {"", "a:", "a:0", "a:x", ":2", "-oProxyCommand=x", "a b", "a;b", "[a", "[[a]]", "a\nb"})
        EXPECT_THROW(parse_host(wrong), UsageError) << wrong;
}

TEST(HostWords, OfAList) {
    EXPECT_THAT(parse_hosts("a:2,b"), ElementsAre(WrittenHost{"a", 2}, WrittenHost{"b", {}}));
    EXPECT_THROW(parse_hosts("a,,b"), UsageError);
    EXPECT_THAT(with_slots(parse_hosts("a:2,b"), 3),
                ElementsAre(engines::HostSlots{"a", 2}, engines::HostSlots{"b", 3}));
}

TEST(HostWords, OfAFile) {
    const std::string file = ::testing::TempDir() + "railyard-hosts";
    std::ofstream(file) << "# the cluster\na:2\n\n  b slots=3   # as Open MPI has it\nc\n";
    EXPECT_THAT(read_hosts(file),
                ElementsAre(WrittenHost{"a", 2}, WrittenHost{"b", 3}, WrittenHost{"c", {}}));
    std::ofstream(file) << "a\nb slots=many\n";
    try {
        read_hosts(file);
        ADD_FAILURE();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr(file + ":2: "));
    }
    std::ofstream(file) << "[2001:db8::7] slots=2\n2001:db8::8 slots=3\r\n";
    EXPECT_THAT(read_hosts(file),
                ElementsAre(WrittenHost{"2001:db8::7", 2}, WrittenHost{"2001:db8::8", 3}));
    for (const char* wrong : {"a:2 slots=3\n", "a slots=3 b\n", "a b slots=3\n", "a slots=\n"}) {
        std::ofstream(file) << wrong;
        EXPECT_THROW(read_hosts(file), UsageError) << wrong;
    }
    std::ofstream(file) << "# nobody\n";
    EXPECT_THROW(read_hosts(file), UsageError);
    ::remove(file.c_str());
    EXPECT_THROW(read_hosts(file), UsageError);
}

}  // namespace
}  // namespace railyard::engines
