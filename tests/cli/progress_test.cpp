// What takes long: progress on a terminal, time budgets, interrupts, and going on afterwards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include "cli/program.hpp"
#include "launch/within.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Progress, TellsHowFarItHasCome) {
    OnTerminal measure({"measure", "latency-uni", "latency-bi", "--on", "ideal", "--sizes", "8,64",
                        "--ops", "send_recv", "--jobs", "1"});
    EXPECT_TRUE(measure.shows("1 of 4: latency-uni on ideal: send_recv 8 B"));
    EXPECT_TRUE(measure.shows("4 of 4: latency-bi on ideal: send_recv 64 B"));
    EXPECT_EQ(measure.end().exit_code, 0);
    OnTerminal reproduce({"reproduce", "--only", "liu04pcie.latency.rdma_*"});
    EXPECT_TRUE(reproduce.shows("1 of "));
    EXPECT_EQ(reproduce.end().exit_code, 0);
}

/// It is not over before it is interrupted, however fast the machine.
TEST(Progress, OfARunCountsItsSecondsAndTellsHowFarItHasCome) {
    OnTerminal run(
        {"run", "-n", "4", "--on", "ideal,quadrics", "halo", "--iterations", "20000000"});
    EXPECT_TRUE(run.shows("1 of 2: halo on ideal, "));
    EXPECT_TRUE(run.shows(" left: "));
    EXPECT_TRUE(run.shows("s virtual time, "));
    run.interrupt();
    const Ended ended = run.end();
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_TRUE(std::regex_search(
        ended.err, std::regex("1 of 2: halo on ideal, [0-9]+ s, [0-9]+ (s|min) left: "
                              "[0-9.]+ [mu]?s virtual time, [0-9.]+ [kM] calls/s")))
        << ended.err;
}

TEST(Progress, OfARunIsForWhoLooksOn) {
    OnTerminal quiet({"run", "--quiet", "--summary", "none", "hello"});
    EXPECT_EQ(quiet.end().err, "");
    EXPECT_EQ(railyard({"run", "--summary", "none", "hello"}).err, "");
}

/// Four runs of two experiments on two models, none of which is over in no time.
class Interrupted : public ::testing::Test {
  protected:
    Arguments call(std::vector<std::string> more = {}) const {
        Arguments words{"measure",
                        "bandwidth-uni-window",
                        "bandwidth-bi-window",
                        "--jobs",
                        "1",
                        "--on",
                        "infiniband-pcie,quadrics",
                        "--sizes",
                        "8..16K",
                        "--json",
                        file()};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    std::string file() const { return scratch_.file("out.json"); }
    std::string kept() const { return file() + ".partial"; }

    void go_on_and_compare() {
        EXPECT_FALSE(std::filesystem::exists(file()));
        ASSERT_TRUE(std::filesystem::exists(kept()));
        const Ended resumed = railyard(call({"--resume"}));
        ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
        EXPECT_FALSE(std::filesystem::exists(kept()));
        const auto rows = results::read(file()).rows;
        ASSERT_EQ(railyard(call()).exit_code, 0);
        EXPECT_EQ(results::to_csv(rows), results::to_csv(results::read(file()).rows));
    }

    ScratchDirectory scratch_;
};

TEST_F(Interrupted, ByTheTimeBudgetGoesOn) {
    const Ended stopped = railyard(call({"--time-budget", "20ms"}));
    EXPECT_EQ(stopped.exit_code, 1);
    EXPECT_THAT(
        stopped.err,
        AllOf(HasSubstr("the time budget of 20 ms is used up"), HasSubstr("; no file was written"),
              HasSubstr("kept in " + kept() + ": the same call with --resume")));
    go_on_and_compare();
}

TEST_F(Interrupted, ByCtrlCGoesOn) {
    OnTerminal run(call());
    ASSERT_TRUE(run.shows("bandwidth-uni-window on quadrics: "));
    run.interrupt();
    const Ended ended = run.end();
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_THAT(ended.err, HasSubstr("kept in " + kept()));
    go_on_and_compare();
}

TEST_F(Interrupted, SideBySideKeepsWhatIsDone) {
    Arguments words = call();
    words[4] = "2";
    OnTerminal run(words);
    ASSERT_TRUE(run.shows("bandwidth-bi-window on "));
    run.interrupt();
    EXPECT_EQ(run.end().exit_code, 130);
    go_on_and_compare();
}

TEST_F(Interrupted, NeedsSomethingToGoOnWith) {
    EXPECT_THAT(complaint(call({"--resume"})), HasSubstr("--resume: cannot read '" + kept()));
    EXPECT_EQ(complaint({"measure", "latency-uni", "--on", "ideal", "--resume"}),
              "railyard: --resume: name the file that it was for, with --json or --csv\n");
    EXPECT_EQ(complaint({"reproduce", "--resume"}),
              "railyard: --resume: name the file that it was for, with --json FILE\n");
    results::write_file(kept(), "{\"by\": \"0.0.1 (abc)\", \"finished\": []}");
    EXPECT_THAT(complaint(call({"--resume"})), HasSubstr("was written by railyard 0.0.1 (abc)"));
    EXPECT_EQ(complaint({"measure", "latency-uni", "--on", "ideal", "--time-budget", "0"}),
              "railyard: --time-budget: expected a time such as 30s, or seconds, found '0'\n");
}

/// All of it takes few milliseconds, more or less: the budget grows until one of the runs ends in
/// time.
TEST(TimeBudget, OfAReproductionIsKeptToAndGoesOn) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("verdicts.json");
    const Arguments call{"reproduce", "--only", "liu04pcie.latency.*", "--json", file};
    Ended stopped;
    for (double seconds = 0.001; seconds < 60 && !std::filesystem::exists(file + ".partial");
         seconds *= 1.2) {
        Arguments hurried = call;
        hurried.insert(hurried.end(),
                       {"--jobs", "1", "--time-budget", fmt::format("{:.6f}", seconds)});
        stopped = railyard(hurried);
    }
    EXPECT_EQ(stopped.exit_code, 1);
    EXPECT_THAT(stopped.err, HasSubstr("the same call with --resume goes on"));
    Arguments resumed = call;
    resumed.emplace_back("--resume");
    ASSERT_EQ(railyard(resumed).exit_code, 0);
    const std::string found = results::read_file(file);
    ASSERT_EQ(railyard(call).exit_code, 0);
    EXPECT_EQ(found, results::read_file(file));
}

