// What is told of a run while it goes on, from what it says itself.

#include "cli/run_pace.hpp"

#include <gtest/gtest.h>

namespace railyard::cli {
namespace {

void make_calls(runs::RunProgress& progress, int calls, Duration now) {
    for (int i = 0; i < calls; ++i)
        progress.call_done(Time::at(now));
}

TEST(RunPace, SaysNothingBeforeAnythingHasHappened) {
    runs::RunProgress progress;
    EXPECT_EQ(RunPace(progress).tell(Duration::s(1)), "");
}

TEST(RunPace, TellsTheRateSinceTheLastTime) {
    runs::RunProgress progress;
    RunPace pace(progress);
    make_calls(progress, 2'000'000, Duration::us(250));
    EXPECT_EQ(pace.tell(Duration::s(1)), ": 250 us virtual time, 2 M calls/s");
    make_calls(progress, 500'000, Duration::ms(2));
    EXPECT_EQ(pace.tell(Duration::s(2)), ": 2 ms virtual time, 500 k calls/s");
}

TEST(RunPace, TellsTheTimeLeftByTheStepsOfTheProgram) {
    runs::RunProgress progress;
    RunPace pace(progress);
    make_calls(progress, 1, Duration::us(1));
    progress.left(100);
    EXPECT_EQ(pace.tell(Duration::s(1)).find("left"), std::string::npos) << "one step is no rate";
    progress.left(80);
    EXPECT_NE(pace.tell(Duration::s(3)).find(", 8 s left: "), std::string::npos);
    progress.left(1000);
    EXPECT_EQ(pace.tell(Duration::s(4)).find("left"), std::string::npos) << "another loop begins";
    progress.left(900);
    EXPECT_NE(pace.tell(Duration::s(5)).find(", 9 s left: "), std::string::npos);
}

}  // namespace
}  // namespace railyard::cli
