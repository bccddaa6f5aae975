// `railyard report`, from result files to the page.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

void measure_into(const std::string& file) {
    const Ended ended = railyard({"measure", "latency-uni", "--on", "ideal", "--sizes", "8,64",
                                  "--ops", "rdma_write", "--json", file});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
}

TEST(ReportCommand, WritesAPageOfMeasuredRows) {
    const ScratchDirectory scratch;
    measure_into(scratch.file("out.json"));
    const Ended ended =
        railyard({"report", scratch.file("out.json"), "-o", scratch.file("page.html")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(scratch.files(), 2u);
    const std::string page = results::read_file(scratch.file("page.html"));
    EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(page, HasSubstr(R"("fabric_names":["ideal"])"));
    EXPECT_THAT(page, HasSubstr(R"({"experiment":"latency-uni","metric":"latency")"));
    EXPECT_THAT(page, HasSubstr(R"("ideal":{"clock":"virtual")"));
    EXPECT_THAT(page, HasSubstr(R"("id":"liu04.latency.rdma_write.small.elan")"));
}

TEST(ReportCommand, GivesTheSamePageForTheSameFiles) {
    const ScratchDirectory scratch;
    measure_into(scratch.file("out.json"));
    for (const char* name : {"a.html", "b.html"})
        ASSERT_EQ(
            railyard({"report", scratch.file("out.json"), "-o", scratch.file(name)}).exit_code, 0);
    EXPECT_EQ(results::read_file(scratch.file("a.html")),
              results::read_file(scratch.file("b.html")));
}

TEST(ReportCommand, LeavesThePageAloneWhenAFileIsBad) {
    const ScratchDirectory scratch;
    measure_into(scratch.file("good.json"));
    results::write_file(scratch.file("bad.json"), R"({"schema": 1, "machine": {}})");
    results::write_file(scratch.file("page.html"), "what was there");
    const Ended ended = railyard({"report", scratch.file("good.json"), scratch.file("bad.json"),
                                  "-o", scratch.file("page.html")});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "railyard: " + scratch.file("bad.json") + ": machine.cpu: missing\n");
    EXPECT_EQ(results::read_file(scratch.file("page.html")), "what was there");
    EXPECT_EQ(scratch.files(), 3u);
}

TEST(ReportCommand, NamesTheFileThatIsNotThereOrNotWhatItShouldBe) {
    const ScratchDirectory scratch;
    measure_into(scratch.file("out.json"));
    const std::string page = scratch.file("page.html");
    const Ended missing = railyard({"report", scratch.file("no.json"), "-o", page});
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_EQ(missing.err, "railyard: cannot read '" + scratch.file("no.json") +
                               "': No such file or directory\n");

    results::write_file(scratch.file("text"), "not JSON");
    results::write_file(scratch.file("empty"), "");
    for (const char* option : {"--papers", "--reproduce"}) {
        const Ended bad = railyard(
            {"report", scratch.file("out.json"), option, scratch.file("text"), "-o", page});
        EXPECT_EQ(bad.exit_code, 2);
        EXPECT_THAT(bad.err, StartsWith("railyard: " + scratch.file("text") + ": not JSON: "));
        const Ended empty = railyard(
            {"report", scratch.file("out.json"), option, scratch.file("empty"), "-o", page});
        EXPECT_EQ(empty.exit_code, 2);
        EXPECT_EQ(empty.err, "railyard: " + scratch.file("empty") + ": the file is empty\n");
    }
}

TEST(ReportCommand, TakesAMixOfFilesByWhatIsInThem) {
    const ScratchDirectory scratch;
    measure_into(scratch.file("out.json"));
    results::write_file(scratch.file("osu.txt"),
                        "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n8    0.25\n");
    results::write_file(scratch.file("verdicts.json"),
                        R"({"schema": 3, "summary": "none", "records": [], "rows": []})");
    const std::string page = scratch.file("page.html");
    const Ended ended =
        railyard({"report", scratch.file("out.json"), "openmpi=" + scratch.file("osu.txt"),
                  scratch.file("verdicts.json"), "-o", page});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const std::string text = results::read_file(page);
    EXPECT_THAT(text, HasSubstr(R"("fabric_names":["ideal","openmpi"])"));
    EXPECT_THAT(text, HasSubstr(R"("summary":"none")"));

    const Ended twice = railyard(
        {"report", scratch.file("verdicts.json"), scratch.file("verdicts.json"), "-o", page});
    EXPECT_EQ(twice.exit_code, 2);
    EXPECT_THAT(twice.err, HasSubstr("are both of `railyard reproduce`"));
}

TEST(ReportCommand, SaysWhatItReadsAndInWhichLineItIsWrong) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("what.txt");
    results::write_file(file, "a poem\n");
    const Ended poem = railyard({"report", file, "-o", scratch.file("page.html")});
    EXPECT_EQ(poem.exit_code, 2);
    EXPECT_THAT(poem.err, StartsWith("railyard: " + file + ": none of the kinds of files"));

    results::write_file(file, "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n8\n");
    const Ended osu = railyard({"report", file, "-o", scratch.file("page.html")});
    EXPECT_EQ(osu.exit_code, 2);
    EXPECT_THAT(osu.err, StartsWith("railyard: " + file + ": line 3: expected 2 numbers"));

    const Ended half = railyard({"report", "=" + file, "-o", scratch.file("page.html")});
    EXPECT_EQ(half.exit_code, 2);
    EXPECT_THAT(half.err, HasSubstr("expected FILE or LABEL=FILE"));
}

