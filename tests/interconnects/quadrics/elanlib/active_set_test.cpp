// What active sets do together, by the switches and by trees: BC-1, BC-3.

#include "interconnects/quadrics/elanlib/active_set.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <map>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "interconnects/quadrics/elanlib/reduction.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::pattern;
using elan3::Process;
using Address = elan3::Address;
using Vpid = elan3::Vpid;

struct Pe {
    explicit Pe(Process& its_process) : process(its_process), shmem(process), sets(shmem) {}
    void meet() { process.engine().sleep_until(Time::at(200_us)); }
    void part() { process.engine().sleep_until(Time::at(10_ms)); }

    Process& process;
    Shmem shmem;
    ActiveSets sets;
};

TEST(ActiveSet, IsEveryPowerOfTwo) {
    const ActiveSet set{3, 1, 4};
    for (Vpid pe = 0, next = 0; pe < 16; ++pe) {
        const bool in = pe == 3 || pe == 5 || pe == 7 || pe == 9;
        EXPECT_EQ(set.index(pe), in ? std::optional(next) : std::nullopt);
        if (in) {
            EXPECT_EQ(set.pe(next++), pe);
        }
    }
}

// Whoever has memory may write to the others' at once, and to the last before it gives it back.
TEST(ActiveSetHeap, IsWhoeverAsksForItsWhenAllHaveIt) {
    Cluster cluster(4);
    cluster.run([&](Process& process) {
        Pe pe(process);
        pe.meet();
        const Vpid self = process.self();
        const Vpid next = (self + 1) % 4;
        const auto late = [&] { process.spend(50_us * self); };
        late();
        Address word = pe.sets.allocate(8);
        pe.shmem.p(next, word, std::uint64_t{self + 10});
        late();
        word = pe.sets.resize(word, 5000);
        EXPECT_EQ(process.value<std::uint64_t>(word), (self + 3) % 4 + 10);
        pe.shmem.p(next, word + 4992, std::uint64_t{self + 20});
        late();
        pe.sets.release(word);
        EXPECT_EQ(process.value<std::uint64_t>(word + 4992), (self + 3) % 4 + 20)
            << "the barrier before it has brought it";
        EXPECT_EQ(pe.sets.allocate(8), word - elan::block_size) << "the first hole, in all";
        EXPECT_EQ(pe.shmem.quiet(), Status());
        pe.part();
    });
}

class ActiveSetOf : public ::testing::TestWithParam<ActiveSet> {
  protected:
    /// All members do it, on 16 nodes; the others nothing.
    void run(const std::function<void(Pe&, Vpid index, const Sync&)>& body) {
        Cluster cluster(16);
        cluster.run([&](Process& process) {
            Pe pe(process);
            const Sync sync = pe.sets.make_sync(64);
            const auto index = GetParam().index(process.self());
            pe.process.store(data_ = pe.shmem.allocate(8192), pattern(64));
            pe.process.store(out_ = pe.shmem.allocate(8192), std::vector<std::byte>(8192));
            pe.meet();
            if (index) body(pe, *index, sync);
            pe.part();
        });
    }

    Address data_ = 0;  ///< the same in all
    Address out_ = 0;
};
INSTANTIATE_TEST_SUITE_P(All, ActiveSetOf,
                         ::testing::Values(ActiveSet{0, 0, 16}, ActiveSet{3, 0, 7},
                                           ActiveSet{1, 1, 7}, ActiveSet{0, 2, 4},
                                           ActiveSet{5, 0, 2}, ActiveSet{4, 3, 2},
                                           ActiveSet{9, 0, 1}));

