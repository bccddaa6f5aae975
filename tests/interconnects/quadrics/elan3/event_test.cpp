// Events: EV-1 to EV-6; and code on the thread processor, EL-7.

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;

// EV-1: an event is in Elan memory. A word of main memory is none.
TEST(Elan3Event, LivesInElanMemory) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        const Event event = process.make_event();
        EXPECT_EQ(process.context().space.home_of(event.address), Home::sdram);
        if (process.self() != 0) return;
        const Address main = process.allocate(Home::main, 64);
        process.set(0, main);
        process.engine().sleep_until(Time::at(50_us));
        EXPECT_THAT(process.troubles(), ::testing::ElementsAre(Code::bad_key));
    });
}

// EV-2: by a process, from here and from afar, by an adapter's thread, and by a packet of data.
TEST(Elan3Event, IsSetByAnybody) {
    Cluster cluster(2);
    Address target = 0;
    Address buffer = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 1) {
            const Event event = process.make_event();
            target = event.address;
            buffer = process.allocate(Home::main, 64);
            process.put_value(buffer, 0);
            for (int i = 0; i < 4; ++i) {
                EXPECT_TRUE(process.wait(event).ok());
                process.prime(event);
            }
            return;
        }
        const Address mine = process.allocate(Home::main, 64);
        process.put_value(mine, 0);
        process.engine().sleep_until(Time::at(50_us));
        process.set(1, target);
        process.spend(20_us);
        process.put(1, mine, buffer, 64, {.source = elan::null_address, .destination = target});
        process.spend(20_us);
        process.start_thread("setter", [&](elan::Thread& thread) { thread.set_event(1, target); });
        process.spend(20_us);
        // A thread on the other adapter, for its own process.
        cluster.machine.adapter(1).threads().start(
            cluster.machine.context(*cluster.job, 1), "local setter",
            [&](elan::Thread& thread) { thread.set_event(1, target); });
        process.spend(20_us);
    });
}

class Elan3Waits : public ::testing::TestWithParam<Wait> {};
INSTANTIATE_TEST_SUITE_P(All, Elan3Waits, ::testing::Values(Wait::poll, Wait::busy, Wait::block));

// EV-3: all three see the same completion, once.
TEST_P(Elan3Waits, SeeTheSame) {
    Cluster cluster(2);
    Address target = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 0) {
            process.engine().sleep_until(Time::at(100_us));
            process.set(1, target);
            process.engine().sleep_until(Time::at(200_us));
            process.set(1, target);
            return process.engine().sleep_until(Time::at(1_ms));
        }
        const Event event = process.make_event();
        target = event.address;
        for (int i = 1; i <= 2; ++i) {
            EXPECT_TRUE(process.wait(event, GetParam()).ok());
            EXPECT_GT(process.now(), Time::at(100_us * i));
            EXPECT_LT(process.now(), Time::at(100_us * i + 20_us));
            EXPECT_FALSE(process.poll(event));
            process.prime(event);
        }
    });
}

// EV-3: a process that blocks gives up its processor and pays for an interrupt.
TEST(Elan3Event, BlockingIsDearerAndBusyOnlyTheBus) {
    std::map<Wait, Duration> took;
    for (const Wait how : {Wait::poll, Wait::busy, Wait::block}) {
        Cluster cluster(1);
        cluster.run([&](Process& process) {
            const Event event = process.make_event();
            process.set(0, event.address);
            const Time start = process.now();
            (void)process.wait(event, how);
            took[how] = process.now() - start;
        });
    }
    EXPECT_GT(took[Wait::block], took[Wait::poll] + 10_us);
    EXPECT_LT(took[Wait::busy], took[Wait::poll] + 2_us);
}

// EV-4: two sources at the same picosecond; a counted event sees both.
TEST(Elan3Event, NoUpdateIsLost) {
    Cluster cluster(16);
    Address target = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 0) {
            const Event event = process.make_event({.sets = 15 * 3, .chain = {}});
            target = event.address;
            EXPECT_TRUE(process.wait(event).ok());
            EXPECT_EQ(process.context().events.at(event.address).fired, 1U);
            EXPECT_EQ(process.context().events.at(event.address).count, 0U);
            return;
        }
        process.engine().sleep_until(Time::at(50_us));
        for (int i = 0; i < 3; ++i)
            process.set(0, target);
    });
}

// EV-4: what comes before the event is armed again is counted.
TEST(Elan3Event, SetsBeforePrimingAreKept) {
    Cluster cluster(1);
    cluster.run([&](Process& process) {
        const Event event = process.make_event();
        for (int i = 0; i < 3; ++i)
            process.set(0, event.address);
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(process.wait(event).ok());
            process.prime(event);
        }
        process.spend(20_us);
        EXPECT_FALSE(process.poll(event));
    });
}

