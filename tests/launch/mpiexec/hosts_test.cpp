// Jobs on several hosts, which mpiexec hands over to other launchers: this machine under other
// names for what needs no network of its own, and network namespaces where they can be made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "launch/mpiexec/namespaces.hpp"
#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

Words with(Words first, const Words& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

bool is_here(const std::string& engine) {
    return command("/bin/sh", {"-c", "command -v " + engine}).exit_code == 0;
}

/// Ranks 0 and 1 on host a, 2 on b, all of them this machine.
const Words three_ranks{"--launcher", "fork", "--hosts", "a:2,b"};

/// Hydra dies of SIGPIPE now and then where one host's programs have ended while it starts those of
/// another: these give it the time that an MPI program gives it by MPI_Init.
Words in_a_moment(const Words& program) {
    return with({"sh", "-c", "sleep 0.2; exec \"$@\"", "sh"}, program);
}

class MpiexecHosts : public NothingLeft {
  protected:
    void SetUp() override {
        NothingLeft::SetUp();
        if (!is_here("mpiexec.hydra")) GTEST_SKIP() << "there is no hydra here (package mpich)";
    }
    /// They have the mark.
    Words three(const Words& words) const {
        return with(with(three_ranks, with({rank_program()}, words)), {mark()});
    }
};

TEST_F(MpiexecHosts, RanksMeetAcrossThem) {
    const Ended ended = mpiexec(three({"meet"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out),
              (std::multiset<std::string>{"rank 0 of 3, next is 1", "rank 1 of 3, next is 2",
                                          "rank 2 of 3, next is 0"}));
}

TEST_F(MpiexecHosts, AnMpiProgramRuns) {
    const Ended ended =
        mpiexec({"--stats", "--launcher", "fork", "--hosts", "a:2,b:2", "cg", "--class", "S"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("SUCCESSFUL"));
    EXPECT_THAT(ended.err, HasSubstr("MPI counters of 4 ranks"));
}

TEST_F(MpiexecHosts, WhatIsRunIsSaid) {
    const Ended ended = mpiexec(with({"--verbose"}, with(three_ranks, in_a_moment({"true"}))));
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("mpiexec: runs "), HasSubstr("-hosts a:2,b:1 -n 3")));
}

TEST_F(MpiexecHosts, ARankOfOursMayStartAJobThere) {
    const Ended ended = mpiexec(with({"-n", "1", RAILYARD_BIN "/mpiexec"}, three({"meet"})));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out).count("rank 2 of 3, next is 0"), 1u) << ended.out;
}

TEST_F(MpiexecHosts, OutputHasLabelsAndInputGoesToRank0) {
    // No more than hydra takes at once: it loses a job whose other ranks end meanwhile.
    const Ended ended = mpiexec(
        with({"-l"},
             with(three_ranks, in_a_moment({"sh", "-c", "[ $PMI_RANK != 0 ] || cat; echo done"}))),
        "first line\nsecond line\n");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out), (std::multiset<std::string>{"[0] first line", "[0] second line",
                                                            "[0] done", "[1] done", "[2] done"}));
}

