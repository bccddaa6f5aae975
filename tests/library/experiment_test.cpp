#include "railyard/library/experiment.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "railyard/base/error.hpp"

namespace railyard {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Experiment clock_of(Duration duration) {
    return {.name = "clock", .ranks = 2, .run = [duration](Trial& trial) {
                Rank& rank = trial.rank();
                const auto times =
                    time_calls(rank.host(), 3, 5, 2, [&] { rank.host().compute(duration); });
                trial.emit({{"rank", std::int64_t{rank.id()}}}, "time", results::unit::microseconds,
                           results::summarize(times));
            }};
}

TEST(LibraryExperiment, RowsOfRankZeroCarryExperimentFabricAndMedian) {
    const std::vector<std::string> on{"ideal", "quadrics"};
    const results::Results results = measure(clock_of(Duration::us(7)), on);
    ASSERT_EQ(results.rows.size(), 2U);
    EXPECT_EQ(results.rows[1].experiment, "clock");
    EXPECT_EQ(results.rows[1].fabric, "quadrics");
    EXPECT_EQ(results.rows[1].parameters.at("rank"), results::Value(std::int64_t{0}));
    EXPECT_DOUBLE_EQ(results.rows[1].value, 7.0);
    EXPECT_EQ(results.rows[1].statistics.iterations, 5U);
    EXPECT_FALSE(results.machine.cpu.empty());
}

TEST(LibraryExperiment, AFileIsReadAsItWasWritten) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("railyard-experiment-" + std::to_string(::getpid()) + ".json");
    const results::Results results =
        measure(clock_of(Duration::us(1)), std::vector<std::string>{"ideal"});
    write(results, path);
    EXPECT_EQ(results::read(path), results);
    std::filesystem::remove(path);
}

TEST(LibraryExperiment, AFailureNamesExperimentAndFabric) {
    const std::vector<std::string> on{"ideal"};
    EXPECT_THAT(
        [&] {
            measure({.name = "broken", .ranks = 2, .run = [](Trial&) { throw Error("no way"); }},
                    on);
        },
        ThrowsMessage<Error>(HasSubstr("broken on ideal: rank 0 failed: no way")));
    EXPECT_THROW(measure({.name = "", .ranks = 2, .run = [](Trial&) {}}, on), UsageError);
    EXPECT_THROW(measure(clock_of({}), std::vector<std::string>{"nosuch"}), UsageError);
}

}  // namespace
}  // namespace railyard
