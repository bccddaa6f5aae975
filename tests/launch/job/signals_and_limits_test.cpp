// Signals to the launcher, by which people and batch systems end a job.
#include "launch/job/signals_and_limits.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "helpers.hpp"
#include "process_fixture.hpp"

namespace railyard::job {
namespace {

using namespace testing;

/// A launcher in a process of its own, so that signals can be sent to it.
class ForkedLauncher {
  public:
    ForkedLauncher(int ranks, const Body& body) {
        // Ranks that outlive their launcher come to us, so that they can be waited for.
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid_ = ::fork();
        if (pid_ != 0) return;
        const Result result = run(options(Kind::processes, ranks), body);
        struct sigaction handler {};
        ::sigaction(SIGINT, nullptr, &handler);
        const bool restored = handler.sa_handler == SIG_DFL;
        const bool reaped = ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
        ::_exit(result.failure == "interrupted" && restored && reaped ? result.exit_code : 99);
    }
    ~ForkedLauncher() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

    pid_t pid() const { return pid_; }
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

  private:
    pid_t pid_;
};

using LauncherSignals = ProcessJob;

class Interrupted : public ProcessJob, public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Interrupts, Interrupted, ::testing::Values(SIGINT, SIGTERM));

TEST_P(Interrupted, EndsAllRanks) {
    SharedCounter started;
    ForkedLauncher launcher(6, [&](Rank& rank) {
        started->fetch_add(1);
        wait_for_ever(rank);
    });
    while (started->load() < 6)
        ::usleep(1000);
    const Stopwatch watch;
    ::kill(launcher.pid(), GetParam());
    EXPECT_EQ(launcher.wait(), 128 + GetParam());
    EXPECT_LT(watch.seconds(), within(0.9));
}

TEST_P(Interrupted, EndsStubbornRanksToo) {
    SharedCounter started;
    ForkedLauncher launcher(3, [&](Rank& rank) {
        ::signal(GetParam(), SIG_IGN);
        started->fetch_add(1);
        wait_for_ever(rank);
    });
    while (started->load() < 3)
        ::usleep(1000);
    const Stopwatch watch;
    ::kill(launcher.pid(), GetParam());
    EXPECT_EQ(launcher.wait(), 128 + GetParam());
    EXPECT_LT(watch.seconds(), within(2));
}

TEST_F(LauncherSignals, ASecondInterruptMeansNow) {
    SharedCounter started;
    ForkedLauncher launcher(3, [&](Rank& rank) {
        ::signal(SIGINT, SIG_IGN);
        started->fetch_add(1);
        wait_for_ever(rank);
    });
    while (started->load() < 3)
        ::usleep(1000);
    const Stopwatch watch;
    ::kill(launcher.pid(), SIGINT);
    ::usleep(50'000);
    ::kill(launcher.pid(), SIGINT);
    EXPECT_EQ(launcher.wait(), 130);
    EXPECT_LT(watch.seconds(), within(0.7));
}

TEST_F(LauncherSignals, NoRankOutlivesAKilledLauncher) {
    SharedCounter started;
    ForkedLauncher launcher(5, [&](Rank& rank) {
        ::signal(SIGTERM, SIG_IGN);
        started->fetch_add(1);
        wait_for_ever(rank);
    });
    while (started->load() < 5)
        ::usleep(1000);
    const Stopwatch watch;
    ::kill(launcher.pid(), SIGKILL);
    EXPECT_EQ(launcher.wait(), 1000 + SIGKILL);
    int killed = 0;
    int status = 0;
    while (::waitpid(-1, &status, 0) > 0)
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ++killed;
    EXPECT_EQ(killed, 5);
    EXPECT_LT(watch.seconds(), within(2));
}

TEST_F(LauncherSignals, WhatIsIgnoredStaysIgnored) {
    ::signal(SIGINT, SIG_IGN);
    {
        Interrupts interrupts;
        ::raise(SIGINT);
        EXPECT_EQ(interrupts.take(), 0);
        ::raise(SIGTERM);
        EXPECT_EQ(interrupts.take(), SIGTERM);
        EXPECT_EQ(interrupts.take(), 0);
    }
    ::signal(SIGINT, SIG_DFL);
}

TEST_F(LauncherSignals, WhatNobodyTookIsRaisedAgain) {
    static int heard = 0;
    heard = 0;
    ::signal(SIGTERM, [](int number) { heard = number; });
    {
        const Interrupts interrupts;
        ::raise(SIGTERM);
        EXPECT_EQ(heard, 0);
    }
    EXPECT_EQ(heard, SIGTERM);
    ::signal(SIGTERM, SIG_DFL);
}

}  // namespace
}  // namespace railyard::job
