// Atomic operations by the thread processor, and locks on them: EL-7, EV-1.

#include "interconnects/quadrics/elanlib/atomics.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "interconnects/quadrics/elanlib/lock.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::Process;
using Address = elan3::Address;
using Vpid = elan3::Vpid;

/// What a process of this test has; all are there at 100 us.
struct Member {
    explicit Member(Process& its_process) : process(its_process), shmem(process), atomics(shmem) {}
    void meet() { process.engine().sleep_until(Time::at(100_us)); }
    void part() { process.engine().sleep_until(Time::at(5_ms)); }

    Process& process;
    Shmem shmem;
    Atomics atomics;
};

class ElanAtomics : public ::testing::TestWithParam<elan3::Home> {};
INSTANTIATE_TEST_SUITE_P(Memories, ElanAtomics,
                         ::testing::Values(elan3::Home::main, elan3::Home::sdram));

TEST_P(ElanAtomics, FetchWhatWasThere) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Member pe(process);
        const Address word = pe.shmem.allocate(8, GetParam());
        process.put_value(word, std::int64_t{5});
        pe.meet();
        if (process.self() == 0) {
            EXPECT_EQ(pe.atomics.fadd(1, word, std::int64_t{-7}).value, 5);
            EXPECT_EQ(pe.atomics.finc<std::int64_t>(1, word).value, -2);
            EXPECT_EQ(pe.atomics.swap(1, word, std::int64_t{100}).value, -1);
            EXPECT_EQ(pe.atomics.cswap(1, word, std::int64_t{99}, std::int64_t{0}).value, 100);
            EXPECT_EQ(pe.atomics.cswap(1, word, std::int64_t{100}, std::int64_t{3}).value, 100);
            pe.atomics.inc<std::int64_t>(1, word);
            pe.atomics.add(1, word, std::int64_t{10});
            EXPECT_TRUE(pe.shmem.quiet().ok());
            EXPECT_EQ(pe.shmem.g<std::int64_t>(1, word), 14);
            EXPECT_EQ(pe.atomics.swap(1, word, 2.5).status, Status());
            EXPECT_EQ(pe.atomics.swap(1, word, 0.0).value, 2.5);
            EXPECT_EQ(pe.atomics.fadd(0, word, std::int64_t{1}).value, 5) << "its own";
        }
        pe.part();
    });
}

// Neighbours of a word of four bytes stay as they are, and it wraps around by itself.
TEST(ElanAtomicWords, HaveTheirOwnWidth) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Member pe(process);
        const Address words = pe.shmem.allocate(12);
        for (std::uint32_t i = 0; i < 3; ++i)
            process.put_value(words + 4 * i, ~std::uint32_t{0});
        pe.meet();
        if (process.self() == 0) {
            EXPECT_EQ(pe.atomics.fadd(1, words + 4, std::uint32_t{2}).value, ~std::uint32_t{0});
        }
        pe.part();
        if (process.self() == 1) {
            EXPECT_EQ(process.value<std::uint32_t>(words), ~std::uint32_t{0});
            EXPECT_EQ(process.value<std::uint32_t>(words + 4), 1U);
            EXPECT_EQ(process.value<std::uint32_t>(words + 8), ~std::uint32_t{0});
        }
    });
}

