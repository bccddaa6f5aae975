// Who may reach what: CX-1 to CX-4, GV-1, GV-3 and GV-6, LB-3.

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;

/// Process 0 writes there, and hears what became of it.
Status write_to(Process& process, Vpid to, Address at, std::uint32_t size = 64) {
    const Address from = process.allocate(Home::main, size);
    process.store(from, pattern(size));
    const Event done = process.make_event();
    process.put(to, from, at, size, {.source = done.address});
    return process.wait(done);
}
Status read_from(Process& process, Vpid from, Address at, std::uint32_t size = 64) {
    const Address to = process.allocate(Home::main, size);
    process.store(to, pattern(size));
    const Event done = process.make_event();
    process.get(from, at, to, size, {.source = elan::null_address, .destination = done.address});
    return process.wait(done);
}

// CX-1: the same address means different memory in each context of one adapter.
TEST(Elan3Context, SelectsTheTables) {
    Cluster cluster(1);
    const auto job = cluster.machine.add_job({0, 1, 1});
    std::array<Address, 3> at{};
    for (Vpid vpid = 0; vpid < 3; ++vpid)
        cluster.engine.spawn("process", [&, vpid] {
            Process process(cluster.machine, job, vpid);
            at[vpid] = process.allocate(Home::main, 64);
            process.put_value(at[vpid], std::uint32_t{0});
            process.engine().sleep_until(Time::at(50_us));
            if (vpid == 0) {
                EXPECT_TRUE(write_to(process, 2, at[2]).ok());
            }
            process.engine().sleep_until(Time::at(500_us));
            if (vpid == 1) {
                EXPECT_EQ(process.value<std::uint32_t>(at[1]), 0U);
            }
            if (vpid == 2) {
                EXPECT_NE(process.value<std::uint32_t>(at[2]), 0U);
            }
        });
    cluster.engine.run();
    EXPECT_EQ(at[1], at[2]);
    EXPECT_NE(job->processes[1].context, job->processes[2].context);
}

class Elan3Threads : public ::testing::TestWithParam<Wait> {};
INSTANTIATE_TEST_SUITE_P(Waits, Elan3Threads,
                         ::testing::Values(Wait::poll, Wait::busy, Wait::block));

// CX-2: three threads of a process, each in its own fiber, have one context: all put and wait, at
// the same time, and each hears of its own.
TEST_P(Elan3Threads, ShareOneContext) {
    static constexpr int rounds = 10;
    static constexpr std::uint32_t size = 3000;
    Cluster cluster(2);
    Address at = 0;
    std::array<int, 3> heard{};
    cluster.run([&](Process& process) {
        if (process.self() == 1) {
            at = process.allocate(Home::main, size * 3);
            process.store(at, std::vector<std::byte>(size * 3));
            return process.engine().sleep_until(Time::at(3_ms));
        }
        process.engine().sleep_until(Time::at(50_us));
        const Address from = process.allocate(Home::main, size);
        process.store(from, pattern(size));
        const auto thread = [&process, &heard, from, at](std::uint32_t self) {
            const Event done = process.make_event();
            for (int i = 0; i < rounds; ++i) {
                process.put(1, from, at + self * size, size, {.source = done.address});
                EXPECT_TRUE(process.wait(done, GetParam()).ok());
                process.prime(done);
                ++heard[self];
            }
        };
        for (const std::uint32_t self : {1U, 2U})
            process.engine().spawn("another thread", [thread, self] { thread(self); });
        thread(0);
        process.engine().sleep_until(Time::at(2_ms));
    });
    EXPECT_THAT(heard, ::testing::Each(rounds));
}

// CX-3: a parcel that names a context of another job is refused by the adapter.
TEST(Elan3Context, KeepsJobsApart) {
    Cluster cluster(2);
    const auto other = cluster.machine.add_job({0, 1});
    Address target = 0;
    cluster.engine.spawn("victim", [&] {
        Process process(cluster.machine, other, 1);
        target = process.allocate(Home::main, 64);
        process.put_value(target, std::uint32_t{1});
        process.engine().sleep_until(Time::at(300_us));
        EXPECT_EQ(process.value<std::uint32_t>(target), 1U);
    });
    // A job whose list of processes claims the victim's context for its own.
    auto forged = std::make_shared<elan::Job>(*cluster.job);
    forged->processes[1] = other->processes[1];
    const auto free =
        static_cast<elan::ContextId>(cluster.machine.adapter(0).chip().contexts.size());
    forged->processes[0].context = free;
    cluster.machine.adapter(0).open(forged, 0, free);
    cluster.engine.spawn("intruder", [&] {
        Process process(cluster.machine, forged, 0);
        process.engine().sleep_until(Time::at(50_us));
        EXPECT_EQ(write_to(process, 1, target), Code::refused);
        EXPECT_EQ(read_from(process, 1, target), Code::refused);
    });
    cluster.engine.run();
}

