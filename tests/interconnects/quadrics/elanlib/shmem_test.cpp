// The symmetric heap, put, get, order and waits, and libraries side by side: LB-1, LB-3.

#include "interconnects/quadrics/elanlib/shmem.hpp"

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "interconnects/quadrics/elanlib/tport.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::pattern;
using elan3::Process;

TEST(Shmem, HasOneAddressForAll) {
    Cluster cluster(4);
    std::vector<Address> data;
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        data.push_back(shmem.allocate(100));
        data.push_back(shmem.allocate(10'000));
    });
    for (std::size_t i = 2; i < data.size(); ++i)
        EXPECT_EQ(data[i], data[i - 2]);
}

// A ring: each puts to the next, and waits for its own word.
TEST(Shmem, PutsAndWaits) {
    Cluster cluster(4);
    int done = 0;
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        const Address data = shmem.allocate(3000);
        const Address flag = shmem.allocate(4);
        const Address mine = shmem.allocate(3000);
        const Address one = shmem.allocate(4);
        process.store(mine, pattern(3000, process.self()));
        process.put_value(one, std::uint32_t{1});
        process.engine().sleep_until(Time::at(100_us));
        const Vpid next = (process.self() + 1) % 4;
        EXPECT_TRUE(shmem.put(next, mine, data, 3000).ok());
        EXPECT_TRUE(shmem.put(next, one, flag, 4).ok());
        shmem.wait_until(flag, Compare::ge, 1U);
        std::vector<std::byte> bytes(3000);
        process.load(data, bytes);
        EXPECT_EQ(bytes, pattern(3000, (process.self() + 3) % 4));
        ++done;
        process.engine().sleep_until(Time::at(1_ms));
    });
    EXPECT_EQ(done, 4);
}

TEST(Shmem, GetsAndIsQuiet) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        const Address data = shmem.allocate(4096);
        const Address mine = shmem.allocate(4096);
        process.store(process.self() == 0 ? mine : data, pattern(4096, process.self()));
        process.engine().sleep_until(Time::at(100_us));
        if (process.self() == 0) {
            EXPECT_TRUE(shmem.get(1, data, data, 4096).ok());
            std::vector<std::byte> bytes(4096);
            process.load(data, bytes);
            EXPECT_EQ(bytes, pattern(4096, 1));
            for (std::uint32_t i = 0; i < 8; ++i)
                shmem.start_put(1, mine + 512 * i, data + 512 * i, 512);
            EXPECT_TRUE(shmem.quiet().ok());
        }
        process.engine().sleep_until(Time::at(1_ms));
        if (process.self() == 1) {
            std::vector<std::byte> bytes(4096);
            process.load(data, bytes);
            EXPECT_EQ(bytes, pattern(4096, 0));
        }
    });
}

TEST(SymmetricHeap, TakesTheFirstHoleAndJoinsWhatIsReleased) {
    Cluster cluster(1);
    cluster.run([&](Process& process) {
        SymmetricHeap heap(process, elan3::Home::main, 1024);
        const Address a = heap.allocate(100);
        const Address b = heap.allocate(64);
        const Address c = heap.allocate(1);
        EXPECT_EQ(b, a + 128);
        EXPECT_EQ(c, b + 64);
        EXPECT_THROW(heap.allocate(1024), UsageError);
        heap.release(a);
        EXPECT_EQ(heap.allocate(65), a) << "the first hole, in whole blocks";
        heap.release(b);
        heap.release(a);
        heap.release(c);
        EXPECT_EQ(heap.allocate(1024), a) << "all of it is one hole again";
        EXPECT_THROW(heap.release(b), UsageError);
    });
}

TEST(Shmem, ResizesWithTheContent) {
    Cluster cluster(1);
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        for (const elan3::Home home : {elan3::Home::main, elan3::Home::sdram}) {
            const Address small = shmem.allocate(100, home);
            process.store(small, pattern(100));
            const Address large = shmem.resize(small, 5000);
            EXPECT_NE(large, small);
            std::vector<std::byte> bytes(100);
            process.load(large, bytes);
            EXPECT_EQ(bytes, pattern(100));
            EXPECT_EQ(process.value<std::uint32_t>(large + 4996), 0U);
            EXPECT_THROW(shmem.release(small), UsageError);
        }
    });
}

/// Process 0 does it when all are there; process 1 looks at the end.
void between_two(const std::function<void(Shmem&, Address)>& first,
                 const std::function<void(Shmem&, Address)>& then) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        const Address data = shmem.allocate(4096);
        for (std::uint32_t i = 0; i < 64; ++i)
            process.put_value(data + 8 * i, std::uint64_t{1000} * process.self() + i);
        process.engine().sleep_until(Time::at(100_us));
        if (process.self() == 0) first(shmem, data);
        process.engine().sleep_until(Time::at(1_ms));
        if (process.self() == 1) then(shmem, data);
    });
}

