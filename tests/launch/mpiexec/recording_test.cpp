// mpiexec --trace and --summary: what ranks for real did, as a parser reads it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "launch/mpiexec/started.hpp"
#include "results/json.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using results::Json;
using ::testing::HasSubstr;

/// A file that goes with this.
class Scratch {
  public:
    Scratch()
        : path_(std::filesystem::temp_directory_path() /
                ("railyard-recording-" + std::to_string(::getpid()) + ".json")) {}
    ~Scratch() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }
    Json json() const {
        std::ifstream file(path_);
        return Json::parse(file);
    }

  private:
    std::filesystem::path path_;
};

Json summary_of(const Words& words) {
    Words all{"--summary=json"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended ended = mpiexec(all);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Json::parse(ended.err);
}

void expect_ring(const Json& summary, int ranks) {
    ASSERT_EQ(summary["messages"].size(), static_cast<std::size_t>(ranks));
    for (const Json& pair : summary["messages"]) {
        const int from = pair["from"];
        EXPECT_EQ(pair["to"], (from + 1) % ranks);
        EXPECT_EQ(pair["users"]["messages"], 10);
        EXPECT_EQ(pair["users"]["bytes"], 10 * (10 * from + 10));
    }
}

TEST(Recording, MatrixIsWhatWasSent) {
    // On as many cores as there are ranks, or fewer: the barrier has no messages of its own then.
    const Json summary =
        summary_of({"-n", "2", "--set", "algorithms=barrier=pairwise", RAILYARD_RECORDED_PROGRAM});
    EXPECT_EQ(summary["ranks"], 2);
    expect_ring(summary, 2);
    EXPECT_TRUE(summary["ended_early"].empty());
    EXPECT_EQ(summary["collectives"][0]["algorithm"], "pairwise");
}

TEST(Recording, ALateSenderIsBlamed) {
    const Json summary = summary_of({"-n", "2", RAILYARD_RECORDED_PROGRAM, "late"});
    const Json& worst = summary["waits"][0];
    EXPECT_EQ(worst["why"], "late sender");
    EXPECT_EQ(worst["rank"], 1);
    EXPECT_EQ(worst["by"], 0);
    // Whatever else runs on the machine, the sender was late by what it slept at least, but for the
    // time that rank 1 itself took to come.
    EXPECT_GT(worst["seconds"].get<double>(), 0.1);
    EXPECT_GT(summary["rank_times"][0]["caused_seconds"].get<double>(), 0.1);
}

TEST(Recording, ATraceHasAnArrowForEachMessage) {
    const Scratch file;
    const Ended ended = mpiexec({"-n", "3", "--trace", file.path(), RAILYARD_RECORDED_PROGRAM});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    std::map<int, Json> starts, ends;
    std::map<std::string, int> calls;
    const Json trace = file.json();
    for (const Json& event : trace["traceEvents"]) {
        if (event["ph"] == "s") starts.emplace(event["id"].get<int>(), event);
        if (event["ph"] == "f") ends.emplace(event["id"].get<int>(), event);
        if (event["ph"] == "X") ++calls[event["name"]];
    }
    EXPECT_EQ(starts.size(), 30U);
    ASSERT_EQ(ends.size(), 30U);
    for (const auto& [id, start] : starts) {
        ASSERT_TRUE(ends.contains(id));
        EXPECT_LE(start["ts"].get<double>(), ends.at(id)["ts"].get<double>());
        EXPECT_NE(start["tid"], ends.at(id)["tid"]);
    }
    EXPECT_EQ(calls["MPI_Send"], 30);
    EXPECT_EQ(calls["MPI_Wait"], 30);
    EXPECT_EQ(calls["MPI_Init"], 3);
    EXPECT_EQ(calls["MPI_Finalize"], 3);
    EXPECT_GT(calls["computing"], 0);
}

TEST(Recording, WhatARankDidBeforeItCrashedIsKnown) {
    const Scratch file;
    const Ended ended = mpiexec(
        {"-n", "2", "--trace", file.path(), "--summary", RAILYARD_RECORDED_PROGRAM, "crash"});
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.err, HasSubstr("never came to MPI_Finalize: 0, 1"));
    int sends = 0;
    int unfinished = 0;
    const Json trace = file.json();
    for (const Json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        sends += event["name"] == "MPI_Send" ? 1 : 0;
        unfinished += event["args"].contains("unfinished") ? 1 : 0;
    }
    EXPECT_EQ(sends, 20);
    EXPECT_EQ(unfinished, 1);  // rank 0 was in the barrier
}

