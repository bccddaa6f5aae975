// The MPI calls of a recording, made again without the program.

#include "programs/runs/replay.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "programs/runs/run.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"

namespace railyard::runs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Replays : public ::testing::Test {
  protected:
    ~Replays() override { std::filesystem::remove(file_); }

    /// Records a program on one fabric.
    void record(int (*main)(int, char**), std::vector<std::string> words, int ranks,
                ComputeChoice::From how = ComputeChoice::From::recording) {
        options_.programs = {{.main = main, .start = {.words = std::move(words)}}};
        options_.job.ranks = ranks;
        options_.job.fabric = "ideal";
        options_.compute = {how, 1, file_};
        const Outcome outcome = run(options_);
        ASSERT_EQ(outcome.exit_code, 0) << outcome.failure;
        options_.compute = {ComputeChoice::From::file, 3.5, file_};
    }
    /// Replays its computation on another, with or without it.
    Summary replay(const char* fabric, bool with_program) const {
        Options options = options_;
        options.job.fabric = fabric;
        if (!with_program) options.programs.front().main = nullptr;
        const Outcome outcome = run(options);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.failure;
        return outcome.summary;
    }
    void expect_the_same(const char* fabric) const {
        const Summary program = replay(fabric, true);
        const Summary calls = replay(fabric, false);
        EXPECT_EQ(calls.virtual_time, program.virtual_time) << fabric;
        EXPECT_EQ(calls.messages(), program.messages()) << fabric;
        EXPECT_EQ(calls.bytes(), program.bytes()) << fabric;
        EXPECT_EQ(calls.computed_seconds, program.computed_seconds) << fabric;
        EXPECT_EQ(calls.mpi_seconds(), program.mpi_seconds()) << fabric;
        EXPECT_EQ(calls.pinned_bytes.most, program.pinned_bytes.most) << fabric;
        EXPECT_EQ(replay(fabric, false).virtual_time, calls.virtual_time) << "each time";
    }

    const std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) /
                                        ("railyard-replay-" + std::to_string(::getpid()) + ".gz");
    Options options_;
};

TEST_F(Replays, AKernelsCallsTakeTheTimeOfTheKernel) {
    struct Case {
        const char* kernel;
        const char* fabric;
    };
    for (const auto& [kernel, fabric] : {Case{"is", "clan-via"},
                                         {"is", "quadrics"},
                                         {"cg", "clan-via"},
                                         {"mg", "infiniband-pcie"},
                                         {"bt", "berkeley-via"},
                                         {"ft", "clan-via"},
                                         {"lu", "quadrics"}}) {
        SCOPED_TRACE(kernel);
        record(kernels::find(kernel)->main, {kernel, "--quiet"}, 4);
        expect_the_same(fabric);
    }
}

TEST_F(Replays, MediansAreReplayedAlike) {
    record(kernels::find("is")->main, {"is", "--quiet"}, 4, ComputeChoice::From::medians);
    EXPECT_TRUE(read_recording(file_).medians);
    expect_the_same("berkeley-via");
}

/// What kernels do not do: all other functions that have a signature.
int others(int argc, char**) {
    MPI_Init(nullptr, nullptr);
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<double> a(30'000), b(30'000);
    MPI_Comm row = MPI_COMM_NULL, copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank == 3 ? MPI_UNDEFINED : 0, -rank, &row);
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Issend(a.data(), 20'000, MPI_DOUBLE, (rank + 1) % 4, 1, copy, &requests[0]);
    MPI_Irecv(b.data(), 20'000, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Isend(a.data(), 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(a.data(), 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(a.data() + 7, 100, MPI_DOUBLE, rank ^ 1, 2, b.data() + 9, 100, MPI_DOUBLE,
                 rank ^ 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Ssend(a.data(), 3, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(b.data(), 3, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Gather(a.data(), 50, MPI_DOUBLE, b.data(), 50, MPI_DOUBLE, 2, MPI_COMM_WORLD);
    MPI_Scatter(a.data(), 50, MPI_DOUBLE, b.data(), 50, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    // A recording knows predefined types alone.
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    if (argc > 1) MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Scan(a.data(), b.data(), 10, MPI_LONG, MPI_BXOR, MPI_COMM_WORLD);
    if (row != MPI_COMM_NULL) {
        MPI_Allgather(a.data(), 50, MPI_DOUBLE, b.data(), 50, MPI_DOUBLE, row);
        MPI_Comm_free(&row);
    }
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}

TEST_F(Replays, OtherFunctionsAreReplayedAlike) {
    record(others, {"others"}, 4);
    for (const char* fabric : {"clan-via", "quadrics", "infiniband-pcie"})
        expect_the_same(fabric);
}

TEST_F(Replays, WhatIsNotRecordedIsNamed) {
    record(others, {"others", "types"}, 4);
    EXPECT_THAT(
        [&] { replay("ideal", false); },
        ThrowsMessage<Error>(AllOf(HasSubstr(file_.string()),
                                   HasSubstr("of rank 0 is MPI_Type_contiguous, which cannot "
                                             "be made again without the program"),
                                   HasSubstr("name the program"))));
    EXPECT_GT(replay("ideal", true).virtual_time, Duration()) << "with it, it can";
}

TEST_F(Replays, ARecordingThatMakesNoSenseFails) {
    const std::string head =
        R"({"format":"railyard-compute","version":2,"program":"p","arguments":[],)"
        R"("processor":"","date":"","medians":false,"calls":2,"ranks":1})"
        "\n";
    options_.programs = {{.start = {.words = {"p"}}}};
    options_.job.ranks = 1;
    options_.job.fabric = "ideal";
    options_.compute = {ComputeChoice::From::file, 1, file_};
    for (const char* const call : {"Wait 3", "Barrier 7", "Irecv 0+0 1 INT 0 0 0 1048576"}) {
        results::write_file(file_, head + call + "\nFinalize\n0 0\n0 1\n4096\nend\n");
        const Outcome outcome = run(options_);
        EXPECT_FALSE(outcome.ok) << call;
        EXPECT_THAT(outcome.failure, HasSubstr("a recorded call")) << call;
    }
}

}  // namespace
}  // namespace railyard::runs
