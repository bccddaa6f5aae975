// `railyard measure`, from the call to the files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/program.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// All from the first row on: what must not depend on when and where.
std::string rows_of(const std::string& json) {
    return json.substr(json.find("\"rows\""));
}

TEST(Measure, PrintsATable) {
    const Ended ended =
        railyard({"measure", "latency-uni", "--on", "ideal", "--sizes", "8..64", "--quick"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, HasSubstr("latency-uni on ideal: latency (us), memory nic\n\n"
                                     "size  send_recv  rdma_write  rdma_write_imm\n"
                                     "   8 "));
    EXPECT_THAT(ended.out, HasSubstr("\n  64 "));
}

TEST(Measure, WritesFilesThatReadBack) {
    const ScratchDirectory scratch;
    const Ended ended = railyard({"measure", "latency-uni", "--on", "ideal", "--sizes", "8,64",
                                  "--ops", "rdma_write", "--json", scratch.file("out.json"),
                                  "--csv", scratch.file("out.csv")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(scratch.files(), 2u);

    const results::Results read = results::read(scratch.file("out.json"));
    ASSERT_EQ(read.rows.size(), 2u);
    const results::Row& row = read.rows.front();
    EXPECT_EQ(row.experiment, "latency-uni");
    EXPECT_EQ(row.fabric, "ideal");
    EXPECT_EQ(row.parameters.at("op"), results::Value("rdma_write"));
    EXPECT_EQ(row.parameters.at("message_bytes"), results::Value(std::int64_t{8}));
    EXPECT_EQ(row.metric, "latency");
    EXPECT_EQ(row.unit, "us");
    EXPECT_GT(row.value, 0);
    EXPECT_GT(row.statistics.iterations, 0u);
    EXPECT_LT(row.value, read.rows.back().value);

    const std::string csv = results::read_file(scratch.file("out.csv"));
    EXPECT_THAT(csv, StartsWith("experiment,fabric,memory,message_bytes,op,metric,value,unit,"));
    EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
}

TEST(Measure, GivesTheSameRowsInVirtualTime) {
    const Arguments call{"measure",        "latency-uni", "bandwidth-uni-queue",
                         "latency-atomic", "--on",        "ideal",
                         "--quick",        "--json",      "-"};
    const Ended first = railyard(call);
    const Ended second = railyard(call);
    ASSERT_EQ(first.exit_code, 0) << first.err;
    ASSERT_EQ(second.exit_code, 0) << second.err;
    EXPECT_EQ(rows_of(first.out), rows_of(second.out));
    EXPECT_GT(results::from_json(first.out, "first").rows.size(), 20u);
}

TEST(Measure, WritesOnlyTheFileToTheStandardOutput) {
    const Ended csv = railyard({"measure", "latency-uni", "--on", "ideal", "--sizes", "8", "--ops",
                                "send_recv", "--csv", "-"});
    EXPECT_EQ(csv.exit_code, 0) << csv.err;
    EXPECT_THAT(csv.out, StartsWith("experiment,"));
    EXPECT_EQ(std::ranges::count(csv.out, '\n'), 2);
}

TEST(Measure, RunsEveryExperimentOnAVirtualFabric) {
    const Ended ended = railyard({"measure", "latency-uni", "latency-rdma-read", "latency-atomic",
                                  "bandwidth-uni-queue", "bandwidth-uni-window", "latency-bi",
                                  "bandwidth-bi-queue", "bandwidth-bi-window", "--on", "ideal",
                                  "--sizes", "8,64K", "--quick", "--json", "-"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    std::set<std::string> seen;
    for (const auto& row : results::from_json(ended.out, "out").rows)
        seen.insert(row.experiment);
    EXPECT_EQ(seen.size(), 8u);
}

TEST(Measure, RunsForReal) {
    const Ended ended = railyard({"measure", "latency-uni", "--on", "shm", "--sizes", "8",
                                  "--iterations", "200", "--statistics"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("p99"));
    EXPECT_THAT(ended.out, HasSubstr("rdma_write_imm"));
}

TEST(Measure, ShowsOursBesideTheLimit) {
    const Ended ended = railyard({"measure", "limits", "latency-uni", "--on", "shm", "--sizes", "8",
                                  "--ops", "rdma_write", "--quick", "--json", "/dev/null"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("cache_line_handover"));
    EXPECT_THAT(ended.out, HasSubstr("limit  ratio"));
}

TEST(Measure, SaysBeforehandThatAFileCannotBeWritten) {
    const ScratchDirectory scratch;
    const Ended ended = railyard(
        {"measure", "latency-uni", "--on", "ideal", "--json", scratch.file("no/such/out.json")});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err, "railyard: cannot write '" + scratch.file("no/such/out.json") +
                             "': No such file or directory\n");
}

TEST(Measure, ReportsWhatCouldNotBeWritten) {
    const Arguments call{"measure", "latency-uni", "--on", "ideal", "--sizes", "8"};
    Arguments to_file = call;
    to_file.insert(to_file.end(), {"--csv", "/dev/full"});
    const Ended file = railyard(to_file);
    EXPECT_EQ(file.exit_code, 1);
    EXPECT_EQ(file.err, "railyard: cannot write '/dev/full': No space left on device\n");

    const Ended output = railyard_into("/dev/full", call);
    EXPECT_EQ(output.exit_code, 1);
    EXPECT_THAT(output.err, HasSubstr("No space left on device"));
}

TEST(Measure, WritesATraceOfOneRun) {
    const ScratchDirectory scratch;
    const auto traced = [&](const char* name) {
        return railyard({"measure", "latency-uni", "--on", "ideal", "--sizes", "8", "--ops",
                         "rdma_write", "--trace", scratch.file(name)});
    };
    const Ended first = traced("first.json");
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr("rdma_write")) << "the table as ever";
    ASSERT_EQ(traced("second.json").exit_code, 0);
    const std::string trace = results::read_file(scratch.file("first.json"));
    EXPECT_THAT(trace, StartsWith("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
    EXPECT_EQ(results::read_file(scratch.file("second.json")), trace);
    EXPECT_EQ(scratch.files(), 2u);
}

// The steps of docs/elan.md, for whoever asks for a trace.
TEST(Measure, TracesTheThirteenStepsOfARemoteDma) {
    const ScratchDirectory scratch;
    const Ended ended =
        railyard({"measure", "latency-uni", "--on", "quadrics", "--sizes", "4K", "--ops",
                  "rdma_write", "--iterations", "1", "--trace", scratch.file("out.json")});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const std::string trace = results::read_file(scratch.file("out.json"));
    for (const char* const unit :
         {"process 0", "command processor", "DMA engine", "inputter", "thread processor", "PCI"})
        EXPECT_THAT(trace, HasSubstr("\"name\":\"" + std::string(unit) + "\""));
    for (int step = 1; step <= 13; ++step)
        EXPECT_THAT(trace, HasSubstr("\"name\":\"" + std::to_string(step) + " ")) << step;
}

TEST(Measure, RefusesATraceThatCannotBe) {
    const ScratchDirectory scratch;
    const auto refused = [&](Arguments call, const char* message) {
        const Ended ended = railyard(std::move(call));
        EXPECT_EQ(ended.exit_code, 2);
        EXPECT_THAT(ended.err, HasSubstr(message));
        EXPECT_EQ(scratch.files(), 0u);
    };
    const std::string file = scratch.file("out.json");
    refused({"measure", "latency-uni", "--on", "shm", "--trace", file}, "shm runs in real time");
    refused({"measure", "latency-uni", "latency-bi", "--on", "ideal", "--trace", file},
            "one experiment on one fabric");
    refused({"measure", "latency-uni", "--on", "ideal,shm", "--trace", file},
            "one experiment on one fabric");
    refused({"measure", "latency-uni", "--on", "ideal", "--trace", "-"}, "goes to a file");
    refused({"measure", "latency-uni", "--on", "ideal", "--trace", file, "--csv", file},
            "--trace names the same file");

    const Ended unwritable = railyard(
        {"measure", "latency-uni", "--on", "ideal", "--trace", scratch.file("no/such/out.json")});
    EXPECT_EQ(unwritable.exit_code, 1);
    EXPECT_EQ(unwritable.out, "");
    EXPECT_THAT(unwritable.err, HasSubstr("no/such/out.json': No such file or directory"));
}

TEST(Measure, ShowsProgressOnATerminalOnly) {
    const Arguments call{"measure", "latency-uni", "--on",  "ideal",
                         "--sizes", "64",          "--ops", "rdma_write"};
    const Ended seen = OnTerminal(call).end();
    EXPECT_EQ(seen.exit_code, 0);
    EXPECT_THAT(seen.err, HasSubstr("latency-uni on ideal: rdma_write 64 B"));
    EXPECT_TRUE(seen.err.ends_with("\r\033[K")) << "the line was not cleared";

    Arguments quiet = call;
    quiet.emplace_back("--quiet");
    EXPECT_EQ(OnTerminal(quiet).end().err, "");
}

TEST(Measure, LeavesNoFileWhenInterrupted) {
    const ScratchDirectory scratch;
    OnTerminal run({"measure", "latency-uni", "--on", "shm", "--sizes", "8", "--iterations",
                    "1000000000", "--json", scratch.file("out.json")});
    ASSERT_TRUE(run.shows("send_recv 8 B"));
    run.interrupt();
    const Ended ended = run.end();
    EXPECT_EQ(ended.exit_code, 130) << "as a shell has it";
    EXPECT_THAT(ended.err, HasSubstr("interrupted"));
    EXPECT_EQ(scratch.files(), 0u);
}

TEST(Measure, SaysNothingOnStderrUnlessAsked) {
    const Arguments call{"measure", "latency-uni", "--on", "ideal", "--sizes", "8"};
    EXPECT_EQ(railyard(call).err, "");
}

}  // namespace
}  // namespace railyard::cli
