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
    EXPECT_THAT(page, HasSubstr(R"("experiment":"latency-uni","fabric":"ideal")"));
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

}  // namespace
}  // namespace railyard::cli