// All at once, on one word: every value is given out once, and the word's own process does nothing.
TEST(ElanAtomicWords, LoseNoUpdate) {
    constexpr std::uint32_t each = 20;
    Cluster cluster(8);
    std::vector<std::uint32_t> seen;
    cluster.run([&](Process& process) {
        Member pe(process);
        const Address word = pe.shmem.allocate(4);
        pe.meet();
        const Duration before = process.worked();
        for (std::uint32_t i = 0; i < each && process.self() != 0; ++i) {
            seen.push_back(pe.atomics.finc<std::uint32_t>(0, word).value);
            pe.atomics.inc<std::uint32_t>(0, word);
        }
        EXPECT_TRUE(pe.shmem.quiet().ok());
        pe.part();
        if (process.self() == 0) {
            EXPECT_EQ(process.value<std::uint32_t>(word), 2 * 7 * each);
            EXPECT_EQ(process.worked(), before);
        }
    });
    std::ranges::sort(seen);
    EXPECT_EQ(seen.size(), 7 * each);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

// A request, the thread's work with the word across the bus and back, and an answer: dearer than a
// get, which needs no thread, and less than twice a tagged message.
TEST(ElanAtomicWords, CostTwoMessagesAndTheThreadsWork) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Member pe(process);
        const Address word = pe.shmem.allocate(4);
        pe.meet();
        if (process.self() == 0) {
            const auto time = [&](const std::function<void()>& what) {
                what();
                const Time start = process.now();
                what();
                return process.now() - start;
            };
            const Duration get = time([&] { (void)pe.shmem.g<std::uint32_t>(1, word); });
            const Duration fetch = time([&] { (void)pe.atomics.finc<std::uint32_t>(1, word); });
            EXPECT_GT(fetch, get + 300_ns);
            EXPECT_LT(fetch, 7_us);
            const Duration started = time([&] { pe.atomics.inc<std::uint32_t>(1, word); });
            EXPECT_LT(started, 1_us) << "no wait for the answer";
        }
        pe.part();
    });
}

TEST(ElanAtomicWords, WakeAProcessThatWaits) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Member pe(process);
        const Address word = pe.shmem.allocate(4);
        pe.meet();
        if (process.self() == 0) {
            process.spend(50_us);
            pe.atomics.add(1, word, 3U);
            EXPECT_TRUE(pe.shmem.quiet().ok());
        } else {
            pe.shmem.wait_until(word, Compare::ge, 3U);
            EXPECT_LT(process.now(), Time::at(160_us));
        }
        pe.part();
    });
}

TEST(ElanAtomicWords, TellOfAddressesThatAreNone) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Member pe(process);
        const Address word = pe.shmem.allocate(4);
        pe.meet();
        if (process.self() == 0) {
            EXPECT_EQ(pe.atomics.swap(1, 0xF0000000, 1U).status, Code::out_of_bounds);
            pe.atomics.inc<std::uint32_t>(1, 0xF0000000);
            EXPECT_EQ(pe.shmem.quiet(), Code::out_of_bounds);
            EXPECT_EQ(pe.atomics.finc<std::uint32_t>(1, word).value, 0U);
        }
        pe.part();
    });
}

// One at a time, in the order of their coming, and what one has put the next one finds.
TEST(ElanLock, HoldsOneAtATime) {
    constexpr Vpid processes = 6;
    Cluster cluster(processes);
    int inside = 0;
    std::vector<Vpid> order;
    cluster.run([&](Process& process) {
        Member pe(process);
        Lock lock(pe.shmem, pe.atomics);
        const Address sum = pe.shmem.allocate(4);
        pe.meet();
        process.spend(10_us * process.self());
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(lock.set().ok());
            EXPECT_EQ(++inside, 1);
            order.push_back(process.self());
            const auto value = pe.shmem.g<std::uint32_t>(3, sum);
            process.spend(100_us);
            pe.shmem.p(3, sum, value + 1);
            --inside;
            EXPECT_TRUE(lock.clear().ok());
        }
        pe.part();
        if (process.self() == 3) {
            EXPECT_EQ(process.value<std::uint32_t>(sum), 3 * processes);
        }
    });
    ASSERT_EQ(order.size(), 3 * processes);
    for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_EQ(order[i], i % processes) << "nobody comes twice before all have";
}

TEST(ElanLock, TestsWithoutWaiting) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Member pe(process);
        Lock lock(pe.shmem, pe.atomics);
        pe.meet();
        if (process.self() == 1) {
            EXPECT_TRUE(lock.test().ok());
            process.engine().sleep_until(Time::at(300_us));
            EXPECT_TRUE(lock.clear().ok());
        } else {
            process.engine().sleep_until(Time::at(200_us));
            EXPECT_EQ(lock.test(), Code::again);
            EXPECT_LT(process.now(), Time::at(210_us));
            process.engine().sleep_until(Time::at(400_us));
            EXPECT_TRUE(lock.test().ok());
            EXPECT_TRUE(lock.clear().ok());
        }
        pe.part();
    });
}

}  // namespace
}  // namespace railyard::elanlib