TEST_F(MpiexecHosts, AllThatIsPrintedComes) {
    const Ended ended =
        mpiexec(with(three_ranks, {"sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.out, 'x'), 3'000'000);
}

TEST_F(MpiexecHosts, EnvironmentAndDirectoryTravel) {
    ::setenv("RAILYARD_TEST_WORD", "travelled", 1);
    const Words say =
        in_a_moment({"sh", "-c", "echo $RAILYARD_TEST_WORD $OTHER $ITS_OWN in $(pwd)"});
    const Ended ended = mpiexec(with({"-genv", "OTHER", "too"},
                                     with(three_ranks, with({"-env", "ITS_OWN", "as well"}, say))));
    const std::string line = "travelled too as well in " + std::filesystem::current_path().string();
    EXPECT_EQ(lines(ended.out), (std::multiset<std::string>{line, line, line}));
    const Ended elsewhere =
        mpiexec(with(three_ranks, with({"-wdir", "/usr"}, in_a_moment({"pwd"}))));
    EXPECT_EQ(elsewhere.out, "/usr\n/usr\n/usr\n");
}

TEST_F(MpiexecHosts, SeveralProgramsAreOneJob) {
    const Words first = with({"-n", "1"}, in_a_moment({"echo", "one"}));
    const Words second = with({":", "-n", "2", "-wdir", "/usr"}, in_a_moment({"pwd"}));
    const Ended ended = mpiexec(with({"-l"}, with(three_ranks, with(first, second))));
    EXPECT_EQ(lines(ended.out), (std::multiset<std::string>{"[0] one", "[1] /usr", "[2] /usr"}));
}

TEST_F(MpiexecHosts, ByAFailureOfOneRankAllEnd) {
    // With hydra's codes: that of an abort, and for what it finds out itself one of its own.
    EXPECT_EQ(mpiexec(three({"abort", "42"})).exit_code, 42);
    EXPECT_EQ(left(), 0u);
    for (const Words& words : {Words{"signal", "9"}, Words{"exit", "7"}}) {
        const Ended ended = mpiexec(three(words));
        EXPECT_GT(ended.exit_code, 0) << words[0] << ended.err;
        EXPECT_LT(ended.seconds, within(3)) << words[0];
        EXPECT_EQ(left(), 0u) << words[0];
    }
}

TEST_F(MpiexecHosts, ByTheTimeLimitAndByInterrupts) {
    const Ended late = mpiexec(with({"--timeout", "0.5"}, three({"wait"})));
    EXPECT_EQ(late.exit_code, 124);
    EXPECT_EQ(left(), 0u);
    Started call("mpiexec", three({"catch", std::to_string(SIGUSR1)}));
    ASSERT_TRUE(call.printed(3));
    ::kill(call.pid(), SIGINT);
    call.end();  // with the code that the engine has for it; hydra's is 0
    EXPECT_EQ(left(), 0u);
}

TEST_F(MpiexecHosts, WhenTheLauncherIsKilledNothingStays) {
    Started call("mpiexec", three({"catch", std::to_string(SIGHUP)}));
    ASSERT_TRUE(call.printed(3));
    ::kill(call.pid(), SIGKILL);
    EXPECT_EQ(call.end().exit_code, -SIGKILL);
    EXPECT_EQ(left(), 0u);
}

/// Exit code and the one message.
void cannot_start(const Words& words, int exit_code, const std::string& why) {
    const Ended ended = mpiexec(words);
    EXPECT_EQ(ended.exit_code, exit_code);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(why));
}

TEST(MpiexecHostOptions, ThatAreWrong) {
    cannot_start({"--hosts", "a:x", "echo"}, 2, "mpiexec: --hosts: expected a host");
    cannot_start({"--hostfile", "/no/such/file", "echo"}, 2, "mpiexec: --hostfile: cannot read");
    cannot_start({"--launcher", "", "--hosts", "a", "echo"}, 2, "mpiexec: --launcher: expected");
    cannot_start({"--heartbeat", "0", "--hosts", "a", "echo"}, 2, "--heartbeat: expected seconds");
    cannot_start({"--hosts", "a", "echo", ":", "--hosts", "b", "echo"}, 2,
                 "--hosts: hosts were named before");
    cannot_start({"--ppn", "none", "--hosts", "a", "echo"}, 2, "--ppn: expected a number");
    cannot_start({"--engine", "pbs", "--hosts", "a", "echo"}, 2, "slurm, hydra or openmpi");
    cannot_start({"--deadlock-timeout", "1", "--hosts", "a", "echo"}, 2, "on one host only");
}

TEST(MpiexecHostOptions, WithoutAnEngineThereIsAdvice) {
    const Ended ended = command(
        "/usr/bin/env", {"PATH=/nowhere", RAILYARD_BIN "/mpiexec", "--hosts", "a,b", "echo"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("install MPICH's or Open MPI's launcher"));
}

TEST(MpiexecHostOptions, ThisHostNeedsNoEngine) {
    const Ended ended =
        command("/usr/bin/env", {"PATH=/usr/bin:/bin", RAILYARD_BIN "/mpiexec", "--hosts",
                                 "localhost:3", "printenv", "RAILYARD_SIZE"});
    EXPECT_EQ(ended.out, "3\n3\n3\n") << ended.err;
}

class MpiexecNamespaces : public NothingLeft, public ::testing::WithParamInterface<const char*> {
  protected:
    void SetUp() override {
        NothingLeft::SetUp();
        if (!hosts_.missing().empty()) GTEST_SKIP() << hosts_.missing();
        const bool is_hydra = GetParam() == std::string("hydra");
        if (!is_here(is_hydra ? "mpiexec.hydra" : "mpirun.openmpi"))
            GTEST_SKIP() << "there is no " << GetParam() << " here";
    }
    /// Two ranks on each of two hosts.
    Words on_hosts(const Words& words) const {
        // Names mean nothing on these hosts: hydra is told where it is itself, Open MPI tries.
        const Words network = GetParam() == std::string("hydra") ? Words{"--iface", hosts_.bridge()}
                                                                 : Words{"--allow-run-as-root"};
        return with(with({"--engine", GetParam(), "--launcher", RAILYARD_REMOTE_SHELL,
                          "--heartbeat", "2", "--hosts", hosts_.list(2)},
                         network),
                    words);
    }

    Namespaces hosts_{2};
};

TEST_P(MpiexecNamespaces, RanksMeet) {
    const Ended ended = mpiexec(on_hosts({rank_program(), "meet", mark()}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out).size(), 4u);
}

TEST_P(MpiexecNamespaces, AnMpiProgramRuns) {
    const Ended ended = mpiexec(on_hosts({"--timeout", "60", "cg", "--class", "S"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("SUCCESSFUL"));
}

TEST_P(MpiexecNamespaces, EnvironmentAndDirectoryTravel) {
    ::setenv("RAILYARD_TEST_WORD", "travelled", 1);
    const Ended ended =
        mpiexec(on_hosts({"-wdir", "/usr", "sh", "-c", "echo $RAILYARD_TEST_WORD to $(pwd) >&2"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.err).count("travelled to /usr"), 4u) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(By, MpiexecNamespaces, ::testing::Values("hydra", "openmpi"));

}  // namespace
}  // namespace railyard::mpiexec
