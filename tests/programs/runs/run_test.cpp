// Programs in virtual time: what their computation costs, and what the summary says of them.

#include "programs/runs/run.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "programs/runs/recording.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"

namespace railyard::runs {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Runs : public ::testing::Test {
  protected:
    Runs() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(::testing::TempDir()) /
                  ("railyard-runs-" + std::to_string(::getpid()) + test->name());
        std::filesystem::create_directory(folder_);
    }
    ~Runs() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path file() const { return folder_ / "compute.log"; }
    void write(const Recording& recording) const { write_recording(recording, file()); }
    Recording recorded() const { return read_recording(file()); }

    static Options options(int (*main)(int, char**), int ranks = 2,
                           const std::string& fabric = "ideal") {
        Options options;
        options.programs = {{.main = main, .start = {.words = {"program", "--loud"}}}};
        options.job.ranks = ranks;
        options.job.fabric = fabric;
        return options;
    }
    Options replaying(int (*main)(int, char**), const Recording& log, double factor = 1) const {
        write(log);
        Options wanted = options(main, static_cast<int>(log.ranks.size()));
        wanted.compute = {ComputeChoice::From::file, factor, file()};
        return wanted;
    }

    std::filesystem::path folder_;
};

/// Four calls between MPI_Init and MPI_Finalize; rank 0's last message is large.
int talk(int, char**) {
    MPI_Init(nullptr, nullptr);
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<char> data(1 << 20);
    if (rank == 0) {
        MPI_Send(data.data(), 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data.data(), 1 << 20, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data.data(), 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data.data(), 1 << 20, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

int quiet(int, char**) {
    MPI_Init(nullptr, nullptr);
    MPI_Finalize();
    return 0;
}

int works(int, char**) {
    MPI_Init(nullptr, nullptr);
    const Duration begin = thread_clock::now();
    while (thread_clock::now() - begin < Duration::ms(3)) {
    }
    MPI_Finalize();
    return 0;
}

int fails(int, char**) {
    quiet(0, nullptr);
    return 3;
}

/// Without memory: of times alone.
const Recording log_of_talk{
    .program = "program",
    .arguments = {"--loud"},
    .processor = {},
    .date = {},
    .medians = false,
    .calls = {{mpi::calls::Function::Start, false, {}}},
    .ranks = {{{1000, 2000, 3000, 4000}, {0, 0, 0, 0}, {}}, {{0, 0, 0, 50'000}, {0, 0, 0, 0}, {}}}};

TEST_F(Runs, TheSummaryTellsWhatWasDone) {
    const Outcome outcome = run(options(talk, 2, "infiniband-pcie"));
    ASSERT_TRUE(outcome.ok) << outcome.failure;
    EXPECT_EQ(outcome.exit_code, 0);
    const Summary& summary = outcome.summary;
    EXPECT_EQ(summary.fabric, "infiniband-pcie");
    EXPECT_EQ(summary.nodes, 2);
    EXPECT_THAT(
        summary.traffic,
        ElementsAre(AllOf(Field(&Traffic::protocol, "eager"), Field(&Traffic::messages, 1U),
                          Field(&Traffic::bytes, 8U)),
                    AllOf(Field(&Traffic::protocol, "rendezvous"), Field(&Traffic::messages, 1U),
                          Field(&Traffic::bytes, 1U << 20))));
    EXPECT_EQ(summary.messages(), 2U);
    EXPECT_EQ(summary.connections.least, 1U);
    EXPECT_EQ(summary.connections.mean, 1);
    EXPECT_EQ(summary.connections.most, 1U);
    EXPECT_GT(summary.connection_bytes.mean, 1000);
    EXPECT_GT(summary.virtual_time, Duration::us(1000)) << "a megabyte at less than 1000 MB/s";
    // Nothing else takes time.
    EXPECT_NEAR(summary.mpi_share(), 1, 1e-3);
    EXPECT_THAT(summary.calls, Contains(AllOf(Field(&CallTime::function, "MPI_Recv"),
                                              Field(&CallTime::calls, 2U))));
    for (std::size_t i = 1; i < summary.calls.size(); ++i)
        EXPECT_GE(summary.calls[i - 1].seconds, summary.calls[i].seconds);
    ASSERT_EQ(summary.busiest.size(), 3U);
    EXPECT_EQ(summary.busiest[0].kind, fabric::PartKind::link);
    EXPECT_THAT(summary.busiest[0].name, HasSubstr("link 0"));
    EXPECT_THAT(summary.busiest[1].name, HasSubstr("bus"));
    for (const fabric::PartUse& part : summary.busiest) {
        EXPECT_GT(summary.share(part), part.kind == fabric::PartKind::adapter ? 0.05 : 0.3)
            << part.name;
        EXPECT_LE(summary.share(part), 1) << part.name;
    }
}

TEST_F(Runs, TaggedPortsAreAProtocolOfTheirOwn) {
    const Outcome outcome = run(options(talk, 2, "quadrics"));
    EXPECT_THAT(
        outcome.summary.traffic,
        ElementsAre(AllOf(Field(&Traffic::protocol, "tagged port"), Field(&Traffic::messages, 2U),
                          Field(&Traffic::bytes, (1U << 20) + 8))));
}

TEST_F(Runs, AReplayChargesWhatIsWritten) {
    const Summary free = run(options(talk)).summary;
    const Summary charged = run(replaying(talk, log_of_talk)).summary;
    EXPECT_EQ(free.computed_seconds, 0);
    EXPECT_NEAR(charged.computed_seconds, 60e-6, 1e-12);
    // Rank 0 computes 6 us before its last message goes, and rank 1 then 50 before the end. Where
    // nobody computes, that message waits a little for its receive.
    EXPECT_NEAR((charged.virtual_time - free.virtual_time).microseconds(), 56, 2);
    const Summary longer = run(replaying(talk, log_of_talk, 2.5)).summary;
    EXPECT_EQ((longer.virtual_time - charged.virtual_time).picoseconds(), 84'000'000);
}

TEST_F(Runs, AReplayIsTheSameEachTime) {
    const Options options = replaying(talk, log_of_talk);
    const Summary first = run(options).summary;
    const Summary second = run(options).summary;
    EXPECT_EQ(first.virtual_time, second.virtual_time);
    EXPECT_EQ(first.mpi_seconds(), second.mpi_seconds());
}

TEST_F(Runs, WhatIsMeasuredIsChargedAndWrittenDown) {
    Options options = Runs::options(works);
    options.compute = {ComputeChoice::From::measurement, 10, {}};
    EXPECT_GE(run(options).summary.virtual_time, Duration::ms(30) - Duration::ms(1));

    options.compute = {ComputeChoice::From::recording, 1, file()};
    const Summary recording = run(options).summary;
    EXPECT_GE(recording.virtual_time, Duration::ms(3) - Duration::us(100));
    const Recording log = recorded();
    EXPECT_EQ(log.program, "program");
    EXPECT_THAT(log.arguments, ElementsAre("--loud"));
    ASSERT_EQ(log.ranks.size(), 2U);
    for (const Recording::Rank& rank : log.ranks)
        EXPECT_EQ(rank.times.size(), 1U);
    EXPECT_EQ(log.processor, this_processor());
    EXPECT_EQ(log.date.size(), 10U);

    options.compute = {ComputeChoice::From::file, 1, file()};
    EXPECT_EQ(run(options).summary.virtual_time, recording.virtual_time);
}

TEST_F(Runs, ARecordingOfAnotherRunIsRefused) {
    const auto refused = [&](const Recording& log, const char* what) {
        EXPECT_THAT([&] { run(replaying(talk, log)); },
                    ThrowsMessage<UsageError>(AllOf(
                        HasSubstr(file().string() + ": recorded by `railyard run " + what),
                        HasSubstr("call it the same, or record this one with --compute record:"))));
    };
    Recording other = log_of_talk;
    other.program = "ring";
    refused(other, "-n 2 ring --loud`, and this is `railyard run -n 2 program --loud`");
    other = log_of_talk;
    other.arguments = {"--quiet"};
    refused(other, "-n 2 program --quiet`");
    Options more = replaying(talk, log_of_talk);
    more.job.ranks = 3;
    EXPECT_THAT([&] { run(more); }, ThrowsMessage<UsageError>(HasSubstr("-n 3 program --loud`")));
    EXPECT_THAT([&] { run(replaying(talk, log_of_talk, 1e12)); },
                ThrowsMessage<UsageError>(HasSubstr("take a factor less than")));
}

TEST_F(Runs, OtherCallsThanRecordedAreNoticed) {
    for (const std::size_t calls : {3U, 5U}) {
        Recording log = log_of_talk;
        log.ranks[1].times.resize(calls);
        log.ranks[1].calls.resize(calls);
        EXPECT_THAT([&] { run(replaying(talk, log)); },
                    ThrowsMessage<Error>(AllOf(
                        HasSubstr("rank 1 has made 4 MPI calls, and " + std::to_string(calls)),
                        HasSubstr("record it anew with --compute record:" + file().string()))));
    }
}

TEST_F(Runs, ARunThatFailsLeavesNoRecording) {
    Options options = Runs::options(fails);
    options.compute = {ComputeChoice::From::recording, 1, file()};
    EXPECT_EQ(run(options).exit_code, 3);
    EXPECT_FALSE(std::filesystem::exists(file()));

    results::write_file(file(), "before");
    EXPECT_EQ(run(options).exit_code, 3);
    EXPECT_EQ(results::read_file(file()), "before");

    options.compute.file = folder_ / "none" / "compute.log";
    EXPECT_THROW(run(options), Error);
}

TEST_F(Runs, AProgramThatSaysNothingHasASummary) {
    const Summary summary = run(options(quiet, 3)).summary;
    EXPECT_EQ(summary.messages(), 0U);
    EXPECT_EQ(summary.connections.most, 0U);
    EXPECT_EQ(summary.mpi_share(), 0);
    EXPECT_THAT(summary.calls, ElementsAre(Field(&CallTime::function, "MPI_Init"),
                                           Field(&CallTime::function, "MPI_Finalize")));
}

}  // namespace
}  // namespace railyard::runs
