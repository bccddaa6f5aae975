#include "launch/job/join.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace railyard::job {
namespace {

TEST(Invitation, ReadsWhatItWrote) {
    Invitation written{.rank = 3,
                       .board = {.pid = 4711, .fd = 5, .inode = 1ULL << 40, .size = 65536},
                       .frames_fd = 9,
                       .frames_inode = 77,
                       .shares_core = true,
                       .fabric = "shm"};
    EXPECT_EQ(Invitation::parse(written.text()), written);
    written.fabric = "ofi:tcp";  // which has a colon, too
    EXPECT_EQ(Invitation::parse(written.text()), written);
}

TEST(Invitation, NothingElseIsOne) {
    for (const char* text : {"", "3", "3:1:2:3:4:5:6:0:", "3:1:2:3:4:5:6:0", "3:1:x:3:4:5:6:0:shm",
                             "3:1:2:-3:4:5:6:0:shm", ":::::::::", "99999999999:1:2:3:4:5:6:0:shm"})
        EXPECT_EQ(Invitation::parse(text), std::nullopt) << text;
}

TEST(Invitation, DescriptorsAreToldApart) {
    EXPECT_EQ(inode_of(-1), 0u);
    EXPECT_NE(inode_of(STDIN_FILENO), 0u);
}

TEST(Join, AProcessWithoutALauncherIsAJobOfOne) {
    ::unsetenv(Invitation::variable);
    const auto rank = join();
    EXPECT_EQ(rank->id(), 0);
    EXPECT_EQ(rank->size(), 1);
    EXPECT_EQ(rank->node(), 0u);
    rank->bootstrap().put("key", {});
    EXPECT_TRUE(rank->bootstrap().get(0, "key").empty());
    rank->bootstrap().fence();
    EXPECT_EQ(rank->nic().traits().clock, fabric::Clock::real);
}

TEST(Join, AnInvitationToWhatIsGoneIsRefused) {
    const Invitation stale{.rank = 0,
                           .board = {.pid = ::getpid(), .fd = 0, .inode = 1, .size = 65536},
                           .fabric = "shm"};
    ::setenv(Invitation::variable, stale.text().c_str(), 1);
    EXPECT_THROW(join(), Error);
    EXPECT_EQ(std::getenv(Invitation::variable), nullptr);
}

}  // namespace
}  // namespace railyard::job
