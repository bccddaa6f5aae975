// Hosts that have nothing in common but a network: equal process numbers, a /dev/shm each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "launch/managers/launchers/engines.hpp"
#include "launch/mpiexec/namespaces.hpp"
#include "launch/within.hpp"

namespace railyard::managers {
namespace {

using namespace testing;
using mpiexec::testing::Namespaces;
using ::testing::HasSubstr;

class LaunchedHosts : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = missing(Engine::hydra); !why.empty()) GTEST_SKIP() << why;
        if (!hosts.missing().empty()) GTEST_SKIP() << hosts.missing();
    }
    /// Two ranks on each, by hydra, which has a remote shell of ours for ssh.
    Words hydra(const Words& words) const {
        Words all{"-k",
                  "5",
                  "60",
                  "mpiexec.hydra",
                  "-iface",
                  hosts.bridge(),
                  "-launcher",
                  "ssh",
                  "-launcher-exec",
                  RAILYARD_REMOTE_SHELL,
                  "-hosts",
                  hosts.list(2),
                  "-n",
                  "4",
                  program()};
        all.insert(all.end(), words.begin(), words.end());
        return all;
    }
    Ended run_hydra(const Words& words) const {
        return Started("/usr/bin/timeout", hydra(words)).end();
    }

    Namespaces hosts{2};
};

TEST_F(LaunchedHosts, RanksOfTwoHostsAreOneJob) {
    const Ended hello = run_hydra({"hello"});
    EXPECT_EQ(hello.exit_code, 0) << hello.err;
    EXPECT_THAT(hello.out, HasSubstr("rank 3 of 4, 2 on its node\n"));
    const Ended all = run_hydra({"all"});
    EXPECT_EQ(all.exit_code, 0) << all.err;
    EXPECT_EQ(all.out, "all of 4: 0 wrong\n");
}

TEST_F(LaunchedHosts, AHostWhoseCableIsPulledEndsTheJob) {
    ::setenv("RAILYARD_HEARTBEAT", "2", 1);
    Started job("/usr/bin/timeout", hydra({"wait"}));
    ::unsetenv("RAILYARD_HEARTBEAT");
    ASSERT_TRUE(job.printed(4));
    hosts.unplug(1);
    const Ended ended = job.end();
    EXPECT_GT(ended.exit_code, 0);
    EXPECT_NE(ended.exit_code, 124) << "it hangs";
    // Why, hydra may drop; but it does not notice by itself.
    EXPECT_LT(ended.seconds, within(8));
}

}  // namespace
}  // namespace railyard::managers
