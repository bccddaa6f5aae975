#include "hosts/virtual_host.hpp"

#include <gtest/gtest.h>

namespace railyard::hosts {
namespace {

using namespace literals;
using fabric::Wait;

class VirtualHostTest : public testing::Test {
  protected:
    void run(const std::function<void()>& body) {
        engine.spawn("rank 0", body);
        engine.run();
    }
    Time after(Duration duration) { return Time::at(duration); }
    void notify_at(Duration when) {
        engine.schedule(after(when), [this] { host.notify(); });
    }

    sim::Engine engine;
    VirtualHost host{engine};
};

TEST_F(VirtualHostTest, ComputingTakesItsTime) {
    run([&] {
        host.compute(3_us);
        EXPECT_EQ(host.now(), after(3_us));
        host.compute(Duration{});
        EXPECT_EQ(host.now(), after(3_us));
    });
}

TEST_F(VirtualHostTest, WorkCostsWhatTheTableSays) {
    run([&] {
        host.charge(fabric::Work::match_entry, 1000);
        EXPECT_EQ(host.now(), Time{}) << "free by default";
        host.set_costs({.match_entry = 20_ns, .request = 100_ns, .copied_byte = 1_ns});
        host.charge(fabric::Work::match_entry, 3);
        EXPECT_EQ(host.now(), after(60_ns));
        host.charge_copy(40);
        EXPECT_EQ(host.now(), after(100_ns));
        host.charge(fabric::Work::request, 1);
        EXPECT_EQ(host.now(), after(200_ns));
    });
}

TEST_F(VirtualHostTest, CopyingWaitsForMemoryThatWasNotUsedLately) {
    run([&] {
        const std::array<std::byte, 64> from{};
        const std::array<std::byte, 64> to{};
        const VirtualHost::Costs costs{
            .copied_byte = 1_ns,
            .memory = {
                .cache = 16_KiB, .miss = 100_ns, .rate = Rate::bytes_per_second(6'400'000'000U)}};
        const auto time_of = [&](const std::byte* into, const std::byte* out_of) {
            const Time start = host.now();
            host.charge_copy(64, into, out_of);
            return host.now() - start;
        };
        host.set_costs(costs);
        EXPECT_EQ(time_of(nullptr, nullptr), 64_ns) << "memory of the library's";
        EXPECT_EQ(time_of(to.data(), from.data()), 64_ns + 100_ns + 20_ns);
        EXPECT_EQ(time_of(to.data(), from.data()), 64_ns);
        host.set_costs(costs);
        EXPECT_EQ(time_of(to.data(), from.data()), 64_ns) << "another Nic of the same host";
        host.overwritten(from.data(), 1);
        EXPECT_EQ(time_of(to.data(), from.data()), 64_ns + 100_ns);
        host.set_costs({.copied_byte = 1_ns});
        host.overwritten(from.data(), 1);
        EXPECT_EQ(time_of(to.data(), from.data()), 64_ns) << "where memory costs nothing";
    });
}

TEST_F(VirtualHostTest, WhoIsBesideHearsOfWhatTheRankDoesNotWaitFor) {
    host.set_costs({.interrupt = 100_ns});
    notify_at(1_us);  // the rank waits
    notify_at(4_us);  // it computes
    notify_at(5_us);  // whoever is beside is at work
    std::vector<Time> served;
    engine.spawn("beside", [&] {
        while (host.wait_beside()) {
            served.push_back(engine.now());
            engine.sleep_until(engine.now() + 2_us);
        }
    });
    run([&] {
        EXPECT_TRUE(host.wait(host.prepare_wait(), after(2_us), Wait::spin));
        host.compute(9_us);
        EXPECT_EQ(host.now(), after(10_us)) << "it computes as ever";
        host.end_beside();
    });
    EXPECT_EQ(served, (std::vector{after(4_us + 100_ns), after(6_us + 200_ns)}));
}

TEST_F(VirtualHostTest, AnArrivalEndsAWait) {
    notify_at(2_us);
    run([&] {
        EXPECT_TRUE(host.wait(host.prepare_wait(), after(5_us), Wait::spin));
        EXPECT_EQ(host.now(), after(2_us));
    });
    EXPECT_EQ(engine.now(), after(2_us)) << "the timer is gone";
}

TEST_F(VirtualHostTest, WhatArrivesAfterTheTicketIsNotLost) {
    notify_at(1_us);
    run([&] {
        const auto ticket = host.prepare_wait();
        host.compute(2_us);
        EXPECT_TRUE(host.wait(ticket, after(5_us), Wait::spin));
        EXPECT_EQ(host.now(), after(2_us));
    });
}

TEST_F(VirtualHostTest, WithoutAnArrivalTheDeadlinePasses) {
    notify_at(9_us);
    run([&] {
        EXPECT_FALSE(host.wait(host.prepare_wait(), after(5_us), Wait::spin));
        EXPECT_EQ(host.now(), after(5_us));
        EXPECT_FALSE(host.wait(host.prepare_wait(), after(1_us), Wait::spin)) << "has passed";
        EXPECT_EQ(host.now(), after(5_us));
    });
}

TEST_F(VirtualHostTest, WakingUpCostsTimeAndMoreByInterrupt) {
    notify_at(1_us);
    notify_at(4_us);
    host.set_costs({.detect = 200_ns, .interrupt = 13_us});
    run([&] {
        host.wait(host.prepare_wait(), Time::never(), Wait::spin_then_sleep);
        EXPECT_EQ(host.now(), after(1200_ns));
        host.wait(host.prepare_wait(), Time::never(), Wait::sleep);
        EXPECT_EQ(host.now(), after(17_us));
    });
}

TEST_F(VirtualHostTest, QuietArrivalsDoNotEndASleep) {
    engine.schedule(after(1_us), [this] { host.notify_quietly(); });
    engine.schedule(after(2_us), [this] { host.notify_quietly(); });
    notify_at(3_us);
    run([&] {
        EXPECT_TRUE(host.wait(host.prepare_wait(), Time::never(), Wait::spin_then_sleep));
        EXPECT_EQ(host.now(), after(1_us));
        EXPECT_TRUE(host.wait(host.prepare_wait(), Time::never(), Wait::sleep));
        EXPECT_EQ(host.now(), after(3_us));
    });
}

TEST_F(VirtualHostTest, WaitUntilLooksAgainAtEachArrivalOnly) {
    for (int i = 1; i <= 5; ++i)
        notify_at(Duration::us(i));
    int looks = 0;
    run([&] {
        EXPECT_TRUE(host.wait_until([&] { return ++looks == 4; }));
        EXPECT_EQ(host.now(), after(3_us));
        EXPECT_FALSE(host.wait_until([] { return false; }, after(20_us)));
        EXPECT_EQ(host.now(), after(20_us));
    });
}

TEST_F(VirtualHostTest, ARankThatWaitsForNothingIsADeadlock) {
    engine.spawn("rank 0", [&] { host.wait_until([] { return false; }); });
    try {
        engine.run();
        FAIL();
    } catch (const sim::Deadlock& error) {
        EXPECT_STREQ(error.what(),
                     "deadlock at 0 us: nothing is left to happen, yet\n"
                     "  rank 0 waits for an arrival: a completion, a write or a connection "
                     "request; spinning, 0 came before (since 0 us)");
    }
}

TEST_F(VirtualHostTest, ADeadlockTellsOfArrivalsThatDoNotWakeASleeper) {
    notify_at(1_us);
    engine.schedule(after(3_us), [this] { host.notify_quietly(); });
    engine.spawn("rank 0", [&] {
        EXPECT_TRUE(host.wait(host.prepare_wait(), Time::never(), Wait::sleep));
        host.wait(host.prepare_wait(), Time::never(), Wait::sleep);
    });
    try {
        engine.run();
        FAIL();
    } catch (const sim::Deadlock& error) {
        EXPECT_STREQ(error.what(),
                     "deadlock at 3 us: nothing is left to happen, yet\n"
                     "  rank 0 waits for an arrival: a completion, a write or a connection "
                     "request; asleep, 1 came before, and 1 since that do not wake a sleeper, not "
                     "being solicited (since 1 us)");
    }
}

TEST_F(VirtualHostTest, AWaitInADestructorOfARankGivenUpReturns) {
    struct WaitsAsItDies {
        VirtualHost& host;
        ~WaitsAsItDies() {
            EXPECT_FALSE(host.wait_until([] { return false; }));
        }
    };
    engine.spawn("rank 0", [&] {
        const WaitsAsItDies last{host};
        host.wait_until([] { return false; });
    });
    EXPECT_THROW(engine.run(), sim::Deadlock);
}

}  // namespace
}  // namespace railyard::hosts
