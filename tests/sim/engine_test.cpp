#include "sim/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace railyard::sim {
namespace {

using namespace literals;

Time at(Duration since_start) {
    return Time::at(since_start);
}

#if defined(RAILYARD_TSAN)
constexpr int many_fibers = 400;  // the sanitizer itself takes some 500 at a time on aarch64
#elif defined(RAILYARD_ASAN)
constexpr int many_fibers = 20'000;
#else
constexpr int many_fibers = 100'000;
#endif

TEST(Engine, TimeIsThatOfTheEvent) {
    Engine engine;
    std::vector<Time> seen;
    engine.schedule(at(3_us), [&] { seen.push_back(engine.now()); });
    engine.schedule(at(1_us), [&] {
        seen.push_back(engine.now());
        engine.schedule(at(0_us), [&] { seen.push_back(engine.now()); });  // has passed: now
    });
    engine.run();
    EXPECT_EQ(seen, (std::vector{at(1_us), at(1_us), at(3_us)}));
}

TEST(Engine, WhatIsScheduledForNeverHoldsNothingUp) {
    Engine engine;
    engine.schedule(Time::never(), [] { FAIL(); });
    engine.run();
    EXPECT_EQ(engine.now(), Time{});
}

TEST(Engine, ACancelledEventDoesNotMoveTheClock) {
    Engine engine;
    const Event event = engine.schedule(at(5_us), [] { FAIL(); });
    engine.schedule(at(1_us), [&] { EXPECT_TRUE(engine.cancel(event)); });
    engine.run();
    EXPECT_EQ(engine.now(), at(1_us));
}

TEST(Engine, FibersRunUntilTheyWaitInTheOrderOfSpawning) {
    Engine engine;
    std::string log;
    for (const char name : {'a', 'b', 'c'})
        engine.spawn(std::string(1, name), [&, name] {
            for (int i = 1; i <= 3; ++i) {
                log += name;
                log += std::to_string(i);
                log += ' ';
                engine.sleep_until(engine.now() + 1_us);
            }
        });
    engine.run();
    EXPECT_EQ(log, "a1 b1 c1 a2 b2 c2 a3 b3 c3 ");
    EXPECT_EQ(engine.now(), at(3_us));
}

TEST(Engine, AtOneTimeNodesHaveTheirTurnsInOrderWhoeverIsScheduledFirst) {
    for (const bool backwards : {false, true}) {
        Engine engine;
        std::string seen;
        // Each node asks its neighbour for something at one and the same time.
        const auto ask = [&](Engine::Node node) {
            engine.spawn_on(node, "node", [&, node] {
                engine.sleep_until(at(1_us));
                seen += static_cast<char>('a' + node);
                engine.schedule_on((node + 1) % 4, at(2_us), [&, node] {
                    seen += static_cast<char>('A' + node);
                    engine.schedule(at(3_us), [&, node] { seen += std::to_string(node); });
                });
            });
        };
        for (Engine::Node i = 0; i < 4; ++i)
            ask(backwards ? 3 - i : i);
        engine.run();
        // At last in the order of those who were asked: 0 by 3, 1 by 0 ...
        EXPECT_EQ(seen, "abcdABCD3012");
    }
}

TEST(Engine, AHandOverWithoutAnEventIsInTheOthersName) {
    Engine engine;
    std::string seen;
    engine.spawn_on(5, "five", [&] {
        const Engine::As three(engine, 3);
        engine.schedule(at(1_us), [&] { seen += '3'; });
    });
    engine.spawn_on(4, "four", [&] {
        engine.schedule(at(1_us), [&] {
            EXPECT_TRUE(engine.is_past(3));
            EXPECT_FALSE(engine.is_past(5));
            seen += '4';
        });
    });
    engine.run();
    EXPECT_EQ(seen, "34");
}

TEST(Engine, SuspendedFiberRunsOnceResumedAndNotTwice) {
    Engine engine;
    int wakes = 0;
    Fiber& fiber = engine.spawn("sleeper", [&] {
        EXPECT_EQ(engine.current()->name(), "sleeper");
        engine.suspend("the first call");
        ++wakes;
        engine.suspend("the second call");
        ++wakes;
    });
    engine.schedule(at(1_us), [&] {
        engine.resume(fiber);
        engine.resume(fiber);  // already on its way
        EXPECT_EQ(wakes, 0);
    });
    engine.schedule(at(2_us), [&] {
        EXPECT_EQ(wakes, 1);
        engine.resume(fiber);
    });
    engine.run();
    EXPECT_EQ(wakes, 2);
    EXPECT_TRUE(fiber.done());
    engine.resume(fiber);  // nothing happens to one that has ended
}

TEST(Engine, ResumeDoesNotEndASleep) {
    Engine engine;
    Fiber& fiber = engine.spawn("sleeper", [&] {
        engine.sleep_until(at(5_us));
        EXPECT_EQ(engine.now(), at(5_us));
    });
    engine.schedule(at(1_us), [&] { engine.resume(fiber); });
    engine.run();
}

TEST(Engine, ASleepInWhichNothingHappensIsNoEvent) {
    Engine engine;
    std::vector<std::pair<Time, int>> seen;
    engine.spawn_on(0, "sleeps", [&] {
        for (int i = 0; i < 100; ++i) {
            engine.sleep_until(engine.now() + 1_us);
            seen.emplace_back(engine.now(), 0);
        }
    });
    engine.schedule_on(1, at(20_us), [&] { seen.emplace_back(engine.now(), 1); });
    engine.run();
    ASSERT_EQ(seen.size(), 101U);
    EXPECT_EQ(engine.now(), at(100_us));
    EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &std::pair<Time, int>::first));
    EXPECT_EQ(seen[19].second + seen[20].second, 1) << "both at 20 us";
    EXPECT_LT(engine.events_run(), 8U);
}

