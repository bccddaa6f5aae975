// How jobs end: with one message, the right exit code, soon, and nothing left behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <regex>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MpiexecEnds : public NothingLeft {
  protected:
    /// Four ranks of the test program, which have the mark.
    Words four(const Words& words) const {
        Words all{"-n", "4", rank_program()};
        all.insert(all.end(), words.begin(), words.end());
        all.push_back(mark());
        return all;
    }
    /// The one message, pids left out.
    static std::string message(const Ended& ended) {
        return std::regex_replace(ended.err, std::regex("pid [0-9]+"), "pid N");
    }
};

TEST_F(MpiexecEnds, ByAbort) {
    const Ended ended = mpiexec(four({"abort", "42"}));
    EXPECT_EQ(ended.exit_code, 42);
    EXPECT_LT(ended.seconds, within(2));
    EXPECT_EQ(message(ended),
              "mpiexec: rank 1 (pid N) ended the job: it had enough; all other ranks were ended\n");
    EXPECT_EQ(ended.out, "last words");
}

TEST_F(MpiexecEnds, WithACodeThatAProcessCanHave) {
    EXPECT_EQ(mpiexec(four({"abort", "256"})).exit_code, 1);
    EXPECT_EQ(mpiexec(four({"abort", "-1"})).exit_code, 255);
}

TEST_F(MpiexecEnds, ByAbortOfARankAlone) {
    const Ended ended = mpiexec({"-n", "1", rank_program(), "system", "false", mark()});
    EXPECT_EQ(ended.exit_code, 9);
    EXPECT_EQ(message(ended), "mpiexec: rank 0 (pid N) ended the job: the other failed\n");
    const Ended alone = command(rank_program(), {"system", "false", mark()});
    EXPECT_EQ(alone.exit_code, 9);
    EXPECT_EQ(alone.err, "the job was ended: the other failed\n");
}

TEST_F(MpiexecEnds, OfThoseWhoDoNotListenToo) {
    const Ended ended = mpiexec(four({"deaf"}));
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_LT(ended.seconds, within(2));
}

TEST_F(MpiexecEnds, ByAnExitCode) {
    const Ended ended = mpiexec(four({"exit", "7"}));
    EXPECT_EQ(ended.exit_code, 7);
    EXPECT_LT(ended.seconds, within(2));
    EXPECT_EQ(message(ended),
              "mpiexec: rank 1 (pid N) exited with code 7; all other ranks were ended\n");
}

TEST_F(MpiexecEnds, ByAnExitWithoutLeave) {
    const Ended ended = mpiexec(four({"exit", "0"}));
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_LT(ended.seconds, within(2));
    EXPECT_EQ(message(ended),
              "mpiexec: rank 1 (pid N) ended without taking leave of the others (is MPI_Finalize "
              "missing?); all other ranks were ended\n");
}

TEST_F(MpiexecEnds, WellWhereNoRankTakesLeave) {
    const Ended ended = mpiexec(four({"vanish"}));
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
}

TEST_F(MpiexecEnds, BySignals) {
    const Ended ended = mpiexec(four({"signal", std::to_string(SIGSEGV)}));
    EXPECT_EQ(ended.exit_code, 128 + SIGSEGV);
    EXPECT_LT(ended.seconds, within(2));
    EXPECT_EQ(message(ended),
              "mpiexec: rank 1 (pid N) was killed by signal 11 (Segmentation fault); all other "
              "ranks were ended\n");
}

TEST_F(MpiexecEnds, OfWhatRanksStarted) {
    // A shell between the launcher and the rank, and a child of the shell's that nobody waits for.
    const Ended ended = mpiexec({"-n", "2", "sh", "-c",
                                 "sh -c 'sleep 100 # " + mark() + "' & " + rank_program() +
                                     " exit 7 " + mark() + "; exit $?"});
    EXPECT_EQ(ended.exit_code, 7);
    EXPECT_LT(ended.seconds, within(2));
}

TEST_F(MpiexecEnds, ByTheTimeLimit) {
    Words words{"--timeout", "0.3"};
    const Words rest = four({"wait"});
    words.insert(words.end(), rest.begin(), rest.end());
    const Ended ended = mpiexec(words);
    EXPECT_EQ(ended.exit_code, 124);
    EXPECT_GE(ended.seconds, 0.3);
    EXPECT_LT(ended.seconds, within(2.3));
    EXPECT_EQ(message(ended),
              "mpiexec: not done within the time limit of 0.3 s; all ranks were ended\n");
}