TEST(ReportCommand, SaysWhatItNeeds) {
    const Ended nothing = railyard({"report", "-o", "page.html"});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_THAT(nothing.err, StartsWith("railyard: report of what?"));
    const Ended nowhere = railyard({"report", "out.json"});
    EXPECT_EQ(nowhere.exit_code, 2);
    EXPECT_THAT(nowhere.err, StartsWith("railyard: where to?"));
}

TEST(ReportCommand, SaysThatThePageCannotBeWritten) {
    const ScratchDirectory scratch;
    measure_into(scratch.file("out.json"));
    const Ended ended =
        railyard({"report", scratch.file("out.json"), "-o", scratch.file("no/page.html")});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err, "railyard: cannot write '" + scratch.file("no/page.html") +
                             "': No such file or directory\n");
}

TEST(RunReport, WritesAPageOfEachRun) {
    const ScratchDirectory scratch;
    const std::string page = scratch.file("run.html");
    const Ended ended =
        railyard({"run", "-n", "4", "--on", "ideal,quadrics", "--report", page, "ring"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(scratch.files(), 1u);
    const std::string text = results::read_file(page);
    EXPECT_THAT(text, HasSubstr(R"({"program":"ring","fabric":"ideal","ranks":4,"nodes":4)"));
    EXPECT_THAT(text, HasSubstr(R"({"program":"ring","fabric":"quadrics","ranks":4,"nodes":4)"));
    EXPECT_THAT(text, HasSubstr(R"({"first":3,"ranks":1,"bins":")"));
    EXPECT_THAT(text, HasSubstr(R"({"from":0,"to":1,"messages":)"));
    EXPECT_THAT(text, HasSubstr(R"("kind":"link")"));
}

TEST(RunReport, RefusesFilesThatMakeNoSense) {
    const ScratchDirectory scratch;
    const Ended output = railyard({"run", "--report", "-", "ring"});
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr("name a file"));
    const std::string same = scratch.file("same");
    const Ended twice = railyard({"run", "--report", same, "--json", same, "ring"});
    EXPECT_EQ(twice.exit_code, 2);
    EXPECT_THAT(twice.err, HasSubstr("--report names the same file"));
    EXPECT_EQ(scratch.files(), 0u);
}

}  // namespace
}  // namespace railyard::cli