// EV-5: the prepared value, and only after the event. EV-6: until then, the bus is silent.
TEST(Elan3Event, ABlockIsCopiedToMainMemoryWhenItFires) {
    Cluster cluster(2);
    Address target = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 0) {
            process.engine().sleep_until(Time::at(100_us));
            process.set(1, target);
            return process.engine().sleep_until(Time::at(200_us));
        }
        const Event event = process.make_event({.chain = {}, .block = 8});
        target = event.address;
        process.put_value(event.block, std::uint64_t{0xfeed'0000'0001});
        process.spend(1_us);
        const elan::Resource& bus = process.adapter().chip().path.pci();
        const std::uint64_t before = bus.uses();
        while (process.now() < Time::at(100_us)) {
            EXPECT_FALSE(process.poll(event));
            EXPECT_EQ(process.value<std::uint64_t>(event.word), 0U);
        }
        EXPECT_EQ(bus.uses(), before);
        while (process.value<std::uint64_t>(event.word) == 0)
            process.spend(100_ns);
        EXPECT_EQ(process.value<std::uint64_t>(event.word), 0xfeed'0000'0001U);
        EXPECT_EQ(bus.uses(), before + 1);
        EXPECT_EQ(process.context().events.at(event.address).fired, 1U);
    });
}

// An event starts what is chained to it: here a DMA, whose event sets one of another process.
TEST(Elan3Event, ChainsOperations) {
    Cluster cluster(3);
    Address last = 0;
    Address buffer = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 2) {
            const Event event = process.make_event();
            last = event.address;
            EXPECT_TRUE(process.wait(event).ok());
            return;
        }
        if (process.self() == 1) {
            buffer = process.allocate(Home::main, 64);
            process.put_value(buffer, std::uint32_t{0});
            process.wait_for(buffer, 42);
            return process.engine().sleep_until(Time::at(200_us));
        }
        process.engine().sleep_until(Time::at(50_us));
        const Address mine = process.allocate(Home::main, 64);
        process.put_value(mine, std::uint32_t{42});
        const Event done =
            process.make_event({.chain = {{elan::Chained::Kind::set_event, 2, last}}});
        elan::Descriptor descriptor;
        descriptor.size = 4;
        descriptor.destination = 1;
        descriptor.source_address = mine;
        descriptor.destination_address = buffer;
        descriptor.source_event = done.address;
        const Address kept = process.allocate(Home::sdram, 64);
        process.put_value(kept, descriptor);
        const Event first = process.make_event({.chain = {{elan::Chained::Kind::dma, 0, kept}}});
        const Duration before = process.worked();
        process.set(0, first.address);
        process.engine().sleep_until(Time::at(200_us));
        // One command is all that the processor did.
        EXPECT_EQ(process.worked() - before, cluster.machine.parameters().host.command);
    });
}

// EL-7: an adapter's thread answers, over and over, while its host computes.
TEST(Elan3Thread, ServesWithoutTheHost) {
    Cluster cluster(2);
    std::array<Address, 2> event{};
    cluster.run([&](Process& process) {
        if (process.self() == 1) {
            const Event asked = process.make_event({.chain = {}, .for_thread = true});
            event[1] = asked.address;
            process.start_thread("echo", [&, asked](elan::Thread& thread) {
                for (;;) {
                    EXPECT_TRUE(thread.wait(asked.address).ok());
                    thread.compute(500_ns);
                    thread.set_event(0, event[0]);
                }
            });
            const Duration before = process.worked();
            process.engine().sleep_until(Time::at(500_us));
            EXPECT_EQ(process.worked(), before);
            return;
        }
        const Event answered = process.make_event();
        event[0] = answered.address;
        process.engine().sleep_until(Time::at(50_us));
        for (int i = 0; i < 10; ++i) {
            process.set(1, event[1]);
            EXPECT_TRUE(process.wait(answered).ok());
            process.prime(answered);
        }
        EXPECT_LT(process.now(), Time::at(500_us));
    });
}

// EL-1: four roles, all of which have had their turn after a DMA and a thread.
TEST(Elan3Thread, TheMicrocodeHasFourThreads) {
    Cluster cluster(1);
    cluster.run([&](Process& process) {
        const Event event = process.make_event({.chain = {}, .for_thread = true});
        process.start_thread("waiter", [event](elan::Thread& thread) {
            EXPECT_TRUE(thread.wait(event.address).ok());
        });
        process.put(0, event.address, event.address, 0,
                    {.source = elan::null_address, .destination = event.address});
        process.spend(50_us);
        const elan::Microcode& microcode = process.adapter().chip().microcode;
        EXPECT_EQ(elan::role_names.size(), 4U);
        for (const elan::Role role :
             {elan::Role::inputter, elan::Role::dma, elan::Role::scheduler, elan::Role::command})
            EXPECT_GT(microcode.steps(role), 0U);
    });
}

// One computes at a time.
TEST(Elan3Thread, ShareOneProcessor) {
    Cluster cluster(1);
    std::vector<Time> ends;
    cluster.run([&](Process& process) {
        for (int i = 0; i < 3; ++i)
            process.start_thread("worker", [&](elan::Thread& thread) {
                thread.compute(10_us);
                ends.push_back(thread.engine().now());
            });
        process.spend(100_us);
    });
    ASSERT_EQ(ends.size(), 3U);
    EXPECT_EQ(ends[1] - ends[0], 10_us);
    EXPECT_EQ(ends[2] - ends[1], 10_us);
}

}  // namespace
}  // namespace railyard::elan3