// CX-4: software and hardware find node and context by the VPID.
TEST(Elan3Context, AVpidNamesNodeAndContext) {
    sim::Engine engine;
    elan::Machine machine(engine, {});
    machine.add_job({9, 9});
    const auto job = machine.add_job({4, 9, 9, 2});
    EXPECT_EQ(job->processes[2].node, 9U);
    EXPECT_EQ(machine.context(*job, 2).self, 2U);
    EXPECT_EQ(machine.context(*job, 2).id, job->processes[2].context);
    EXPECT_NE(machine.context(*job, 1).id, machine.context(*job, 2).id);
    EXPECT_EQ(machine.context(*job, 3).routes().node_of(1), 9U);
    EXPECT_THROW(machine.add_job({16}), UsageError);
}

// GV-1, LB-3 and RC-5: no registration before, no copy, no system call: a buffer that was just
// written.
TEST(Elan3GlobalMemory, NeedsNoRegistration) {
    Cluster cluster(2);
    Address target = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 1) {
            target = process.allocate(Home::main, 4096);
            process.store(target, pattern(4096, 9));
            return process.engine().sleep_until(Time::at(300_us));
        }
        process.engine().sleep_until(Time::at(50_us));
        const Address from = process.allocate(Home::main, 4096);
        process.store(from, pattern(4096));
        const Event done = process.make_event();
        const Duration before = process.worked();
        process.put(1, from, target, 4096, {.source = done.address});
        EXPECT_TRUE(process.wait(done).ok());
        // A descriptor, a command and a look: a copy of 4 KB would take ten microseconds.
        EXPECT_LT(process.worked() - before, 1_us);
    });
}

// GV-3: after the owner remaps a page, the adapter sees the new one; after it unmaps it, none.
TEST(Elan3GlobalMemory, FollowsTheHostsMapping) {
    Cluster cluster(2);
    std::vector<std::byte> first(elan::page_size);
    std::vector<std::byte> second(elan::page_size);
    Address target = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 1) {
            target = process.map(first);
            process.engine().sleep_until(Time::at(200_us));
            process.unmap(target, elan::page_size);
            process.engine().sleep_until(Time::at(400_us));
            target = process.map(second);
            return process.engine().sleep_until(Time::at(1_ms));
        }
        process.engine().sleep_until(Time::at(100_us));
        EXPECT_TRUE(write_to(process, 1, target).ok());
        EXPECT_NE(first[1], std::byte{});
        std::fill(first.begin(), first.end(), std::byte{});
        process.engine().sleep_until(Time::at(300_us));
        EXPECT_EQ(write_to(process, 1, target), Code::out_of_bounds);
        EXPECT_EQ(read_from(process, 1, target), Code::out_of_bounds);
        process.engine().sleep_until(Time::at(500_us));
        EXPECT_TRUE(write_to(process, 1, target).ok());
        EXPECT_NE(second[1], std::byte{});
        EXPECT_EQ(first[1], std::byte{});
    });
}

// GV-6, over the network: rights and partners.
TEST(Elan3GlobalMemory, RefusesWhatIsNotExposed) {
    Cluster cluster(3);
    Address target = 0;
    cluster.run([&](Process& process) {
        if (process.self() == 2) {
            target = process.allocate(Home::main, 3 * elan::page_size);
            process.store(target, pattern(3 * elan::page_size, 9));
            process.expose({target, target + elan::page_size - 1, true, false, {}});
            process.expose({target + elan::page_size, target + 2 * elan::page_size - 1, true, true,
                            std::set<Vpid>{0}});
            return process.engine().sleep_until(Time::at(1_ms));
        }
        process.engine().sleep_until(Time::at(200_us));
        EXPECT_EQ(write_to(process, 2, target), Code::no_right);
        EXPECT_TRUE(read_from(process, 2, target).ok());
        const Address partners = target + elan::page_size;
        const Status expected = process.self() == 0 ? Status() : Status(Code::no_right);
        EXPECT_EQ(write_to(process, 2, partners), expected);
        EXPECT_EQ(read_from(process, 2, partners), expected);
        EXPECT_TRUE(write_to(process, 2, target + 2 * elan::page_size).ok());
        EXPECT_EQ(write_to(process, 2, 0x7000'0000), Code::no_right);
    });
}

}  // namespace
}  // namespace railyard::elan3
