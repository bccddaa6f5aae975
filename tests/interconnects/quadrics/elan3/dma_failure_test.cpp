// Remote DMAs that fail, and whom that concerns: GV-3, RD-8 and FA-8.

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;

/// A long put from memory that is mapped, a short one queued behind it, and a moment in the midst
/// of the long one.
class Elan3Unmapping : public ::testing::TestWithParam<int> {
  protected:
    static constexpr std::uint32_t size = 64 << 10;
    static constexpr std::uint32_t short_size = 4000;

    void run(const std::function<void(Process&, Address)>& then) {
        cluster.run([&](Process& process) {
            if (process.self() == 1) return receive(process);
            const Address mapped = process.map(memory);
            const Address other = process.allocate(Home::main, short_size);
            process.store(other, pattern(short_size, 5));
            const Event first = process.make_event();
            const Event second = process.make_event();
            process.engine().sleep_until(Time::at(500_us));
            process.put(1, mapped, target, size, {.source = first.address});
            process.put(1, other, target + size, short_size, {.source = second.address});
            process.engine().schedule(process.now() + 5_us + 700_ns * GetParam(),
                                      [&] { then(process, mapped); });
            short_status = process.wait(second);
            long_status = process.wait(first);
        });
    }
    void receive(Process& process) {
        target = process.allocate(Home::main, size + short_size);
        process.store(target, std::vector<std::byte>(size + short_size));
        process.engine().sleep_until(Time::at(3_ms));
        long_data.resize(size);
        short_data.resize(short_size);
        process.load(target, long_data);
        process.load(target + size, short_data);
    }

    Cluster cluster{2};
    std::vector<std::byte> memory = pattern(size, 3);
    std::vector<std::byte> moved = memory;
    Address target = 0;
    Status long_status = Code::again;
    Status short_status = Code::again;
    std::vector<std::byte> long_data;
    std::vector<std::byte> short_data;
};
INSTANTIATE_TEST_SUITE_P(Moments, Elan3Unmapping, ::testing::Range(0, 40));

// GV-3: memory that goes away while it is read fails its own DMA, and no other.
TEST_P(Elan3Unmapping, FailsThatDmaAlone) {
    run([](Process& process, Address mapped) { process.unmap(mapped, size); });
    EXPECT_EQ(long_status, Code::out_of_bounds);
    EXPECT_TRUE(short_status.ok());
    EXPECT_EQ(short_data, pattern(short_size, 5));
}

// GV-3: memory that is mapped anew at the same place is read where it now is.
TEST_P(Elan3Unmapping, ReadsWhatIsMappedThereNow) {
    run([this](Process& process, Address mapped) {
        process.unmap(mapped, size);
        std::fill(memory.begin(), memory.end(), std::byte{});
        EXPECT_EQ(process.map(moved), mapped);
    });
    EXPECT_TRUE(long_status.ok());
    EXPECT_TRUE(short_status.ok());
    EXPECT_EQ(long_data, moved);
    EXPECT_EQ(short_data, pattern(short_size, 5));
}

class Elan3FailedRead : public ::testing::TestWithParam<elite::NodeId> {};
INSTANTIATE_TEST_SUITE_P(NodeOfTheData, Elan3FailedRead, ::testing::Values(0, 1));

// RD-8: who asked hears that the data could not be had, on the own node, too; and only who asked.
TEST_P(Elan3FailedRead, IsToldToTheOneWhoAsked) {
    Cluster cluster(1);
    cluster.job = cluster.machine.add_job({0, GetParam()});
    std::vector<std::byte> memory(100);
    Address at = 0;
    cluster.run([&](Process& process) {
        const Event done = process.make_event();
        const Event failed = process.make_event();  // at the same address in both
        if (process.self() == 1) {
            at = process.map(memory);
            process.engine().sleep_until(Time::at(1_ms));
            EXPECT_EQ(process.context().events.at(failed.address).fired, 0U);
            EXPECT_THAT(process.troubles(), ::testing::ElementsAre(Code::out_of_bounds));
            return;
        }
        elan::Descriptor descriptor;
        descriptor.direction = elan::Direction::read;
        descriptor.size = 200;  // more than there is
        descriptor.source = 1;
        descriptor.destination_address = process.allocate(Home::main, 200);
        descriptor.destination_event = done.address;
        descriptor.failure_event = failed.address;
        process.store(descriptor.destination_address, pattern(200));
        process.engine().sleep_until(Time::at(100_us));
        descriptor.source_address = at;
        process.start(descriptor);
        process.engine().sleep_until(Time::at(500_us));
        EXPECT_EQ(process.context().events.at(done.address).fired, 1U);
        EXPECT_EQ(process.status(done), Code::out_of_bounds);
    });
}

// FA-8: a way that breaks under a read for longer than its source is patient. The last packet may
// have got there, with its event, and its token not: the event of the one who asked fires once.
TEST(Elan3FailedReads, SetTheEventOnce) {
    int failures = 0;
    int duplicates = 0;
    for (int phase = 0; phase < 120; ++phase) {
        Cluster cluster(2);
        const Duration from = 50_us + 70_ns * phase;
        cluster.machine.network().break_part(elite::Part::cable(1), Time::at(from),
                                             Time::at(from + 100_us));
        Address at = 0;
        cluster.run([&](Process& process) {
            const Address buffer = process.allocate(Home::main, 900);
            process.store(buffer, pattern(900, process.self()));
            const Event done = process.make_event();
            if (process.self() == 1) at = buffer;
            process.engine().sleep_until(Time::at(50_us));
            if (process.self() == 0)
                process.get(1, at, buffer, 900,
                            {.source = elan::null_address, .destination = done.address});
            process.engine().sleep_until(Time::at(1_ms));
            if (process.self() != 0) return;
            EXPECT_EQ(process.context().events.at(done.address).fired, 1U) << phase;
            if (!process.status(done).ok()) {
                ++failures;
                return;
            }
            std::vector<std::byte> bytes(900);
            process.load(buffer, bytes);
            EXPECT_EQ(bytes, pattern(900, 1)) << phase;
        });
        duplicates += static_cast<int>(cluster.machine.adapter(0).inputter().duplicates());
    }
    EXPECT_GT(failures, 0);
    EXPECT_GT(duplicates, 0) << "no break hit a token: shift the phases";
}

}  // namespace
}  // namespace railyard::elan3
