#pragma once
/// For tests that start processes: nothing of them may be left afterwards.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>

#include "helpers.hpp"
#include "launch/job/job.hpp"

namespace railyard::job::testing {

/// Every test of a job of processes leaves the launcher as it found it.
class ProcessJob : public ::testing::Test {
  protected:
    void SetUp() override { descriptors_ = open_descriptors(); }
    void TearDown() override {
        EXPECT_EQ(open_descriptors(), descriptors_) << "descriptors are left open";
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
        EXPECT_EQ(errno, ECHILD);
        for (const int number : {SIGINT, SIGTERM, SIGCHLD}) {
            struct sigaction now {};
            ::sigaction(number, nullptr, &now);
            EXPECT_EQ(now.sa_handler, SIG_DFL) << "signal " << number;
        }
    }

    static Options options(int ranks) { return testing::options(Kind::processes, ranks); }

  private:
    std::ptrdiff_t descriptors_ = 0;
};

inline void wait_for_ever(Rank& rank) {
    rank.bootstrap().get(rank.id(), "never put");
}

}  // namespace railyard::job::testing
