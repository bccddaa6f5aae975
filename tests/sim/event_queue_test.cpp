#include "sim/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace railyard::sim {
namespace {

Time at(std::int64_t ps) {
    return Time::at(Duration::ps(ps));
}

TEST(EventQueue, GivesEventsInOrderOfTimeThenOfScheduling) {
    std::mt19937_64 random(1);
    EventQueue queue;
    std::vector<std::pair<std::int64_t, int>> expected;
    std::vector<std::pair<std::int64_t, int>> seen;
    for (int i = 0; i < 10'000; ++i) {
        const auto time = static_cast<std::int64_t>(random() % 500);  // many ties
        expected.emplace_back(time, i);
        queue.push(at(time), [&seen, time, i] { seen.emplace_back(time, i); });
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Time when;
    Action action;
    while (queue.pop(when, action)) {
        action();
        EXPECT_EQ(when, at(seen.back().first));
    }
    EXPECT_EQ(seen, expected);
}

TEST(EventQueue, ACancelledEventDoesNotRunAndTheRestStaysInOrder) {
    std::mt19937_64 random(2);
    EventQueue queue;
    std::vector<Event> events;
    std::vector<std::int64_t> seen;
    for (int i = 0; i < 5'000; ++i) {
        const auto time = static_cast<std::int64_t>(random() % 1'000'000) * 2 + i % 2;
        events.push_back(queue.push(at(time), [&seen, time] { seen.push_back(time); }));
    }
    for (std::size_t i = 1; i < events.size(); i += 2)
        EXPECT_TRUE(queue.cancel(events[i]));
    EXPECT_EQ(queue.size(), 2'500U);
    EXPECT_FALSE(queue.cancel(events[1])) << "a second time";
    Time when;
    Action action;
    while (queue.pop(when, action))
        action();
    EXPECT_EQ(seen.size(), 2'500U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto time) { return time % 2 == 0; }));
    EXPECT_FALSE(queue.cancel(events[0])) << "it has run";
    EXPECT_FALSE(queue.cancel(Event{}));
}

TEST(EventQueue, AnOldNameDoesNotCancelTheEventThatTookTheSlot) {
    EventQueue queue;
    const Event old = queue.push(at(1), [] {});
    ASSERT_TRUE(queue.cancel(old));
    queue.push(at(2), [] {});
    EXPECT_FALSE(queue.cancel(old));
    EXPECT_EQ(queue.size(), 1U);
}

TEST(EventQueue, CancellingTimersForEverDoesNotPileUp) {
    EventQueue queue;
    queue.push(at(1), [] {});
    // A timer far away, set and cancelled a million times: the time-out of every wait.
    for (int i = 0; i < 1'000'000; ++i)
        queue.cancel(queue.push(at(1'000'000'000 + i), [] {}));
    EXPECT_EQ(queue.size(), 1U);
    Time when;
    Action action;
    ASSERT_TRUE(queue.pop(when, action));
    EXPECT_EQ(when, at(1));
    EXPECT_FALSE(queue.pop(when, action));
}

TEST(EventQueue, AnActionsCapturesDieOnceWhetherItRunsOrNot) {
    const auto owned = std::make_shared<int>(1);
    {
        EventQueue queue;
        queue.push(at(1), [owned] { EXPECT_EQ(*owned, 1); });
        const Event cancelled = queue.push(at(2), [owned] { FAIL(); });
        queue.push(at(3), [owned] { FAIL(); });
        EXPECT_EQ(owned.use_count(), 4);
        Time when;
        Action action;
        ASSERT_TRUE(queue.pop(when, action));
        action();
        action.reset();
        EXPECT_EQ(owned.use_count(), 3);
        queue.cancel(cancelled);
        EXPECT_EQ(owned.use_count(), 2);
    }
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(EventQueue, ClearingRunsNothingEvenIfADyingActionSchedulesMore) {
    struct SchedulesAsItDies {
        EventQueue& queue;
        ~SchedulesAsItDies() {
            queue.push(Time{}, [] { FAIL(); });
        }
    };
    EventQueue queue;
    queue.push(at(1), [last = std::make_shared<SchedulesAsItDies>(queue)] { FAIL(); });
    queue.clear();
    EXPECT_EQ(queue.size(), 0U);
    Time when;
    Action action;
    EXPECT_FALSE(queue.pop(when, action));
}

}  // namespace
}  // namespace railyard::sim
