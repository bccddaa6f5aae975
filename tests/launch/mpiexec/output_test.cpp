// What ranks print: all of it arrives, in order and in whole lines, or its loss is an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class MpiexecOutput : public NothingLeft {
  protected:
    /// A line for bash, in which M is the launcher.
    static Ended shell(const std::string& line) {
        return command("/bin/bash", {"-c", "M=" RAILYARD_BIN "/mpiexec; " + line});
    }
};

TEST_F(MpiexecOutput, ItsLossIsAnError) {
    const Ended output = shell("$M -n 2 echo hello > /dev/full");
    EXPECT_EQ(output.exit_code, 1);
    EXPECT_EQ(output.err,
              "mpiexec: what the ranks printed was lost: cannot write to the standard output: No "
              "space left on device\n");
    EXPECT_EQ(shell("$M -n 2 sh -c 'echo hello >&2' 2> /dev/full").exit_code, 1);
    EXPECT_EQ(shell("$M -l -n 2 echo hello > /dev/full").exit_code, 1);
    EXPECT_EQ(shell("$M --help > /dev/full").exit_code, 1);
    // What is too large for a limit is lost, too; and a rank's own failure is the more telling.
    const Ended limited = shell(
        "ulimit -f 256; $M -n 1 sh -c 'head -c 1000000 /dev/zero' > /tmp/railyard-big.$$; "
        "code=$?; rm /tmp/railyard-big.$$; exit $code");
    EXPECT_EQ(limited.exit_code, 1);
    EXPECT_THAT(limited.err, HasSubstr("File too large"));
    EXPECT_EQ(shell("$M -n 1 sh -c 'echo hello; exit 7' > /dev/full").exit_code, 7);
}

TEST_F(MpiexecOutput, AReaderThatLeavesEndsTheJobWithoutAWord) {
    const Ended ended = shell("$M -n 2 yes " + mark() + " | head -1; echo ${PIPESTATUS[0]}");
    EXPECT_EQ(ended.out, mark() + "\n141\n");
    EXPECT_EQ(ended.err, "");
    // Whoever prints nothing any more does not hear of it.
    EXPECT_EQ(shell("$M -n 2 sh -c 'sleep 0.2' | true; echo ${PIPESTATUS[0]}").out, "0\n");
}

TEST_F(MpiexecOutput, LinesAreWhole) {
    const Ended ended = mpiexec({"-n", "4", "sh", "-c",
                                 "for i in 1 2 3 4 5 6 7 8 9 10; do printf a$RAILYARD_RANK; "
                                 "printf bcdefgh; printf 'i\\n'; done"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::multiset<std::string> expected;
    for (int i = 0; i < 10; ++i)
        for (const char* rank : {"0", "1", "2", "3"})
            expected.insert("a" + std::string(rank) + "bcdefghi");
    EXPECT_EQ(lines(ended.out), expected);
}

TEST_F(MpiexecOutput, BytesAreLeftAlone) {
    std::string bytes;
    for (unsigned i = 0; i < 3'000'000; ++i)
        bytes += static_cast<char>(i * i >> 7 ^ i);
    bytes += "and no newline";
    for (const char* ranks : {"1", "2"}) {
        const Ended ended =
            mpiexec({"-n", ranks, "sh", "-c", "if test $RAILYARD_RANK = 0; then cat; fi"}, bytes);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_TRUE(ended.out == bytes) << ended.out.size();
    }
}

TEST_F(MpiexecOutput, BothWaysIntoOneFileKeepTheirOrder) {
    std::string expected;
    for (int i = 0; i < 50; ++i)
        expected += "o" + std::to_string(i) + "\ne" + std::to_string(i) + "\n";
    const Ended ended =
        shell("$M -n 1 bash -c 'for i in {0..49}; do echo o$i; echo e$i >&2; done' 2>&1");
    EXPECT_EQ(ended.out, expected);
}

TEST_F(MpiexecOutput, AQuestionIsSeenBeforeItsAnswer) {
    const Ended ended = shell(
        "coproc J { $M -n 2 sh -c 'if test $RAILYARD_RANK = 0; then printf "
        "\"n?\"; read n; echo $n; fi'; }; "
        "read -t 20 -N 2 asked <&${J[0]}; echo asked $asked; "
        "echo 7 >&${J[1]}; read -t 20 answer <&${J[0]}; echo answer $answer");
    EXPECT_EQ(ended.out, "asked n?\nanswer 7\n");
}

TEST_F(MpiexecOutput, WhatWasPrintedBeforeAnAbortIsKept) {
    const Ended ended = mpiexec({"-n", "2", rank_program(), "abort", "3", mark()});
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_EQ(ended.out, "last words");
}

TEST_F(MpiexecOutput, OfWhatARankLeavesBehindIsSeenWhileOthersRun) {
    const Ended ended = mpiexec({"-n", "2", "sh", "-c",
                                 "if test $RAILYARD_RANK = 0; then (sleep 0.2; echo late) & "
                                 "else sleep 1; fi; : " +
                                     mark()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "late\n");
}

/// How many processes were started with exactly these words.
std::size_t processes_with(const std::string& words) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ostringstream text;
        text << std::ifstream(entry.path() / "cmdline").rdbuf();
        std::string line = text.str();
        std::ranges::replace(line, '\0', ' ');
        if (line == words + " ") ++count;
    }
    return count;
}

TEST_F(MpiexecOutput, AReaderThatSleepsKeepsNoJobFromEnding) {
    // A pipe that stays open and is never read.
    Started call("/bin/bash",
                 {"-c", "d=$(mktemp -d); mkfifo $d/p; exec 3<>$d/p; rm -r $d; exec " RAILYARD_BIN
                        "/mpiexec -n 2 yes " +
                            mark() + " >&3"});
    const auto becomes = [&](std::size_t wanted) {
        for (int i = 0; i < 1000; ++i, ::usleep(10'000))
            if (processes_with("yes " + mark()) == wanted) return true;
        return false;
    };
    ASSERT_TRUE(becomes(2));
    ::usleep(200'000);
    ::kill(call.pid(), SIGTERM);
    EXPECT_TRUE(becomes(0));
    ::kill(call.pid(), SIGTERM);
    EXPECT_EQ(call.end().exit_code, 128 + SIGTERM);
}

/// The second request may come while ranks that did not heed the first are still there.
TEST_F(MpiexecOutput, OneWhoAsksTwiceNeedNotAskAgainForTheSakeOfAReaderThatSleeps) {
    Started call("/bin/bash",
                 {"-c", "d=$(mktemp -d); mkfifo $d/p; exec 3<>$d/p; rm -r $d; exec " RAILYARD_BIN
                        "/mpiexec -n 1 sh -c \"trap '' TERM; exec yes " +
                            mark() + "\" >&3"});
    for (int i = 0; i < 1000 && processes_with("yes " + mark()) != 1; ++i)
        ::usleep(10'000);
    ::usleep(200'000);
    ::kill(call.pid(), SIGTERM);
    ::usleep(200'000);
    ASSERT_EQ(processes_with("yes " + mark()), 1U);
    ::kill(call.pid(), SIGTERM);
    EXPECT_EQ(call.end().exit_code, 128 + SIGTERM);
}

}  // namespace
}  // namespace railyard::mpiexec