TEST(Recording, ThreadsHaveLanesOfTheirOwn) {
    const Scratch file;
    const Ended ended =
        mpiexec({"-n", "2", "--trace", file.path(), RAILYARD_RECORDED_PROGRAM, "threads"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::map<int, std::string> lanes;
    std::map<int, std::multimap<double, double>> slices;  // by lane: begin and length
    std::size_t arrows = 0;
    const Json trace = file.json();
    for (const Json& event : trace["traceEvents"]) {
        if (event["name"] == "thread_name") lanes[event["tid"]] = event["args"]["name"];
        if (event["ph"] == "f") ++arrows;
        if (event["ph"] == "X") slices[event["tid"]].emplace(event["ts"], event["dur"]);
    }
    EXPECT_EQ(lanes.size(), 6U);
    EXPECT_EQ(arrows, 2U * (10 + 2 * 50));
    // Calls of several threads overlap; those of one do not.
    for (const auto& [lane, of_lane] : slices) {
        double end = 0;
        for (const auto& [begin, length] : of_lane) {
            EXPECT_GE(begin, end - 1e-3) << lanes[lane];
            end = begin + length;
        }
    }
}

TEST(Recording, ManyThreadsMayWaitAtATime) {
    constexpr int crowd = 100;
    const Scratch file;
    const Ended ended =
        mpiexec({"-n", "2", "--trace", file.path(), RAILYARD_RECORDED_PROGRAM, "crowd"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::map<int, std::vector<double>> waited;  // by lane of a thread: when its receive ended
    const Json trace = file.json();
    double last_barrier = 0;
    for (const Json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        EXPECT_FALSE(event["args"].contains("unfinished")) << event;
        const double end = event["ts"].get<double>() + event["dur"].get<double>();
        if (event["name"] == "MPI_Barrier") last_barrier = std::max(last_barrier, end);
        if (event["name"] == "MPI_Recv") waited[event["tid"]].push_back(end);
    }
    EXPECT_EQ(waited.size(), 2U * crowd);
    for (const auto& [lane, ends] : waited) {
        ASSERT_EQ(ends.size(), 1U) << lane;
        // Nobody was let go before all were there; a barrier's ends are apart by what it takes.
        EXPECT_GT(ends[0], last_barrier - 100'000) << lane;
    }
}

// Under another launcher, records lie in files.
TEST(Recording, OfSeveralHostsComesTogether) {
    const Json summary =
        summary_of({"--launcher", "fork", "--hosts", "one,two", RAILYARD_RECORDED_PROGRAM});
    EXPECT_EQ(summary["hosts"], 2);
    EXPECT_EQ(summary["messages"].size(), 2U);
    EXPECT_EQ(summary["messages"][0]["users"]["messages"], 10);
}

TEST(Recording, ComplaintsNameTheOption) {
    EXPECT_THAT(mpiexec({"--trace", "/nowhere/there/t.json", "true"}).err,
                HasSubstr("--trace: cannot write /nowhere/there/t.json"));
    EXPECT_THAT(mpiexec({"--summary=xml", "true"}).err,
                HasSubstr("--summary: expected one of text, json, found 'xml'"));
    EXPECT_THAT(mpiexec({"--trace-from", "soon", "true"}).err, HasSubstr("--trace-from: expected"));
    EXPECT_THAT(mpiexec({"--trace-from", "1", "true"}).err,
                HasSubstr("name its file with --trace"));
    EXPECT_THAT(mpiexec({"--trace", "x.json", "--trace-from", "3", "--trace-to", "1", "true"}).err,
                HasSubstr("is not after --trace-from"));
    EXPECT_THAT(mpiexec({"--summary", "true"}).err, HasSubstr("nothing was recorded"));
}

}  // namespace
}  // namespace railyard::mpiexec
