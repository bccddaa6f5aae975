// Remote DMA: RD-1 to RD-8, EL-5 and EL-6.

#include <gmock/gmock.h>

#include <map>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;
using elan::Journal;
using elan::Step;

/// What two processes tell each other before they start: where the buffer and the event are.
struct Meeting {
    std::array<Address, 2> buffer{};
    std::array<Event, 2> event{};
};

class Elan3Dma : public ::testing::Test {
  protected:
    Elan3Dma() { cluster.machine.keep_journal(&journal); }

    /// Both make a buffer and an event; then process 0 acts, and process 1 reacts.
    void meet(std::uint32_t size, const std::function<void(Process&)>& zero,
              const std::function<void(Process&)>& one = {}) {
        cluster.run([&](Process& process) {
            at.buffer[process.self()] = process.allocate(Home::main, std::max(size, 64U));
            process.store(at.buffer[process.self()], pattern(size, process.self()));
            at.event[process.self()] = process.make_event();
            process.engine().sleep_until(Time::at(50_us));
            if (process.self() == 0) zero(process);
            if (process.self() == 1 && one) one(process);
            process.engine().sleep_until(Time::at(5_ms));
        });
    }
    std::vector<Step> steps(elan::DmaId which) const {
        std::vector<Step> found;
        for (const Journal::Line& line : journal.lines)
            if (line.dma == which) found.push_back(line.step);
        return found;
    }
    Time time_of(elan::DmaId which, Step step) const {
        for (const Journal::Line& line : journal.lines)
            if (line.dma == which && line.step == step) return line.at;
        return Time::never();
    }
    std::vector<std::byte> read(Process& process, Address address, std::size_t size) {
        std::vector<std::byte> bytes(size);
        process.load(address, bytes);
        return bytes;
    }

    Cluster cluster{2};
    Journal journal;
    Meeting at;
    elan::DmaId dma = 0;
};

// RD-1, and RD-2 with both events: all thirteen, those of each side in their order.
TEST_F(Elan3Dma, TakesThirteenSteps) {
    meet(
        1000,
        [&](Process& process) {
            dma = process.put(1, at.buffer[0], at.buffer[1], 1000,
                              {at.event[0].address, at.event[1].address});
            EXPECT_TRUE(process.wait(at.event[0]).ok());
        },
        [&](Process& process) {
            EXPECT_TRUE(process.wait(at.event[1]).ok());
            EXPECT_EQ(read(process, at.buffer[1], 1000), pattern(1000, 0));
        });
    const std::vector<Step> seen = steps(dma);
    EXPECT_EQ(seen.size(), 13U);
    for (int i = 1; i <= 7; ++i)
        EXPECT_EQ(static_cast<int>(seen[static_cast<std::size_t>(i - 1)]), i);
    for (const int first : {8, 11})
        for (int i = first; i < first + 2; ++i)
            EXPECT_LT(time_of(dma, static_cast<Step>(i)), time_of(dma, static_cast<Step>(i + 1)));
}

// RD-2: either, or none.
TEST_F(Elan3Dma, NotifiesOnlyEventsThatAreNamed) {
    std::array<elan::DmaId, 3> made{};
    meet(64, [&](Process& process) {
        made[0] = process.put(1, at.buffer[0], at.buffer[1], 64, {});
        made[1] = process.put(1, at.buffer[0], at.buffer[1], 64, {.source = at.event[0].address});
        (void)process.wait(at.event[0]);
        made[2] = process.put(1, at.buffer[0], at.buffer[1], 64,
                              {.source = elan::null_address, .destination = at.event[1].address});
    });
    EXPECT_EQ(steps(made[0]).back(), Step::acknowledge);
    EXPECT_THAT(steps(made[1]), ::testing::Contains(Step::source_seen));
    EXPECT_THAT(steps(made[1]), ::testing::Not(::testing::Contains(Step::destination_event)));
    EXPECT_THAT(steps(made[2]), ::testing::Contains(Step::destination_seen));
    EXPECT_THAT(steps(made[2]), ::testing::Not(::testing::Contains(Step::source_event)));
}

