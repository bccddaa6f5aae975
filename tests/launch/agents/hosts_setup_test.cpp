#include "launch/agents/hosts_setup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace railyard::agents {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> addresses(const std::string& host, const HostOptions& options) {
    return call_for(Host{0, host, {0}}, options, tls::Secret::make(), 4711).addresses;
}

TEST(HostsSetup, AgentsAreToldWhereToCall) {
    HostOptions options;
    options.listen = "192.0.2.7:4711";
    EXPECT_THAT(addresses("a", options), ElementsAre("[192.0.2.7]:4711"));
    options.listen = "node7";
    EXPECT_THAT(addresses("a", options), ElementsAre("[node7]:4711"));
}

TEST(HostsSetup, NobodyCallsAtAnyAddress) {
    HostOptions options;
    for (const char* any : {"0.0.0.0", "0.0.0.0:4711", "::", "[::]:4711", ":4711"}) {
        options.listen = any;
        EXPECT_THAT(addresses("a", options), Contains(HasSubstr("127.0.0.1"))) << any;
        EXPECT_THAT(addresses("a", options), Each(Not(HasSubstr("[0.0.0.0]")))) << any;
        EXPECT_THAT(addresses("a", options), Not(Contains("[::]:4711"))) << any;
    }
}

TEST(HostsSetup, AUserIsNoPartOfAName) {
    // The way to the loopback is the loopback, and comes first if it was found.
    HostOptions options;
    options.launcher = {"ssh"};
    EXPECT_EQ(addresses("somebody@127.0.0.1", options).front(), "[127.0.0.1]:4711");
}

TEST(HostsSetup, DirectoriesAreSeenFromHere) {
    job::ProgramOptions options;
    for (const char* directory : {"", "sub", "/abs"}) {
        options.programs.push_back({.ranks = 1, .arguments = {"true"}});
        options.programs.back().directory = directory;
    }
    const Placement placement{{"a", "b"}, {0, 1, 1}};
    std::vector<Host> hosts;
    hosts.push_back({0, "a", {0}});
    hosts.push_back({1, "b", {1, 2}});
    const std::vector<Start> starts = starts_for(hosts, options, placement);
    ASSERT_EQ(starts.size(), 2u);
    const std::filesystem::path here = std::filesystem::current_path();
    EXPECT_EQ(starts[1].programs[0].directory, here.string());
    EXPECT_EQ(starts[1].programs[1].directory, (here / "sub").string());
    EXPECT_EQ(starts[1].programs[2].directory, "/abs");
}

}  // namespace
}  // namespace railyard::agents
