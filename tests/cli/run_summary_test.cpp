// What `railyard run` tells of a run: in a line, as text, as JSON, and of several fabrics side by
// side; and what computation costs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::cli {
namespace {

using results::Json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The summaries of a call that has `--summary json` put in front.
Json summaries(const Arguments& arguments) {
    Arguments call{"run", "--summary", "json"};
    call.insert(call.end(), arguments.begin(), arguments.end());
    const Ended ended = railyard(call);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Json::parse(ended.out);
}

TEST(RunSummary, IsALineBesideWhatTheProgramSays) {
    const Ended ended = railyard({"run", "-n", "4", "--on", "infiniband-pcie", "ring"});
    EXPECT_THAT(ended.out, AllOf(StartsWith("ring of 4 ranks"), Not(HasSubstr("virtual time"))));
    EXPECT_THAT(ended.err, ContainsRegex("^ring on infiniband-pcie: [0-9.]+ us of virtual time, "
                                         "[0-9.]+ % in MPI; [0-9]+ messages \\([0-9]+ bytes\\), "
                                         "[0-9.]+ connections a rank; computation is free "
                                         "\\(--compute\\)\n$"));
    EXPECT_EQ(railyard({"run", "--summary", "none", "ring"}).err, "");
    EXPECT_EQ(railyard({"run", "ring", "--help"}).err, "") << "nobody wants to know";
}

TEST(RunSummary, TextSaysAllOfIt) {
    const Ended ended =
        railyard({"run", "-n", "4", "--on", "berkeley-via", "--summary", "text", "stencil"});
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, AllOf(StartsWith("stencil of 2 x 2 tiles"),
                                 HasSubstr("\nstencil on berkeley-via, 4 ranks on 4 nodes: "),
                                 HasSubstr("\nComputation is free: rates that the program prints"),
                                 ContainsRegex("\neager +[0-9]+ +[0-9]+\n"),
                                 ContainsRegex("\nconnections +[23] +[0-9.]+ +[23]\n")));
    EXPECT_THAT(ended.out, AllOf(ContainsRegex("\nMPI_Waitall +44 +[0-9.]+ +[0-9.]+ %\n"),
                                 ContainsRegex("\nlink +node [0-9], link 0 .* %\n"),
                                 ContainsRegex("\nbus +node [0-9], bus.* %\n"),
                                 ContainsRegex("\nadapter +node [0-9], .* %\n")));
    EXPECT_THAT(ended.out, AllOf(HasSubstr("\n  from 0         .    11    11     .\n"),
                                 HasSubstr("\n  512 B               88           45056\n"),
                                 HasSubstr("MPI_Allreduce           recursive-doubling")));
}

TEST(RunSummary, JsonIsAllThatIsOnTheStandardOutput) {
    const Ended ended = railyard(
        {"run", "-n", "3", "--on", "quadrics", "--summary", "json", "ring", "--size", "1K"});
    EXPECT_THAT(ended.err, StartsWith("ring of 3 ranks, 1024 bytes"));
    const Json all = Json::parse(ended.out);
    ASSERT_EQ(all.size(), 1U);
    const Json& run = all[0];
    EXPECT_EQ(run["program"], "ring");
    EXPECT_EQ(run["arguments"], (Json{"--size", "1K"}));
    EXPECT_EQ(run["ranks"], 3);
    EXPECT_EQ(run["compute"], "none");
    EXPECT_EQ(run["repeats"], true);
    EXPECT_EQ(run["traffic"][0]["protocol"], "tagged port");
    EXPECT_EQ(run["receiver_not_ready"], 0);
    EXPECT_GT(run["virtual_seconds"], 0.0);
    EXPECT_EQ(run["mpi"]["functions"].size(), 10U) << run["mpi"].dump(1);
    EXPECT_EQ(run["busiest"][0]["kind"], "link");
}

TEST(RunSummary, SeveralFabricsStandSideBySide) {
    const Arguments call{"-n", "6", "--on", "infiniband-pcie,quadrics,ideal", "stencil"};
    const Json all = summaries(call);
    ASSERT_EQ(all.size(), 3U);
    const char* const fabrics[] = {"infiniband-pcie", "quadrics", "ideal"};
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(all[i], summaries({"-n", "6", "--on", fabrics[i], "stencil"})[0])
            << "others before it change nothing";

    const Ended table =
        railyard({"run", "-n", "6", "--on", "infiniband-pcie,quadrics,ideal", "stencil"});
    EXPECT_EQ(table.err, "");
    EXPECT_THAT(table.out, AllOf(StartsWith("on infiniband-pcie:\nstencil of"),
                                 HasSubstr("\non ideal:\nstencil of"),
                                 ContainsRegex("\ninfiniband-pcie +[0-9.]+ +[0-9.]+ +[0-9]+"),
                                 ContainsRegex("\nideal +[0-9.]+ +1\\.000 ")));
}

TEST(RunSummary, ComparisonsAreOfThingsThatCanBeCompared) {
    EXPECT_THAT(complaint({"run", "--on", "ideal,quadrics", "--trace", "x.json", "ring"}),
                HasSubstr("a trace shows one run"));
    EXPECT_THAT(complaint({"run", "--on", "ideal,quadrics", "--compute", "record:x", "ring"}),
                HasSubstr("record on one fabric, and then replay on all"));
    EXPECT_THAT(complaint({"run", "--on", "ideal,shm", "ring"}), HasSubstr("shm moves bytes"));
    EXPECT_THAT(complaint({"run", "--summary", "long", "ring"}),
                HasSubstr("--summary: expected none, short, text or json, found 'long'"));
}