TEST(Engine, RunsAgainWithWhatIsSpawnedLater) {
    Engine engine;
    int runs = 0;
    engine.spawn("first", [&] { ++runs; });
    engine.run();
    engine.spawn("second", [&] { ++runs; });
    engine.run();
    EXPECT_EQ(runs, 2);
}

std::string random_run(unsigned seed) {
    Engine engine;
    std::mt19937 random(seed);
    std::string log;
    std::vector<Fiber*> fibers;
    for (int f = 0; f < 20; ++f)
        fibers.push_back(&engine.spawn("fiber " + std::to_string(f), [&, f] {
            for (int i = 0; i < 50; ++i) {
                log += std::to_string(f) + "@" +
                       std::to_string(engine.now().since_start().picoseconds()) + "\n";
                if (random() % 3 == 0) engine.resume(*fibers[random() % fibers.size()]);
                const Event timer =
                    engine.schedule(engine.now() + Duration::ps(random() % 20),
                                    [&, fiber = engine.current()] { engine.resume(*fiber); });
                engine.suspend("a timer or a friend");
                engine.cancel(timer);
            }
        }));
    engine.run();
    return log;
}

TEST(Engine, TheSameInputGivesTheSameBytes) {
    const std::string once = random_run(7);
    EXPECT_EQ(once, random_run(7));
    EXPECT_NE(once, random_run(8));
}

TEST(Engine, DeadlockNamesWhoWaitsForWhat) {
    Engine engine;
    engine.spawn("rank 0", [&] { engine.suspend("a message from rank 1"); });
    engine.spawn("rank 1", [&] {
        engine.sleep_until(at(2_us));
        engine.suspend("a message from rank 0");
    });
    engine.spawn("rank 2", [] {});
    try {
        engine.run();
        FAIL();
    } catch (const Deadlock& error) {
        EXPECT_STREQ(error.what(),
                     "deadlock at 2 us: nothing is left to happen, yet\n"
                     "  rank 0 waits for a message from rank 1 (since 0 us)\n"
                     "  rank 1 waits for a message from rank 0 (since 2 us)");
    }
}

