#include "hosts/real_host.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace railyard::hosts {
namespace {

using namespace literals;
using fabric::Wait;

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    const auto seconds = [](timeval t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(RealHost, ClockRunsAndComputeTakesItsTime) {
    RealHost host({});
    const Time before = host.now();
    host.compute(2_ms);
    EXPECT_GE(host.now() - before, 2_ms);
}

TEST(RealHost, AWaitEndsAtItsDeadlineNotBefore) {
    RealHost host({});
    for (const Wait how : {Wait::spin, Wait::spin_then_sleep, Wait::sleep}) {
        const Time deadline = host.now() + 20_ms;
        EXPECT_FALSE(host.wait_until([] { return false; }, deadline, how));
        EXPECT_GE(host.now(), deadline);
    }
}

TEST(RealHost, WhatIsReadyIsNotWaitedFor) {
    RealHost host({});
    EXPECT_TRUE(host.wait_until([] { return true; }, host.now(), Wait::sleep));
}

TEST(RealHost, ASleeperIsWokenByTheBellWheneverItRings) {
    // The ringer strikes at moments spread over all steps of falling asleep; a lost wake-up would
    // end at the deadline.
    RealHost host({});
    const RemoteBell bell(host.bell().handle());
    std::atomic<int> flag{0};
    std::atomic<int> acknowledged{0};
    constexpr int rounds = 3000;
    std::thread ringer([&] {
        for (int i = 1; i <= rounds; ++i) {
            while (acknowledged.load(std::memory_order_acquire) != i - 1)
                std::this_thread::yield();
            for (int delay = i % 300; delay > 0; --delay)
                relax();
            flag.store(i, std::memory_order_release);
            bell.ring_if_asleep();
        }
    });
    for (int i = 1; i <= rounds; ++i) {
        ASSERT_TRUE(host.wait_until([&] { return flag.load(std::memory_order_acquire) == i; },
                                    host.now() + 10_s, Wait::sleep))
            << "round " << i;
        acknowledged.store(i, std::memory_order_release);
    }
    ringer.join();
}

TEST(RealHost, ManyRingersNeverSilenceASleeper) {
    // Every ringer's ring must end a sleep that begins around it, whatever the others do meanwhile.
    RealHost host({});
    constexpr int ringers = 3;
    constexpr int rounds = 2000;
    std::atomic<int> flags[ringers] = {};
    std::atomic<int> taken[ringers] = {};
    std::vector<std::thread> threads;
    for (int r = 0; r < ringers; ++r)
        threads.emplace_back([&, r] {
            const RemoteBell bell(host.bell().handle());
            for (int i = 1; i <= rounds; ++i) {
                flags[r].store(i, std::memory_order_release);
                bell.ring_if_asleep();
                while (taken[r].load(std::memory_order_acquire) != i)
                    std::this_thread::yield();
            }
        });
    int done = 0;
    while (done < ringers * rounds) {
        ASSERT_TRUE(host.wait_until(
            [&] {
                bool any = false;
                for (int r = 0; r < ringers; ++r) {
                    const int seen = flags[r].load(std::memory_order_acquire);
                    if (seen == taken[r].load(std::memory_order_relaxed)) continue;
                    taken[r].store(seen, std::memory_order_release);
                    ++done;
                    any = true;
                }
                return any;
            },
            host.now() + 10_s, Wait::sleep))
            << done;
    }
    for (auto& thread : threads)
        thread.join();
}

TEST(RealHost, SleepingCostsNoProcessor) {
    RealHost host({});
    const double before = cpu_seconds();
    host.wait_until([] { return false; }, host.now() + 500_ms, Wait::spin_then_sleep);
    EXPECT_LT(cpu_seconds() - before, 0.01);  // 2 % of half a second
}

/// A Nic in miniature: a pipe that becomes readable.
class PipeSource final : public Source {
  public:
    PipeSource() { EXPECT_EQ(pipe(ends_), 0); }
    ~PipeSource() override {
        close(ends_[0]);
        close(ends_[1]);
    }
    bool make_progress() override { return false; }
    int descriptor() const override { return ends_[0]; }
    bool tick(Time) override { return ++ticks_ > 0; }
    Time next_timer() const override { return timer_; }

    int ends_[2] = {-1, -1};
    Time timer_ = Time::never();
    std::atomic<int> ticks_{0};
};

TEST(RealHost, ASleeperHearsItsSocketsAndItsBellAtOnce) {
    RealHost host({});
    PipeSource source;
    host.attach(source);
    const RemoteBell bell(host.bell().handle());
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> flag{false};
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            flag.store(true, std::memory_order_release);
            if (round % 2 == 0) {
                EXPECT_EQ(write(source.ends_[1], "x", 1), 1);
            } else {
                bell.ring_if_asleep();
            }
        });
        EXPECT_TRUE(host.wait_until([&] { return flag.load(std::memory_order_acquire); },
                                    host.now() + 10_s, Wait::sleep));
        other.join();
        char c = 0;
        if (round % 2 == 0) {
            EXPECT_EQ(read(source.ends_[0], &c, 1), 1);
        }
    }
    host.detach(source);
}

TEST(RealHost, TimersOfItsSourcesEndASleep) {
    RealHost host({});
    PipeSource source;
    host.attach(source);
    source.timer_ = host.now() + 5_ms;
    const Time before = host.now();
    EXPECT_TRUE(host.wait_until([&] { return source.ticks_ >= 2; }, before + 10_s, Wait::sleep));
    EXPECT_LT(host.now() - before, 5_s);
    host.detach(source);
}

}  // namespace
}  // namespace railyard::hosts