TEST(RunCompute, IsRecordedOnceAndReplayedOnAll) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("stencil.log");
    const Arguments program{"stencil", "--side", "200"};
    const auto call = [&](const std::string& fabric, const std::string& compute) {
        Arguments words{"-n", "4", "--on", fabric, "--compute", compute};
        words.insert(words.end(), program.begin(), program.end());
        return words;
    };
    const Json recorded = summaries(call("quadrics", "record:" + file))[0];
    EXPECT_EQ(recorded["repeats"], false);
    EXPECT_GT(recorded["compute_seconds"], 0.0);
    EXPECT_EQ(scratch.files(), 1U);

    const Json replayed = summaries(call("quadrics", "replay:" + file))[0];
    EXPECT_EQ(replayed["repeats"], true);
    EXPECT_EQ(replayed["virtual_seconds"], recorded["virtual_seconds"]);
    const Json all = summaries(call("clan-via,berkeley-via", "replay:" + file));
    EXPECT_EQ(all, summaries(call("clan-via,berkeley-via", "replay:" + file)));
    for (const Json& run : all)
        EXPECT_DOUBLE_EQ(run["compute_seconds"].get<double>(),
                         replayed["compute_seconds"].get<double>());
}

TEST(RunCompute, AReplayOfSomethingElseIsRefused) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("ring.log");
    EXPECT_EQ(railyard({"run", "--compute", "record:" + file, "ring"}).exit_code, 0);
    const std::string replay = "replay:" + file;
    EXPECT_THAT(complaint({"run", "--compute", replay, "ring", "--size", "1K"}),
                HasSubstr("recorded by `railyard run -n 2 ring`, and this is `railyard run -n 2 "
                          "ring --size 1K`"));
    EXPECT_THAT(complaint({"run", "-n", "3", "--compute", replay, "ring"}), HasSubstr("-n 3 ring"));
    EXPECT_THAT(complaint({"run", "--compute", "sometimes", "ring"}),
                HasSubstr("--compute: expected none, measured"));

    std::string cut = results::read_file(file);
    cut.resize(cut.size() - 2);
    results::write_file(file, cut);
    const Ended ended = railyard({"run", "--compute", replay, "ring"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("it was cut off: record it anew"));
}

TEST(RunCompute, MeasuredRunsSayThatNoTwoAreAlike) {
    EXPECT_THAT(railyard({"run", "--compute", "measuredx2", "ring"}).err,
                HasSubstr("computation was measured, so no two runs are alike"));
    EXPECT_THAT(railyard({"run", "--compute", "measured", "--on", "ideal,quadrics", "ring"}).out,
                HasSubstr("record it once"));
}

/// The number in front of `unit`, in the line that begins with `start`.
double number_in(const std::string& text, const std::string& start, std::size_t place) {
    const auto at = text.find("\n" + start);
    std::istringstream words(text.substr(at + 1 + start.size()));
    std::string word;
    for (std::size_t i = 0; i <= place; ++i)
        words >> word;
    return std::stod(word);
}

TEST(RunSummary, RanksByWhatTheProgramTimes) {
    const Ended ended =
        railyard({"run", "-n", "8", "--on", "infiniband-pcie,quadrics,myrinet2000-gm", "ring"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("time between"));
    EXPECT_THAT(ended.out, HasSubstr("\nComputation is free: "));
    std::vector<double> rounds;  // as the program has it, in the order of --on
    const std::string own = "8 bytes: ";
    for (auto at = ended.out.find(own); at != std::string::npos; at = ended.out.find(own, at + 1))
        rounds.push_back(std::stod(ended.out.substr(at + own.size())));
    ASSERT_EQ(rounds.size(), 3U) << ended.out;
    EXPECT_NEAR(number_in(ended.out, "infiniband-pcie ", 1), rounds[0] / rounds[1], 0.01);
    EXPECT_NEAR(number_in(ended.out, "myrinet2000-gm ", 1), rounds[2] / rounds[1], 0.01);
    EXPECT_GT(number_in(ended.out, "infiniband-pcie ", 3), 100) << "connecting stands apart";
}

TEST(RunSummary, TellsOfItsOwnTimeIfAsked) {
    const Arguments call{"-n",   "32",           "--on", "infiniband-pcie", "--profile-self",
                         "halo", "--iterations", "100"};
    const Json self = summaries(call).at(0).at("self");
    EXPECT_GT(self.at("events"), self.at("messages"));
    EXPECT_GT(self.at("messages"), 32 * 4 * 100);
    EXPECT_GT(self.at("processor_seconds"), 0);
    Arguments run{"run", "--summary", "none"};
    run.insert(run.end(), call.begin(), call.end());
    EXPECT_THAT(railyard(run).out,
                AllOf(HasSubstr("\nhalo on infiniband-pcie: "), HasSubstr(" messages a second, "),
                      HasSubstr(" events a message; "), HasSubstr(" KiB of memory a rank\n")));
    EXPECT_FALSE(summaries({"ring"}).at(0).contains("self"));
}

}  // namespace
}  // namespace railyard::cli