// Nobody leaves before the last has come, however often and whoever is late; and what was put
// before is there.
TEST_P(ActiveSetOf, ABarrierHoldsAll) {
    Vpid inside = 0;
    const Vpid size = GetParam().size;
    run([&](Pe& pe, Vpid index, const Sync& sync) {
        for (Vpid round = 1; round <= 5; ++round) {
            pe.process.spend(1_us * ((index * 7 + round * 5) % size));
            ++inside;
            const Vpid next = GetParam().pe((index + 1) % size);
            pe.shmem.p(next, out_, round);
            EXPECT_TRUE(pe.sets.barrier(GetParam(), sync).ok());
            EXPECT_GE(inside, size * round);
            EXPECT_EQ(pe.process.value<Vpid>(out_), round);
            EXPECT_TRUE(pe.sets.barrier(GetParam(), sync).ok());
        }
    });
    EXPECT_EQ(inside, 5 * size);
}

TEST_P(ActiveSetOf, ABroadcastReachesTheOthers) {
    run([&](Pe& pe, Vpid index, const Sync& sync) {
        for (const Vpid root : {Vpid{0}, GetParam().size / 2, GetParam().size - 1}) {
            if (index == root) pe.process.store(data_, pattern(3000, 50 + root));
            pe.process.store(out_, std::vector<std::byte>(3000));
            EXPECT_TRUE(pe.sets.barrier(GetParam(), sync).ok());
            EXPECT_TRUE(pe.sets.broadcast(GetParam(), root, out_, data_, 3000, sync).ok());
            std::vector<std::byte> bytes(3000);
            pe.process.load(out_, bytes);
            EXPECT_EQ(bytes,
                      index == root ? std::vector<std::byte>(3000) : pattern(3000, 50 + root))
                << "the root's own target is left alone";
            EXPECT_TRUE(pe.sets.barrier(GetParam(), sync).ok());
        }
    });
}

TEST_P(ActiveSetOf, CollectsInTheOrderOfTheSet) {
    run([&](Pe& pe, Vpid index, const Sync& sync) {
        pe.process.store(data_, pattern(300, index));
        for (int round = 0; round < 3; ++round)
            EXPECT_TRUE(pe.sets.fcollect(GetParam(), out_, data_, 300, sync).ok());
        std::vector<std::byte> bytes(300);
        for (Vpid i = 0; i < GetParam().size; ++i) {
            pe.process.load(out_ + 300 * i, bytes);
            EXPECT_EQ(bytes, pattern(300, i));
        }
        EXPECT_TRUE(pe.sets.barrier(GetParam(), sync).ok());
        // Of different sizes, and none at all.
        const auto size = [](Vpid i) { return i % 3 * 100; };
        EXPECT_TRUE(pe.sets.collect(GetParam(), out_, data_, size(index), sync).ok());
        for (Vpid i = 0, at = 0; i < GetParam().size; at += size(i++)) {
            bytes.resize(size(i));
            if (bytes.empty()) continue;
            pe.process.load(out_ + at, bytes);
            EXPECT_EQ(bytes, pattern(size(i), i)) << i;
        }
    });
}

// In pieces: a slot of the Sync holds 64 bytes.
TEST_P(ActiveSetOf, ReducesByAllOperations) {
    const Vpid size = GetParam().size;
    run([&](Pe& pe, Vpid index, const Sync& sync) {
        constexpr std::uint32_t count = 25;
        const auto of = [](Vpid i, std::uint32_t k) { return std::int64_t{i + 1} * 3 + k % 4 - 5; };
        for (std::uint32_t k = 0; k < count; ++k)
            pe.process.put_value(data_ + 8 * k, of(index, k));
        for (const Reduction op :
             {Reduction::bit_and, Reduction::bit_or, Reduction::bit_xor, Reduction::min,
              Reduction::max, Reduction::sum, Reduction::prod}) {
            EXPECT_TRUE(
                reduce<std::int64_t>(pe.sets, GetParam(), op, out_, data_, count, sync).ok());
            for (std::uint32_t k = 0; k < count; ++k) {
                std::int64_t expected = of(0, k);
                for (Vpid i = 1; i < size; ++i)
                    expected = reduced(op, expected, of(i, k));
                EXPECT_EQ(pe.process.value<std::int64_t>(out_ + 8 * k), expected);
            }
        }
        pe.process.put_value(data_, 0.5);
        EXPECT_TRUE(reduce<double>(pe.sets, GetParam(), Reduction::sum, out_, data_, 1, sync).ok());
        EXPECT_EQ(pe.process.value<double>(out_), 0.5 * size);
    });
}

