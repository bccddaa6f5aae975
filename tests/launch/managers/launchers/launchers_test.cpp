// Programs with our library under the launchers of others: the same for each, as far as it can be.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launch/managers/launchers/engines.hpp"
#include "launch/within.hpp"

namespace railyard::managers {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size())
        ++found;
    return found;
}

class Launchers : public ::testing::TestWithParam<Engine> {
  protected:
    void SetUp() override {
        const std::string why = missing(engine());
        if (!why.empty()) GTEST_SKIP() << name_of(engine()) << ": " << why;
    }
    static Engine engine() { return GetParam(); }
    static bool has_two_nodes() { return engine() != Engine::openmpi; }
    static Ended ranks(int n, Words words, const std::string& input = {}) {
        words.insert(words.begin(), program());
        return run(engine(), n, words, input);
    }
};

TEST_P(Launchers, RanksKnowEachOtherAndTheirNode) {
    const Ended ended = ranks(4, {"hello"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::string local = has_two_nodes() ? "2" : "4";
    for (const char* rank : {"0", "1", "2", "3"})
        EXPECT_THAT(ended.out,
                    HasSubstr(std::string("rank ") + rank + " of 4, " + local + " on its node\n"));
}

TEST_P(Launchers, AWordGoesAround) {
    const Ended ended = ranks(4, {"ring"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "ring of 4: 4\n");
}

TEST_P(Launchers, NodesMayHaveDifferentNumbersOfRanks) {
    const Ended ended = ranks(5, {"all"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "all of 5: 0 wrong\n");
}

TEST_P(Launchers, ThirtyTwoRanksTalkToAll) {
    const Ended ended = ranks(32, {"all"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "all of 32: 0 wrong\n");
}

TEST_P(Launchers, KernelsAreRight) {
    for (const char* kernel : {"cg", "mg"}) {
        const Ended ended =
            run(engine(), 4, {RAILYARD_BIN + std::string("/") + kernel, "--class", "S", "--quiet"});
        EXPECT_EQ(ended.exit_code, 0) << kernel << ended.out << ended.err;
    }
}

TEST_P(Launchers, AbortEndsAllWithItsCodeWhereTheEngineCarriesIt) {
    const Ended ended = ranks(4, {"abort", "1", "7"});
    const bool is_killed = engine() == Engine::slurm_pmi2 || engine() == Engine::slurm_none;
    EXPECT_EQ(ended.exit_code, is_killed ? 137 : 7) << ended.err;
    // Hydra may drop what it has not read by then, however long ago it was written.
    if (engine() != Engine::hydra) {
        EXPECT_THAT(ended.out, HasSubstr("about to abort")) << "what was printed is not lost";
    }
    EXPECT_THAT(ended.err, HasSubstr("rank 1 ends the job: MPI_Abort was called"));
    EXPECT_LT(ended.seconds, within(3));
}

TEST_P(Launchers, ARankThatIsKilledEndsAll) {
    const Ended ended = ranks(4, {"die", "1"});
    if (engine() == Engine::hydra)
        EXPECT_THAT(ended.exit_code, ::testing::AnyOf(9, 255)) << ended.err;
    else
        EXPECT_EQ(ended.exit_code, engine() == Engine::slurm_pmix ? 1 : 137) << ended.err;
    EXPECT_LT(ended.seconds, within(3));
}

TEST_P(Launchers, ARankThatIsAloneOnItsNodeIsMissedToo) {
    if (!has_two_nodes()) GTEST_SKIP() << "Open MPI has one node here";
    const Ended ended = ranks(2, {"die", "1"});
    EXPECT_GT(ended.exit_code, 0);
    EXPECT_NE(ended.exit_code, 124) << "it hangs";
    EXPECT_LT(ended.seconds, within(3));
}

TEST_P(Launchers, ToExitWithoutFinalizeIsAFailure) {
    for (const char* code : {"3", "0"}) {
        const Ended ended = ranks(4, {"leave", "2", code});
        EXPECT_GT(ended.exit_code, 0) << code;
        EXPECT_NE(ended.exit_code, 124) << "it hangs";
    }
}

/// Processes that have the word among theirs.
std::size_t processes_with(const std::string& word) {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream words(entry.path() / "cmdline");
        std::ostringstream text;
        text << words.rdbuf();  // which does not throw when the process ends meanwhile
        if (text.str().find(word) != std::string::npos) ++found;
    }
    return found;
}

TEST_P(Launchers, WhenTheLauncherIsKilledNothingStays) {
    const std::string mark = "railyard-launched-" + name_of(engine()) + std::to_string(::getpid());
    Words words = call(engine(), 4, {program(), "wait", mark});
    const std::string launcher = words.front();
    words.erase(words.begin());
    const Started job(launcher, words);
    ASSERT_TRUE(job.printed(4));
    ::kill(job.pid(), SIGKILL);
    // The launcher itself is a zombie by now, without words.
    for (int tries = 0; tries < 2000 && processes_with(mark) > 0; ++tries)
        ::usleep(10'000);
    EXPECT_EQ(processes_with(mark), 0u);
}

TEST_P(Launchers, CodesAfterFinalizeArrive) {
    const Ended ended = ranks(4, {"codes"});
    if (engine() == Engine::openmpi)
        EXPECT_THAT(ended.exit_code, ::testing::AllOf(::testing::Ge(1), ::testing::Le(3)))
            << "the first that it sees";
    else
        EXPECT_EQ(ended.exit_code, 3) << "the highest, or all of them by OR";
}

TEST_P(Launchers, ACrashAfterFinalizeIsSeen) {
    const int code = ranks(4, {"crash", "1"}).exit_code;
    if (engine() == Engine::hydra)
        EXPECT_THAT(code, ::testing::AnyOf(9, 255));
    else
        EXPECT_EQ(code, 137);
}

TEST_P(Launchers, InputGoesToRank0OrToAll) {
    // Ranks other than 0 wait for ever for hydra's.
    const Ended ended = ranks(4, {"input", engine() == Engine::hydra ? "1" : "4"}, "a line\n");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("rank 0 read a line\n"));
    EXPECT_EQ(count(ended.out, "read a line"), is_srun(engine()) ? 4u : 1u);
}

TEST_P(Launchers, WhatARankStartsIsAJobOfItsOwn) {
    const Ended ended = ranks(2, {"nested", program(), "hello"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("rank 0 of 1, 1 on its node"));
    EXPECT_THAT(ended.out, HasSubstr("nested: 0"));
}

TEST_P(Launchers, LaunchersMayBeNested) {
    for (const Engine inner : {Engine::hydra, Engine::openmpi}) {
        if (!missing(inner).empty()) continue;
        if (inner == engine() && inner == Engine::openmpi) continue;  // it refuses that itself
        Words words = call(inner, 2, {program(), "hello"});
        words.insert(words.begin(), "nested");
        const Ended ended = ranks(2, words);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_EQ(count(ended.out, " of 2, "), 2u) << name_of(inner) << ended.out << ended.err;
        EXPECT_THAT(ended.out, HasSubstr("nested: 0"));
    }
    const Ended ended =
        ranks(2, {"nested", RAILYARD_BIN "/mpiexec", "-n", "3", program(), "hello"});
    EXPECT_EQ(count(ended.out, " of 3, 3 on its node"), 3u) << ended.out << ended.err;
}

TEST_P(Launchers, TwoNodesAreMeasured) {
    const Words measure{RAILYARD_BIN "/railyard",
                        "measure",
                        "latency-uni",
                        "--on",
                        "iwarp",
                        "--sizes",
                        "8",
                        "--quick",
                        "--csv",
                        "-"};
    const Ended ended = run(engine(), 2, measure);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count(ended.out, "latency-uni,iwarp"), count(ended.out, "\n") - 1) << ended.out;
    EXPECT_GT(count(ended.out, "latency-uni,iwarp"), 0u) << ended.out;
    if (engine() != Engine::hydra) return;
    const Ended three = run(engine(), 3, measure);
    EXPECT_NE(three.exit_code, 0);
    EXPECT_THAT(three.err, HasSubstr("two ranks, and the launcher has started 3"));
}

TEST_P(Launchers, AllOverIwarpIfAskedFor) {
    ::setenv("RAILYARD_FABRIC", "iwarp", 1);
    const Ended ended = ranks(4, {"all"});
    ::unsetenv("RAILYARD_FABRIC");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "all of 4: 0 wrong\n");
}

/// In the rank's environment, by what its engine tells it.
std::string differing(const std::string& variable, const std::string& first,
                      const std::string& others, const std::string& mode) {
    return "case ${PMI_RANK:-${PMIX_RANK:-$SLURM_PROCID}} in 0) export " + variable + "='" + first +
           "';; *) export " + variable + "='" + others + "';; esac; exec " + program() + " " + mode;
}

TEST_P(Launchers, AllOverLibfabricIfAskedFor) {
    ::setenv("RAILYARD_FABRIC", "shm+ofi:tcp", 1);
    ::setenv("RAILYARD_OFI_DOMAIN", "lo", 1);
    const Ended ended = ranks(4, {"all"});
    ::unsetenv("RAILYARD_FABRIC");
    ::unsetenv("RAILYARD_OFI_DOMAIN");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "all of 4: 0 wrong\n");
}

TEST_P(Launchers, RanksWithOtherFabricsAreToldWhoHasWhat) {
    const Ended ended = run(
        engine(), 2, {"/bin/sh", "-c", differing("RAILYARD_FABRIC", "iwarp", "ofi:tcp", "all")});
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(
        ended.err,
        ::testing::AnyOf(HasSubstr("rank 0 uses the fabrics iwarp, and rank 1 uses ofi:tcp"),
                         HasSubstr("rank 1 uses the fabrics ofi:tcp, and rank 0 uses iwarp")));
}

INSTANTIATE_TEST_SUITE_P(Of, Launchers,
                         ::testing::Values(Engine::hydra, Engine::openmpi, Engine::slurm_pmi2,
                                           Engine::slurm_pmix, Engine::slurm_none),
                         [](const auto& info) { return name_of(info.param); });

/// Those that start daemons on the nodes of an allocation: what differs is how they do.
using LaunchersInAnAllocation = Launchers;

TEST_P(LaunchersInAnAllocation, TakeItsNodes) {
    const Ended hello = ranks(4, {"hello"});
    EXPECT_EQ(hello.exit_code, 0) << hello.err;
    EXPECT_EQ(count(hello.out, " of 4, 2 on its node\n"), 4u) << hello.out << hello.err;
    const Ended all = ranks(32, {"all"});
    EXPECT_EQ(all.exit_code, 0) << all.err;
    EXPECT_EQ(all.out, "all of 32: 0 wrong\n");
    const Ended cg = run(engine(), 4, {RAILYARD_BIN "/cg", "--class", "S", "--quiet"});
    EXPECT_EQ(cg.exit_code, 0) << cg.out << cg.err;
}

TEST_P(LaunchersInAnAllocation, EndAllWhenARankAbortsOrIsKilled) {
    for (const Words& words : {Words{"abort", "1", "7"}, Words{"die", "3"}}) {
        const Ended ended = ranks(4, words);
        EXPECT_GT(ended.exit_code, 0) << words[0];
        EXPECT_NE(ended.exit_code, 124) << words[0] << ": it hangs";
        EXPECT_LT(ended.seconds, within(4)) << words[0];
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LaunchersInAnAllocation,
                         ::testing::Values(Engine::hydra_in_slurm, Engine::openmpi_in_slurm),
                         [](const auto& info) { return name_of(info.param); });

Ended in_shell(const std::string& line) {
    return Started("/bin/sh", {"-c", line}).end();
}

TEST(LauncherRoads, OneThatIsClosedIsAnErrorAndNoJobOfOne) {
    for (const char* variables :
         {"PMI_FD=77 PMI_RANK=1 PMI_SIZE=2", "OMPI_COMM_WORLD_SIZE=2", "PALS_RANKID=0",
          "PMIX_NAMESPACE=gone PMIX_RANK=0", "RAILYARD_LAUNCH=pmi", "PMI_PORT=127.0.0.1:1 PMI_ID=0",
          "RAILYARD_LAUNCH=nobody"}) {
        const Ended ended = in_shell(std::string(variables) + " " + program() + " hello");
        EXPECT_NE(ended.exit_code, 0) << variables;
        EXPECT_THAT(ended.out, Not(HasSubstr("rank 0 of 1"))) << variables;
        EXPECT_NE(ended.err, "") << variables;
    }
    EXPECT_EQ(in_shell("RAILYARD_LAUNCH=self PMI_SIZE=2 " + program()).exit_code, 0);
}

TEST(LauncherRoads, HydraMayListenAtAPort) {
    if (const std::string why = missing(Engine::hydra); !why.empty()) GTEST_SKIP() << why;
    Words words = call(Engine::hydra, 4, {program(), "ring"});
    words.insert(words.begin() + 1, "-pmi-port");
    const std::string launcher = words.front();
    words.erase(words.begin());
    const Ended ended = Started(launcher, words).end();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "ring of 4: 4\n");
}

TEST(LauncherRoads, RanksOfOneNodeInDifferentContainersShareNoMemory) {
    if (const std::string why = missing(Engine::hydra); !why.empty()) GTEST_SKIP() << why;
    const std::string alone =
        "unshare --user --map-root-user --pid --fork --kill-child --mount-proc ";
    if (in_shell(alone + "true").exit_code != 0)
        GTEST_SKIP() << "user namespaces are not allowed here";
    const Ended hello = in_shell("mpiexec.hydra -n 3 " + alone + program() + " hello");
    EXPECT_EQ(hello.exit_code, 0) << hello.err;
    EXPECT_EQ(count(hello.out, " of 3, 1 on its node"), 3u) << hello.out;
    const Ended all = in_shell("mpiexec.hydra -n 3 " + alone + program() + " all");
    EXPECT_EQ(all.out, "all of 3: 0 wrong\n") << all.err;
}

/// `make soak` asks for many (RAILYARD_LAUNCHES).
TEST_P(Launchers, StartsAgainAndAgain) {
    const char* const wish = ::getenv("RAILYARD_LAUNCHES");
    const int starts = wish != nullptr ? std::atoi(wish) : 3;
    for (int i = 0; i < starts; ++i) {
        const Ended ended = ranks(4, {"ring"});
        ASSERT_EQ(ended.exit_code, 0) << "start " << i << ": " << ended.err;
        ASSERT_EQ(ended.out, "ring of 4: 4\n") << "start " << i;
    }
}

}  // namespace
}  // namespace railyard::managers