TEST_F(MpiexecEnds, ByAnInterrupt) {
    Started call("mpiexec", four({"catch", std::to_string(SIGHUP)}));
    ASSERT_TRUE(call.printed(4));
    ::kill(call.pid(), SIGINT);
    const Ended ended = call.end();
    EXPECT_EQ(ended.exit_code, 128 + SIGINT);
    EXPECT_EQ(ended.err, "mpiexec: interrupted; all ranks were ended\n");
}

TEST_F(MpiexecEnds, AtOnceIfInterruptedTwice) {
    Started call("mpiexec", {"-n", "2", "sh", "-c",
                             "trap '' INT; echo ready; while :; do sleep 0.1; done # " + mark()});
    ASSERT_TRUE(call.printed(2));
    ::kill(call.pid(), SIGINT);
    ::usleep(50'000);
    ::kill(call.pid(), SIGINT);
    const Ended ended = call.end();
    EXPECT_EQ(ended.exit_code, 128 + SIGINT);
}

TEST_F(MpiexecEnds, SignalsArePassedOn) {
    Started call("mpiexec", four({"catch", std::to_string(SIGUSR1)}));
    ASSERT_TRUE(call.printed(4));
    ::kill(call.pid(), SIGUSR1);
    // Each leaves at once, with code 0, and without a word to the others, as all do.
    EXPECT_EQ(call.end().exit_code, 0);
}

TEST_F(MpiexecEnds, AlsoWhenTheLauncherIsKilled) {
    Started call("mpiexec", four({"catch", std::to_string(SIGHUP)}));
    ASSERT_TRUE(call.printed(4));
    ::kill(call.pid(), SIGKILL);
    EXPECT_EQ(call.end().exit_code, -SIGKILL);
    EXPECT_EQ(left(), 0u);
}

TEST_F(MpiexecEnds, AlsoBehindAShellWhenTheLauncherIsKilled) {
    Started call("mpiexec",
                 {"-n", "2", "sh", "-c",
                  rank_program() + " catch " + std::to_string(SIGHUP) + " " + mark() + "; true"});
    ASSERT_TRUE(call.printed(2));
    ::kill(call.pid(), SIGKILL);
    EXPECT_EQ(call.end().exit_code, -SIGKILL);
    EXPECT_EQ(left(), 0u);
}

/// Ranks behind two shells, with children that nobody waits for, one of them in a session of its
/// own.
class MpiexecLeavesNothing : public NothingLeft {
  protected:
    std::string child() const { return "sh -c 'sleep 100; : " + mark() + "'"; }
    Words two(const std::string& last) const {
        return {"-n", "2", "sh", "-c",
                child() + " & (setsid " + child() + " &); sh -c \"" + last + "; true\"; true"};
    }
    Words two_that_wait() const {
        return two(rank_program() + " catch " + std::to_string(SIGHUP) + " " + mark());
    }
    static pid_t child_of(pid_t parent) {
        const std::string pid = std::to_string(parent);
        pid_t child = 0;
        std::ifstream("/proc/" + pid + "/task/" + pid + "/children") >> child;
        return child;
    }
};

TEST_F(MpiexecLeavesNothing, WhenAllIsWell) {
    const Ended ended = mpiexec(two(rank_program() + " meet " + mark()));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_LT(ended.seconds, within(2));
    EXPECT_EQ(left(), 0u);
}

TEST_F(MpiexecLeavesNothing, ButWhatIsNotItsOwn) {
    // A child of the shell that became mpiexec.
    const Ended ended =
        command("/bin/bash", {"-c", "echo $( (sleep 0.5; echo survived) & exec " RAILYARD_BIN
                                    "/mpiexec -n 1 true " +
                                        mark() + " )"});
    EXPECT_EQ(ended.out, "survived\n");
}

TEST_F(MpiexecLeavesNothing, WhenItIsKilled) {
    Started call("mpiexec", two_that_wait());
    ASSERT_TRUE(call.printed(2));
    ::kill(call.pid(), SIGKILL);
    EXPECT_EQ(call.end().exit_code, -SIGKILL);
    EXPECT_EQ(left(), 0u);
}

TEST_F(MpiexecLeavesNothing, WhenItsLauncherIsKilled) {
    Started call("mpiexec", two_that_wait());
    ASSERT_TRUE(call.printed(2));
    const pid_t launcher = child_of(call.pid());
    ASSERT_GT(launcher, 0);
    ::kill(launcher, SIGKILL);
    const Ended ended = call.end();
    EXPECT_EQ(ended.exit_code, 128 + SIGKILL);
    EXPECT_EQ(ended.err,
              "mpiexec: the launcher was killed by signal 9 (Killed); all ranks were ended\n");
    EXPECT_EQ(left(), 0u);
}

}  // namespace
}  // namespace railyard::mpiexec