TEST(Shmem, MovesSingleElements) {
    between_two(
        [](Shmem& shmem, Address data) {
            EXPECT_EQ(shmem.g<std::uint64_t>(1, data + 8 * 7), 1007U);
            shmem.p(1, data, std::uint64_t{42});
            shmem.p(1, data + 8, 2.5);
            EXPECT_TRUE(shmem.quiet().ok());
        },
        [](Shmem& shmem, Address data) {
            EXPECT_EQ(shmem.process().value<std::uint64_t>(data), 42U);
            EXPECT_EQ(shmem.process().value<double>(data + 8), 2.5);
        });
}

// More than the library has memory for: it waits for those before, and none is overwritten.
TEST(Shmem, PutsAnyNumberOfElements) {
    between_two(
        [](Shmem& shmem, Address data) {
            const Time start = shmem.process().now();
            for (std::uint32_t i = 0; i < 200; ++i)
                shmem.p(1, data + 8 * i, std::uint64_t{i} * i);
            EXPECT_TRUE(shmem.quiet().ok());
            EXPECT_LT(shmem.process().now() - start, 200 * 1_us) << "they overlap";
        },
        [](Shmem& shmem, Address data) {
            for (std::uint32_t i = 0; i < 200; ++i)
                EXPECT_EQ(shmem.process().value<std::uint64_t>(data + 8 * i), i * i);
        });
}

TEST(Shmem, MovesWhatLiesApart) {
    between_two(
        [](Shmem& shmem, Address data) {
            Process& process = shmem.process();
            // Every third of here to every second of there, and back to another place.
            EXPECT_TRUE(
                shmem
                    .iput(1,
                          {.from = data, .at = data, .from_stride = 3, .at_stride = 2, .count = 10})
                    .ok());
            EXPECT_TRUE(shmem
                            .iget(1, {.from = data + 8,
                                      .at = data + 2048,
                                      .from_stride = 2,
                                      .at_stride = 1,
                                      .count = 10})
                            .ok());
            for (std::uint32_t i = 0; i < 10; ++i)
                EXPECT_EQ(process.value<std::uint64_t>(data + 2048 + 8 * i), 1001 + 2 * i);
        },
        [](Shmem& shmem, Address data) {
            for (std::uint32_t i = 0; i < 20; ++i)
                EXPECT_EQ(shmem.process().value<std::uint64_t>(data + 8 * i),
                          i % 2 == 0 ? i / 2 * 3 : 1000 + i);
        });
}

// DMAs overtake each other: the flag is behind the data only because of the fence.
TEST(Shmem, AFenceKeepsAFlagBehindItsData) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        const Address data = shmem.allocate(32 << 10);
        const Address flag = shmem.allocate(8);
        process.engine().sleep_until(Time::at(100_us));
        if (process.self() == 0) {
            process.store(data, pattern(32 << 10));
            shmem.start_put(1, data, data, 32 << 10);
            EXPECT_TRUE(shmem.fence().ok());
            shmem.p(1, flag, std::uint64_t{1});
            EXPECT_TRUE(shmem.quiet().ok());
        } else {
            shmem.wait(flag, std::uint64_t{0});
            std::vector<std::byte> bytes(32 << 10);
            process.load(data, bytes);
            EXPECT_EQ(bytes, pattern(32 << 10));
        }
        process.engine().sleep_until(Time::at(1_ms));
    });
}

TEST(Shmem, WaitsByAllComparisons) {
    struct Case {
        Compare compare;
        std::int32_t value;
        std::int32_t expected;  ///< of -2, -1, 0, 1, 2, in this order, the first that ends it
    };
    for (const Case each : {Case{Compare::eq, 1, 1},
                            {Compare::ne, -2, -1},
                            {Compare::gt, 0, 1},
                            {Compare::ge, 0, 0},
                            {Compare::lt, -1, -2},
                            {Compare::le, 1, -2}}) {
        Cluster cluster(2);
        cluster.run([&](Process& process) {
            Shmem shmem(process);
            const Address word = shmem.allocate(4);
            process.put_value(word, std::int32_t{each.compare == Compare::ne ? -2 : 5});
            if (each.compare == Compare::gt || each.compare == Compare::ge)
                process.put_value(word, std::int32_t{-5});
            process.engine().sleep_until(Time::at(100_us));
            if (process.self() == 0) {
                for (std::int32_t value = -2; value <= 2; ++value) {
                    shmem.p(1, word, value);
                    EXPECT_TRUE(shmem.quiet().ok());
                    process.spend(20_us);
                }
            } else {
                shmem.wait_until(word, each.compare, each.value);
                EXPECT_EQ(process.value<std::int32_t>(word), each.expected);
            }
            process.engine().sleep_until(Time::at(1_ms));
        });
    }
}

