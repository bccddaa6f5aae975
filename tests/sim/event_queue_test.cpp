#include "sim/event_queue.hpp"
#include "at.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace railyard::sim {
namespace {

Time run_all(EventQueue& queue) {
    EventQueue::Running running{};
    while (queue.run_next(running)) {
    }
    return running.now;
}

TEST(EventQueue, GivesEventsInOrderOfTimeThenOfScheduling) {
    std::mt19937_64 random(1);
    EventQueue queue;
    std::vector<std::pair<std::int64_t, int>> expected;
    std::vector<std::pair<std::int64_t, int>> seen;
    for (int i = 0; i < 10'000; ++i) {
        const auto time = static_cast<std::int64_t>(random() % 500);  // many ties
        expected.emplace_back(time, i);
        queue.push(at_ps(time), 0, 0, [&seen, time, i] { seen.emplace_back(time, i); });
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    EventQueue::Running running{};
    while (queue.run_next(running))
        EXPECT_EQ(running.now, at_ps(seen.back().first));
    EXPECT_EQ(seen, expected);
}

TEST(EventQueue, AtOneTimeTheLowerPartyComesFirstWhateverWasScheduledFirst) {
    EventQueue queue;
    for (const Party party : {7U, 3U, 9U, 3U, 0U})
        queue.push(at_ps(5), party, 1, [] {});
    EventQueue::Running running{};
    std::vector<Party> by;
    while (queue.run_next(running)) {
        by.push_back(running.by);
        EXPECT_EQ(running.as, 1U);
    }
    EXPECT_EQ(by, (std::vector<Party>{0, 3, 3, 7, 9}));
}

/// Many that are due now find many others: in the order of parties all the same, before what is
/// later, and those that are cancelled among them do not run.
TEST(EventQueue, ACrowdThatIsDueNowStaysInOrder) {
    std::mt19937_64 random(5);
    EventQueue queue;
    using Seen = std::pair<std::int64_t, Party>;
    std::vector<Seen> seen;
    std::vector<Seen> expected;
    std::vector<Event> cancelled;
    constexpr Party many = 1000;
    for (Party party = 0; party < many; ++party) {
        queue.push(at_ps(10), party, party, [&, party] {
            for (const std::int64_t time : {10, 11}) {
                // By parties whose turn is still to come.
                const Party other = party + static_cast<Party>(random() % (many - party));
                const auto note = [&seen, time, other] { seen.emplace_back(time, other); };
                queue.push(at_ps(time), other, other, note);
                expected.emplace_back(time, other);
                cancelled.push_back(queue.push(at_ps(time), other, other, [] { FAIL(); }));
            }
            EXPECT_FALSE(queue.is_last_now());
            for (const Event event : std::exchange(cancelled, {}))
                EXPECT_TRUE(queue.cancel(event));
        });
    }
    EXPECT_EQ(run_all(queue), at_ps(11));
    std::ranges::stable_sort(expected);
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(queue.size(), 0U);
}

TEST(EventQueue, ACancelledEventDoesNotRunAndTheRestStaysInOrder) {
    std::mt19937_64 random(2);
    EventQueue queue;
    std::vector<Event> events;
    std::vector<std::int64_t> seen;
    for (int i = 0; i < 5'000; ++i) {
        const auto time = static_cast<std::int64_t>(random() % 1'000'000) * 2 + i % 2;
        events.push_back(queue.push(at_ps(time), 0, 0, [&seen, time] { seen.push_back(time); }));
    }
    for (std::size_t i = 1; i < events.size(); i += 2)
        EXPECT_TRUE(queue.cancel(events[i]));
    EXPECT_EQ(queue.size(), 2'500U);
    EXPECT_FALSE(queue.cancel(events[1])) << "a second time";
    run_all(queue);
    EXPECT_EQ(seen.size(), 2'500U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto time) { return time % 2 == 0; }));
    EXPECT_FALSE(queue.cancel(events[0])) << "it has run";
    EXPECT_FALSE(queue.cancel(Event{}));
}

/// Events that schedule and cancel others as they run, at distances from 0 to days, beside a
/// sorted list that does the same in the plainest way.
class BesideAList {
  public:
    explicit BesideAList(unsigned seed) : random_(seed) {}

    void run(int events) {
        left_ = events;
        for (int i = 0; i < 50; ++i)
            schedule();
        while (queue_.run_next(running_))
            ASSERT_EQ(queue_.size(), list_.size());
        EXPECT_TRUE(list_.empty());
        EXPECT_EQ(left_, 0);
    }

    int skipped() const { return skipped_; }

  private:
    struct Name {
        std::int64_t at;
        Party party;
        int number;  ///< in the order of scheduling
        friend auto operator<=>(const Name&, const Name&) = default;
    };

    void schedule() {
        if (left_ == 0) return;
        --left_;
        const Name name{running_.now.since_start().picoseconds() + distance(),
                        static_cast<Party>(random_() % 5), ++number_};
        list_[name] = queue_.push(at_ps(name.at), name.party, 0, [this, name] { happen(name); });
    }
    void happen(Name name) {
        ASSERT_FALSE(list_.empty());
        ASSERT_EQ(list_.begin()->first, name);
        ASSERT_EQ(running_.now, at_ps(name.at));
        ASSERT_EQ(running_.by, name.party);
        EXPECT_FALSE(queue_.cancel(list_.begin()->second)) << "it runs";
        list_.erase(list_.begin());
        if (list_.size() < 20 || (list_.size() < 2'000 && random_() % 2 == 0))
            for (auto more = random_() % 40; more > 0; --more)
                schedule();
        for (auto fewer = random_() % 16; fewer > 0 && list_.size() > 1; --fewer) {
            auto victim = list_.lower_bound(
                {list_.rbegin()->first.at >> random_() % 40, 0, static_cast<int>(random_() % 100)});
            if (victim == list_.end()) victim = list_.begin();
            ASSERT_TRUE(queue_.cancel(victim->second));
            list_.erase(victim);
        }
        schedule();
        skip();
    }
    /// The event goes on at a later time if nothing else is to happen until then.
    void skip() {
        // Not days: there may be many, and the end of time is not far.
        const Time later = running_.now + Duration::ps(distance() >> 12);
        const bool free = list_.empty() || at_ps(list_.begin()->first.at) > later;
        if (!queue_.skip_to(later)) return;
        ASSERT_TRUE(free);
        running_.now = later;
        ++skipped_;
        schedule();
    }
    std::int64_t distance() {
        return random_() % 4 == 0 ? 0
                                  : static_cast<std::int64_t>(random_() >> (8 + random_() % 56));
    }

    std::mt19937_64 random_;
    EventQueue queue_;
    std::map<Name, Event> list_;
    EventQueue::Running running_{};
    int number_ = 0;
    int left_ = 0;
    int skipped_ = 0;
};

TEST(EventQueue, DoesWhatASortedListDoes) {
    int skipped = 0;
    for (unsigned seed = 0; seed < 8; ++seed) {
        BesideAList both(seed);
        both.run(20'000);
        skipped += both.skipped();
    }
    EXPECT_GT(skipped, 20);
}

TEST(EventQueue, TheTimeOfTheEventThatRanLastIsTheEarliestThereIs) {
    EventQueue queue;
    std::vector<int> seen;
    queue.push(at_ps(100), 0, 0, [&] {
        queue.push(at_ps(100), 0, 0, [&] { seen.push_back(2); });
        queue.push(at_ps(7), 0, 0, [&] { seen.push_back(3); });
        seen.push_back(0);
    });
    queue.push(at_ps(100), 0, 0, [&] { seen.push_back(1); });
    EXPECT_EQ(run_all(queue), at_ps(100));
    EXPECT_EQ(seen, (std::vector{0, 1, 2, 3}));
    queue.cancel(queue.push(at_ps(1'000'000), 0, 0, [] {}));
    EXPECT_EQ(run_all(queue), Time{});
    // Later than what ran, and earlier than what was cancelled.
    queue.push(at_ps(101), 0, 0, [&] { seen.push_back(4); });
    EXPECT_EQ(run_all(queue), at_ps(101));
    EXPECT_EQ(seen.back(), 4);
}

// It is filed among events to come even where there are no others, by the time of one that ran long
// ago; those that come to be filed beside it keep their order.
TEST(EventQueue, TheEndOfTimeComesLast) {
    std::mt19937_64 random(3);
    EventQueue queue;
    std::vector<std::int64_t> seen;
    const auto push = [&](std::int64_t time) {
        queue.push(at_ps(time), 0, 0, [&seen, time] { seen.push_back(time); });
    };
    std::int64_t now = 0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 100; ++i)
            push(now + static_cast<std::int64_t>(random() % 1'000'000));
        EventQueue::Running ran{};
        while (queue.size() > 0)
            queue.run_next(ran);
        now = ran.now.since_start().picoseconds();
        const Event last =
            queue.push(at_ps(std::numeric_limits<std::int64_t>::max()), 0, 0, [] { FAIL(); });
        for (int i = 0; i < 300; ++i)
            push(now + static_cast<std::int64_t>(random() >> (14 + random() % 40)) % 1'000'000'000);
        while (queue.size() > 1)
            queue.run_next(ran);
        now = ran.now.since_start().picoseconds();
        EXPECT_TRUE(queue.cancel(last));
    }
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_EQ(seen.size(), 20U * 400U);
    push(std::numeric_limits<std::int64_t>::max());
    push(now + 1);
    run_all(queue);
    EXPECT_EQ(seen.back(), std::numeric_limits<std::int64_t>::max());
}

TEST(EventQueue, AnEventThatThrowsIsOverAndTheRestGoesOn) {
    EventQueue queue;
    const auto owned = std::make_shared<int>(1);
    queue.push(at_ps(1), 0, 0, [owned] { throw *owned; });
    queue.push(at_ps(2), 0, 0, [] {});
    EventQueue::Running running{};
    EXPECT_THROW(queue.run_next(running), int);
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_EQ(queue.size(), 1U);
    EXPECT_TRUE(queue.run_next(running));
    EXPECT_EQ(running.now, at_ps(2));
}

TEST(EventQueue, AnOldNameDoesNotCancelTheEventThatTookTheSlot) {
    EventQueue queue;
    const Event old = queue.push(at_ps(1), 0, 0, [] {});
    ASSERT_TRUE(queue.cancel(old));
    queue.push(at_ps(2), 0, 0, [] {});
    EXPECT_FALSE(queue.cancel(old));
    EXPECT_EQ(queue.size(), 1U);
}

TEST(EventQueue, CancellingTimersForEverDoesNotPileUp) {
    EventQueue queue;
    queue.push(at_ps(1), 0, 0, [] {});
    // A timer far away, set and cancelled a million times: the time-out of every wait.
    for (int i = 0; i < 1'000'000; ++i)
        queue.cancel(queue.push(at_ps(1'000'000'000 + i), 0, 0, [] {}));
    EXPECT_EQ(queue.size(), 1U);
    EventQueue::Running running{};
    ASSERT_TRUE(queue.run_next(running));
    EXPECT_EQ(running.now, at_ps(1));
    EXPECT_FALSE(queue.run_next(running));
    EXPECT_EQ(running.now, at_ps(1)) << "what was cancelled moves no clock";
}

TEST(EventQueue, AnActionsCapturesDieOnceWhetherItRunsOrNot) {
    const auto owned = std::make_shared<int>(1);
    {
        EventQueue queue;
        queue.push(at_ps(1), 0, 0, [owned] { EXPECT_EQ(*owned, 1); });
        const Event cancelled = queue.push(at_ps(2), 0, 0, [owned] { FAIL(); });
        queue.push(at_ps(3), 0, 0, [owned] { FAIL(); });
        EXPECT_EQ(owned.use_count(), 4);
        EventQueue::Running running{};
        ASSERT_TRUE(queue.run_next(running));
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
            queue.push(Time{}, 0, 0, [] { FAIL(); });
        }
    };
    EventQueue queue;
    queue.push(at_ps(1), 0, 0, [last = std::make_shared<SchedulesAsItDies>(queue)] { FAIL(); });
    queue.clear();
    EXPECT_EQ(queue.size(), 0U);
    EventQueue::Running running{};
    EXPECT_FALSE(queue.run_next(running));
}

}  // namespace
}  // namespace railyard::sim