TEST(Engine, WhatIsWaitedForIsPutInWordsOnlyForTheReport) {
    Engine engine;
    int told = 0;
    std::vector<Fiber*> fibers;
    for (int f = 0; f < 100; ++f)
        fibers.push_back(&engine.spawn("rank " + std::to_string(f), [&, f] {
            const auto reason = [&] {
                ++told;
                return "friend " + std::to_string(f + 1);
            };
            engine.suspend(reason);
            engine.suspend(reason);
        }));
    engine.schedule(at(3_us), [&] {
        for (Fiber* fiber : fibers)
            engine.resume(*fiber);
        EXPECT_EQ(told, 0);
    });
    try {
        engine.run();
        FAIL();
    } catch (const Deadlock& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("\n  rank 63 waits for friend 64 (since 3 us)\n"), std::string::npos);
        EXPECT_TRUE(text.ends_with("\n  and 36 more wait")) << text;
        EXPECT_EQ(told, 64);
    }
}

struct Counted {
    int& alive;
    explicit Counted(int& count) : alive(count) { ++alive; }
    ~Counted() { --alive; }
};

TEST(Engine, AnExceptionInAFiberEndsTheRunAndUnwindsTheOthers) {
    Engine engine;
    int alive = 0;
    bool went_on = false;
    engine.spawn("rank 0", [&] {
        const Counted counted(alive);
        engine.suspend("nothing");
        went_on = true;
    });
    engine.spawn("rank 1", [&] {
        const Counted counted(alive);
        engine.sleep_until(at(1_us));
        throw std::runtime_error("out of luck");
    });
    engine.spawn("rank 2", [&] {
        const Counted counted(alive);
        engine.sleep_until(at(9_us));
        went_on = true;
    });
    engine.schedule(at(1_us), [&] {
        engine.spawn("rank 3", [&] { went_on = true; });  // never gets to start
    });
    try {
        engine.run();
        FAIL();
    } catch (const FiberError& error) {
        EXPECT_STREQ(error.what(), "rank 1: out of luck");
        EXPECT_EQ(error.fiber(), "rank 1");
        EXPECT_THROW(std::rethrow_exception(error.cause()), std::runtime_error);
    }
    EXPECT_EQ(engine.now(), at(1_us));
    EXPECT_EQ(alive, 0);
    EXPECT_FALSE(went_on);
    engine.spawn("afterwards", [&] { went_on = true; });
    engine.run();
    EXPECT_TRUE(went_on);
}

TEST(Engine, WaitingInADestructorWhileUnwoundReturnsAtOnce) {
    Engine engine;
    bool waited = false;
    struct WaitsAsItDies {
        Engine& engine;
        bool& waited;
        ~WaitsAsItDies() {
            EXPECT_TRUE(engine.unwinding());
            engine.suspend("a farewell");
            engine.sleep_until(Time::at(Duration::s(1)));
            waited = true;
        }
    };
    engine.spawn("rank 0", [&] {
        const WaitsAsItDies last{engine, waited};
        engine.suspend("ever");
    });
    EXPECT_THROW(engine.run(), Deadlock);
    EXPECT_TRUE(waited);
}

TEST(Engine, AFiberThatCatchesEverythingIsGivenUpAllTheSame) {
    Engine engine;
    engine.spawn("stubborn", [&] {
        try {
            engine.suspend("ever");
        } catch (...) {  // NOLINT: that is the point
        }
        engine.suspend("ever and a day");
        FAIL();
    });
    EXPECT_THROW(engine.run(), Deadlock);
}

TEST(Engine, AnExceptionInAnEventComesOutAsItIs) {
    Engine engine;
    int alive = 0;
    engine.spawn("rank 0", [&] {
        const Counted counted(alive);
        engine.suspend("ever");
    });
    engine.schedule(at(1_us), [] { throw std::logic_error("event"); });
    EXPECT_THROW(engine.run(), std::logic_error);
    EXPECT_EQ(alive, 0);
}