// RD-3: for short and long ones.
TEST_F(Elan3Dma, TheSourceEventComesAfterTheAcknowledgment) {
    for (const std::uint32_t size : {0U, 64U, 5000U}) {
        journal.lines.clear();
        Cluster other(2);
        other.machine.keep_journal(&journal);
        other.run([&](Process& process) {
            at.buffer[process.self()] = process.allocate(Home::main, 8192);
            const Event event = process.make_event();
            process.engine().sleep_until(Time::at(50_us));
            if (process.self() == 0) {
                dma = process.put(1, at.buffer[0], at.buffer[1], size, {.source = event.address});
                EXPECT_TRUE(process.wait(event).ok());
            }
            process.engine().sleep_until(Time::at(1_ms));
        });
        EXPECT_LT(time_of(dma, Step::acknowledge), time_of(dma, Step::source_event)) << size;
    }
}

// RD-4: a process that sees the event sees all bytes, whatever the length.
TEST_F(Elan3Dma, AllBytesAreThereWhenTheDestinationEventFires) {
    for (const std::uint32_t size : {1U, 63U, 64U, 65U, 320U, 321U, 4096U, 70'001U}) {
        Cluster other(2);
        Meeting here;
        other.run([&](Process& process) {
            const Vpid self = process.self();
            here.buffer[self] = process.allocate(Home::main, size + 64) + 7 * self;
            process.store(here.buffer[self], pattern(size, self));
            here.event[self] = process.make_event();
            process.engine().sleep_until(Time::at(50_us));
            if (self == 0) {
                process.put(1, here.buffer[0], here.buffer[1], size,
                            {here.event[0].address, here.event[1].address});
                (void)process.wait(here.event[0]);
            } else {
                EXPECT_TRUE(process.wait(here.event[1]).ok());
                EXPECT_EQ(read(process, here.buffer[1], size), pattern(size, 0)) << size;
            }
        });
    }
}

// RD-5
TEST_F(Elan3Dma, ABadDescriptorStopsAtTheCheck) {
    meet(64, [&](Process& process) {
        dma = process.put(7, at.buffer[0], at.buffer[1], 64, {});           // no such process
        process.put(1, 0x4000'0000, at.buffer[1], 64, {});                  // no such memory
        process.put(1, at.buffer[0], at.buffer[1], 64, {at.buffer[0], 0});  // no event
        elan::Descriptor foreign;
        foreign.source = 1;  // the memory of somebody else
        foreign.source_address = at.buffer[1];
        process.start(foreign);
        process.engine().sleep_until(Time::at(100_us));
        EXPECT_THAT(process.troubles(), ::testing::ElementsAre(Code::invalid, Code::out_of_bounds,
                                                               Code::bad_key, Code::invalid));
    });
    EXPECT_THAT(steps(dma),
                ::testing::ElementsAre(Step::write_descriptor, Step::give_command, Step::check));
    EXPECT_EQ(cluster.machine.network().counters().sent, 0U);
}

// RD-6 and EL-6: after the command the processor has nothing to do, and there is no system call.
TEST_F(Elan3Dma, CostsTheHostNothingAfterTheCommand) {
    meet(1 << 16, [&](Process& process) {
        const Duration before = process.worked();
        process.put(1, at.buffer[0], at.buffer[1], 1 << 16, {.source = at.event[0].address});
        const elan::HostCosts& costs = cluster.machine.parameters().host;
        EXPECT_EQ(process.worked() - before, costs.descriptor + costs.command);
        (void)process.wait(at.event[0]);
        EXPECT_EQ(process.worked() - before, costs.descriptor + costs.command + costs.detect);
    });
}

// RD-7: one write-block transaction.
TEST_F(Elan3Dma, UpToABlockTakesTheSameTime) {
    std::map<std::uint32_t, Duration> took;
    meet(64, [&](Process& process) {
        for (const std::uint32_t size : {1U, 1U, 2U, 17U, 33U, 63U, 64U, 65U}) {
            const elan::DmaId id = process.put(1, at.buffer[0], at.buffer[1], size,
                                               {at.event[0].address, at.event[1].address});
            (void)process.wait(at.event[0]);
            process.prime(at.event[0]);
            process.spend(20_us);
            took[size] = time_of(id, Step::destination_event) - time_of(id, Step::write_descriptor);
            process.set(1, at.event[1].address);
            process.spend(20_us);
        }
    });
    for (const std::uint32_t size : {2U, 17U, 33U, 63U, 64U})
        EXPECT_EQ(took[size], took[1]) << size;
    EXPECT_GT(took[65], took[64]);
}

// RD-8
TEST_F(Elan3Dma, ReadsRemoteMemory) {
    meet(
        5000,
        [&](Process& process) {
            process.get(1, at.buffer[1], at.buffer[0], 5000,
                        {.source = at.event[1].address, .destination = at.event[0].address});
            EXPECT_TRUE(process.wait(at.event[0]).ok());
            EXPECT_EQ(read(process, at.buffer[0], 5000), pattern(5000, 1));
        },
        [&](Process& process) {
            // The owner of the data hears of it, and has spent nothing.
            const Duration before = process.worked();
            EXPECT_TRUE(process.wait(at.event[1]).ok());
            EXPECT_EQ(process.worked() - before, cluster.machine.parameters().host.detect);
        });
}

// EL-5: a small one behind a large one of the same priority waits for a slice, not for all of it.
TEST_F(Elan3Dma, SlicesLargeTransfers) {
    Duration small;
    Duration large;
    const std::uint32_t size = 1 << 18;
    meet(size, [&](Process& process) {
        const Event second = process.make_event();
        const Time start = process.now();
        process.put(1, at.buffer[0], at.buffer[1], size, {.source = at.event[0].address});
        process.put(1, at.buffer[0], at.buffer[1], 64, {.source = second.address});
        (void)process.wait(second);
        small = process.now() - start;
        (void)process.wait(at.event[0]);
        large = process.now() - start;
    });
    const elan::Parameters& parameters = cluster.machine.parameters();
    const Duration slice =
        Bytes(elan::packet_data) * parameters.slice / Rate::bytes_per_second(300'000'000);
    EXPECT_LT(small, slice + 10_us);
    EXPECT_GT(large, slice * 20);
}

// EL-5: what has priority goes before all that waits, and before the rest of what is under way.
TEST_F(Elan3Dma, ServesPriorityFirst) {
    std::vector<int> order;
    const std::uint32_t size = 1 << 16;
    meet(size, [&](Process& process) {
        std::array<Event, 3> done = {process.make_event(), process.make_event(),
                                     process.make_event()};
        for (int i = 0; i < 2; ++i)
            process.put(1, at.buffer[0], at.buffer[1], size, {.source = done[i].address});
        process.put(1, at.buffer[0], at.buffer[1], size,
                    {.source = done[2].address,
                     .destination = elan::null_address,
                     .priority = elite::Priority::high});
        while (order.size() < 3)
            for (int i = 0; i < 3; ++i)
                if (process.poll(done[i])) order.push_back(i);
    });
    EXPECT_EQ(order.front(), 2);
}

// A destination page that nobody has touched is bound on the way (GV-4), and nothing is lost.
TEST_F(Elan3Dma, FaultsOnBothSidesAreMended) {
    Address source = 0;
    Address target = 0;
    cluster.run([&](Process& process) {
        const Address buffer = process.allocate(Home::main, 3 * elan::page_size);
        (process.self() == 0 ? source : target) = buffer;
        const Event event = process.make_event();
        if (process.self() == 0) process.put_value(buffer, std::uint32_t{77});
        process.engine().sleep_until(Time::at(50_us));
        if (process.self() != 0) return process.engine().sleep_until(Time::at(5_ms));
        process.put(1, source, target, 3 * elan::page_size, {.source = event.address});
        EXPECT_TRUE(process.wait(event).ok());
    });
    std::uint32_t value = 0;
    EXPECT_TRUE(cluster.machine.context(*cluster.job, 1)
                    .space.load(target, std::as_writable_bytes(std::span(&value, 1))));
    EXPECT_EQ(value, 77U);
    EXPECT_GT(cluster.machine.adapter(0).sender().retries(), 0U);
}

}  // namespace
}  // namespace railyard::elan3
