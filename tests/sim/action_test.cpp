#include "sim/action.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace railyard::sim {
namespace {

TEST(Action, RunsWhatItHoldsAndMovesIt) {
    int runs = 0;
    Action action = [&runs] { ++runs; };
    action();
    Action moved = std::move(action);
    EXPECT_FALSE(action);  // NOLINT: an empty action is what a move leaves
    moved();
    EXPECT_EQ(runs, 2);
}

TEST(Action, HoldsSixWordsAndTakesMoveOnlyCaptures) {
    long sum = 0;
    auto one = std::make_unique<long>(1);
    long* const two = &sum;
    Action action = [one = std::move(one), two, a = 3L, b = 4L, c = 5L, d = 6L] {
        *two = *one + a + b + c + d;
    };
    Action moved;
    moved = std::move(action);
    moved();
    EXPECT_EQ(sum, 19);
}

TEST(Action, ItsCapturesDieOnce) {
    const auto owned = std::make_shared<int>(0);
    {
        Action action = [owned] {};
        Action moved = std::move(action);
        EXPECT_EQ(owned.use_count(), 2);
        moved = Action([] {});
        EXPECT_EQ(owned.use_count(), 1);
        moved = [owned] {};
        EXPECT_EQ(owned.use_count(), 2);
    }
    EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
}  // namespace railyard::sim