TEST(Engine, FibersThatNeverRanAreDroppedWithTheEngine) {
    const auto owned = std::make_shared<int>(0);
    {
        Engine engine;
        engine.spawn("rank 0", [owned] {});
    }
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(Engine, EachFiberHasItsOwnExceptionsInFlight) {
    Engine engine;
    std::string caught;
    for (int f = 0; f < 3; ++f)
        engine.spawn("rank " + std::to_string(f), [&, f] {
            try {
                throw std::runtime_error(std::to_string(f));
            } catch (const std::runtime_error&) {
                engine.sleep_until(
                    at(Duration::us(3 - f)));  // the others throw and catch meanwhile
                try {
                    throw;
                } catch (const std::runtime_error& error) {
                    caught += error.what();
                }
            }
            EXPECT_EQ(std::uncaught_exceptions(), 0);
        });
    engine.run();
    EXPECT_EQ(caught, "210");
}

TEST(Engine, ManyFibersAtOnce) {
    // The kernel has no mappings for so many guard pages: the later ones have a guard word.
    Engine engine(Engine::Options{Bytes(16 << 10), many_fibers / 4});
    std::uint64_t sum = 0;
    for (int f = 0; f < many_fibers; ++f)
        engine.spawn("fiber", [&engine, &sum, f] {
            engine.sleep_until(at(Duration::ps(1'000'000 - f)));
            engine.sleep_until(at(1_us) + Duration::ps(f));
            sum += static_cast<std::uint64_t>(f);
        });
    engine.run();
    EXPECT_EQ(sum, std::uint64_t{many_fibers} * (many_fibers - 1) / 2);
}

TEST(Engine, StacksAreUsedAgain) {
    Engine engine(Engine::Options{Bytes(256 << 10), 8});
    int runs = 0;
    // One after the other: never more than two stacks, so all have guard pages.
    std::function<void(int)> next = [&](int left) {
        ++runs;
        if (left > 0) engine.spawn("link of a chain", [&next, left] { next(left - 1); });
    };
    engine.spawn("first link", [&] { next(1'000); });
    engine.run();
    EXPECT_EQ(runs, 1'001);
}

#if !defined(RAILYARD_ASAN) && !defined(RAILYARD_TSAN)
// Not inlined and not a tail call: each level takes its piece of the stack.
[[gnu::noinline]] int deep(int levels) {
    volatile char piece[1024] = {};
    if (levels > 0) piece[0] = static_cast<char>(deep(levels - 1));
    return piece[0] + 1;
}

void overrun(std::size_t guard_pages) {
    Engine engine(Engine::Options{Bytes(64 << 10), guard_pages});
    engine.spawn("glutton", [&] {
        deep(200);
        engine.sleep_until(Time::at(Duration::us(1)));
    });
    engine.run();
}

TEST(EngineDeathTest, AStackThatIsTooSmallHitsItsGuardPage) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(overrun(1), testing::KilledBySignal(SIGSEGV), "");
}
#endif

TEST(Engine, AFiberFindsItsOwnWords) {
    RankLocal outside;
    rank_local::here = &outside;
    Engine engine;
    RankLocal words[3];
    for (RankLocal& mine : words)
        engine.spawn("fiber", [&engine, &mine, &outside] {
            EXPECT_EQ(rank_local::here, &outside);
            rank_local::here = &mine;
            for (int turn = 0; turn < 3; ++turn) {
                engine.sleep_until(engine.now() + 1_us);
                EXPECT_EQ(rank_local::here, &mine);
            }
        });
    engine.schedule(at(1_us), [&outside] { EXPECT_EQ(rank_local::here, &outside); });
    engine.run();
    EXPECT_EQ(rank_local::here, &outside);
    rank_local::here = &rank_local::of_process;
}

TEST(Engine, OnlyAFiberCanWait) {
    Engine engine;
    EXPECT_THROW(engine.suspend("anything"), UsageError);
    EXPECT_THROW(engine.sleep_until(at(1_us)), UsageError);
}

}  // namespace
}  // namespace railyard::sim