TEST(Reductions, WrapAroundAndKnowTheirTypes) {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(reduced(Reduction::sum, most, 1), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(reduced(Reduction::prod, std::int16_t{-3}, std::int16_t{7}), -21);
    EXPECT_EQ(reduced(Reduction::min, -1, 1), -1);
    EXPECT_EQ(reduced(Reduction::prod, 1.5, 2.0), 3.0);
    EXPECT_THROW(reduced(Reduction::bit_or, 1.0, 2.0), UsageError);
}

TEST(ActiveSets, KnowWhereTheSwitchesServe) {
    sim::Engine engine;
    elan::Machine machine(engine, {});
    const auto job = machine.add_job({0, 1, 2, 5, 6});
    engine.spawn("process", [&] {
        Process process(machine, job, 0);
        Pe pe(process);
        EXPECT_TRUE(pe.sets.is_range({0, 0, 3}));
        EXPECT_TRUE(pe.sets.is_range({3, 0, 2}));
        EXPECT_FALSE(pe.sets.is_range({0, 0, 4})) << "a gap between the nodes";
        EXPECT_FALSE(pe.sets.is_range({0, 1, 2}));
        EXPECT_THROW((void)pe.sets.barrier({1, 0, 2}, pe.sets.make_sync()), UsageError);
        EXPECT_THROW((void)pe.sets.barrier({0, 0, 6}, pe.sets.make_sync()), UsageError);
    });
    engine.run();
}

// Two sets side by side, of which one is late: neither sees the other.
TEST(ActiveSets, DoNotDisturbEachOther) {
    Cluster cluster(8);
    std::map<Vpid, Time> left;
    cluster.run([&](Process& process) {
        Pe pe(process);
        const Sync low = pe.sets.make_sync();
        const Sync high = pe.sets.make_sync();
        pe.meet();
        const bool is_high = process.self() >= 4;
        if (process.self() == 7) process.spend(500_us);
        EXPECT_TRUE(pe.sets.barrier({is_high ? 4U : 0U, 0, 4}, is_high ? high : low).ok());
        left[process.self()] = process.now();
        EXPECT_TRUE(pe.sets.barrier_all().ok());
        pe.part();
    });
    for (const auto& [pe, time] : left)
        EXPECT_EQ(time > Time::at(700_us), pe >= 4);
}

/// What a barrier takes that all come to at once.
Duration barrier_time(const ActiveSet& set) {
    Cluster cluster(16);
    Duration longest;
    cluster.run([&](Process& process) {
        Pe pe(process);
        const Sync sync = pe.sets.make_sync();
        pe.meet();
        if (set.index(process.self())) {
            EXPECT_TRUE(pe.sets.barrier(set, sync).ok());
            process.engine().sleep_until(Time::at(1_ms));
            EXPECT_TRUE(pe.sets.barrier(set, sync).ok());
            longest = std::max(longest, process.now() - Time::at(1_ms));
        }
        pe.part();
    });
    return longest;
}

// A packet there and one back, and the thread that sends them; a tree takes a message a level.
TEST(ActiveSets, AreServedFasterBySwitches) {
    EXPECT_LT(barrier_time({0, 0, 16}), 6_us);
    EXPECT_LT(barrier_time({0, 0, 16}) - barrier_time({0, 0, 4}), 1_us) << "a range of any size";
    EXPECT_GT(barrier_time({0, 1, 8}), barrier_time({0, 0, 16}));
}

}  // namespace
}  // namespace railyard::elanlib