/// Whole, it takes some 20 s.
TEST(TimeBudget, OfMpisExperimentsIsKeptTo) {
    const auto start = std::chrono::steady_clock::now();
    const Ended ended =
        railyard({"measure", "mpi-bandwidth-uni", "--on", "iwarp", "--time-budget", "300ms"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), within(8));
}

class InterruptedRuns : public ::testing::Test {
  protected:
    Arguments call(const std::vector<std::string>& options, const Arguments& program) const {
        Arguments words{"run", "-n", "8", "--on", "quadrics,clan-via", "--json", file()};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), program.begin(), program.end());
        return words;
    }
    std::string file() const { return scratch_.file("runs.json"); }
    void go_on_and_compare(const Arguments& program) {
        EXPECT_FALSE(std::filesystem::exists(file()));
        const Ended resumed = railyard(call({"--resume"}, program));
        ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
        EXPECT_THAT(resumed.err, HasSubstr("1 of 2 runs were done before"));
        EXPECT_FALSE(std::filesystem::exists(file() + ".partial"));
        const std::string rows = results::to_csv(results::read(file()).rows);
        ASSERT_EQ(railyard(call({}, program)).exit_code, 0);
        EXPECT_EQ(rows, results::to_csv(results::read(file()).rows));
    }

    ScratchDirectory scratch_;
};

TEST_F(InterruptedRuns, ByTheTimeBudgetGoOn) {
    const Arguments program{"all-to-all"};
    const Ended stopped = railyard(call({"--time-budget", "1us"}, program));
    EXPECT_EQ(stopped.exit_code, 1);
    EXPECT_THAT(stopped.err, HasSubstr("1 of 2 runs are done; 1 run is done, kept in " + file() +
                                       ".partial: the same call with --resume"));
    go_on_and_compare(program);
}

TEST_F(InterruptedRuns, ByCtrlCGoOn) {
    const Arguments program{"stencil", "--iterations", "1000"};
    OnTerminal run(call({}, program));
    for (int tries = 0; tries < 30'000 && !std::filesystem::exists(file() + ".partial"); ++tries)
        ::usleep(1000);
    // What an interrupt says is made ready right after the file, on a busy machine not at once.
    ::usleep(50'000);
    run.interrupt();
    const Ended ended = run.end();
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.err, HasSubstr("railyard: interrupted; 1 run is done, kept in "));
    go_on_and_compare(program);
}

TEST_F(InterruptedRuns, ByAFailureAreToldOf) {
    const Ended ended = railyard(
        {"run", "--on", "ideal", "--sweep", "ranks=2,3", "--json", file(), "cg", "--class", "S"});
    EXPECT_NE(ended.exit_code, 0) << "CG needs a power of two";
    EXPECT_THAT(ended.err, HasSubstr("it ends here; 1 run is done, kept in "));
}

TEST_F(InterruptedRuns, OfAnotherProgramAreNotThese) {
    ASSERT_EQ(railyard(call({"--time-budget", "1us"}, {"all-to-all"})).exit_code, 1);
    const Ended other = railyard(call({"--resume"}, {"barrier"}));
    EXPECT_EQ(other.exit_code, 0);
    EXPECT_THAT(other.out, AllOf(HasSubstr("on quadrics:"), HasSubstr("on clan-via:")));
    EXPECT_THAT(other.err, Not(HasSubstr("done before")));
    EXPECT_EQ(complaint({"run", "--resume", "hello"}),
              "railyard: --resume: name the file that it was for, with --json or --csv\n");
}

TEST(TimeBudget, OfRunsLetsNoFurtherOneBegin) {
    const Ended ended = railyard(
        {"run", "-n", "8", "--time-budget", "1us", "--on", "quadrics,clan-via", "all-to-all"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.out, AllOf(HasSubstr("quadrics"), Not(HasSubstr("clan-via"))));
    EXPECT_EQ(ended.err, "railyard: the time budget of 1 us is used up: 1 of 2 runs are done\n");
}

}  // namespace
}  // namespace railyard::cli