TEST(Shmem, QuietIsOneWaitForAll) {
    between_two(
        [](Shmem& shmem, Address data) {
            for (std::uint32_t i = 0; i < 32; ++i)
                shmem.start_get(1, data + 8 * i, data + 2048 + 8 * i, 8);
            shmem.process().spend(100_us);
            const Duration before = shmem.process().worked();
            EXPECT_TRUE(shmem.quiet().ok());
            EXPECT_LT(shmem.process().worked() - before, 1_us) << "32 are taken by one look";
            EXPECT_EQ(shmem.process().value<std::uint64_t>(data + 2048 + 8 * 31), 1031U);
            EXPECT_TRUE(shmem.quiet().ok()) << "and then there is nothing";
        },
        [](Shmem&, Address) {});
}

TEST(Shmem, TellsOfFailureOnce) {
    between_two(
        [](Shmem& shmem, Address data) {
            shmem.start_put(1, data, 0xF0000000, 8);
            EXPECT_EQ(shmem.quiet(), Code::no_right);
            EXPECT_EQ(shmem.put(1, data, 0xF0000000, 8), Code::no_right);
            EXPECT_TRUE(shmem.quiet().ok());
            EXPECT_TRUE(shmem.put(1, data, data, 8).ok()) << "the next is not affected";
        },
        [](Shmem& shmem, Address data) {
            EXPECT_EQ(shmem.process().value<std::uint64_t>(data), 0U);
        });
}

// Two processes of a node share its memory; their adapter has no part in it.
TEST(Shmem, PtrIsOfOneNode) {
    sim::Engine engine;
    elan::Machine machine(engine, {});
    const auto job = machine.add_job({0, 0, 1});
    for (Vpid vpid = 0; vpid < 3; ++vpid)
        engine.spawn("process", [&, vpid] {
            Process process(machine, job, vpid);
            Shmem shmem(process);
            const Address word = shmem.allocate(8);
            process.engine().sleep_until(Time::at(100_us));
            if (vpid == 0) {
                EXPECT_FALSE(shmem.ptr(2));
                auto memory = shmem.ptr(1);
                ASSERT_TRUE(memory);
                const std::uint64_t packets = process.adapter().dma().packets();
                const std::uint64_t value = 7;
                EXPECT_TRUE(memory->store(word, std::as_bytes(std::span(&value, 1))));
                std::uint64_t back = 0;
                EXPECT_TRUE(memory->load(word, std::as_writable_bytes(std::span(&back, 1))));
                EXPECT_EQ(back, 7U);
                EXPECT_FALSE(memory->store(0xF0000000, std::as_bytes(std::span(&value, 1))));
                EXPECT_EQ(process.adapter().dma().packets(), packets);
            } else if (vpid == 1) {
                shmem.wait(word, std::uint64_t{0});
                EXPECT_LT(process.now(), Time::at(101_us));
            }
            process.engine().sleep_until(Time::at(1_ms));
        });
    engine.run();
}

// LB-1: a job on Tports and one on Elan3lib on the same adapters, each undisturbed by the other.
TEST(Shmem, LevelsRunSideBySide) {
    Cluster cluster(2);
    const auto other = cluster.machine.add_job({0, 1});
    int done = 0;
    for (Vpid vpid = 0; vpid < 2; ++vpid)
        cluster.engine.spawn("shmem", [&, vpid] {
            Process process(cluster.machine, other, vpid);
            Shmem shmem(process);
            const Address data = shmem.allocate(1 << 16);
            process.engine().sleep_until(Time::at(100_us));
            if (vpid == 0) {
                EXPECT_TRUE(shmem.put(1, data, data, 1 << 16).ok());
            }
            process.engine().sleep_until(Time::at(2_ms));
            ++done;
        });
    cluster.run([&](Process& process) {
        Tport port(process);
        const Address buffer = process.allocate(elan3::Home::main, 64);
        process.store(buffer, pattern(64, process.self()));
        process.engine().sleep_until(Time::at(100_us));
        for (int i = 0; i < 10; ++i) {
            if (process.self() == 0) {
                EXPECT_TRUE(port.send(1, 1, buffer, 64).ok());
            } else {
                EXPECT_TRUE(port.receive({0, 1}, buffer, 64).status.ok());
            }
        }
        process.engine().sleep_until(Time::at(2_ms));
        ++done;
    });
    EXPECT_EQ(done, 4);
}

}  // namespace
}  // namespace railyard::elanlib
