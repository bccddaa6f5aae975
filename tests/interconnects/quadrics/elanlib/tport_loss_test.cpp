// Tagged messages that are lost, and those behind them: TP-7 under faults.

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "interconnects/quadrics/elanlib/tport.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::Home;
using elan3::pattern;
using elan3::Process;

// One that is lost is told to its sender; those behind it get there, and are received.
TEST(TportLoss, HoldsNobodyUp) {
    for (const std::uint32_t size : {64U, 2000U}) {
        Cluster cluster(2);
        cluster.machine.network().break_part(elite::Part::cable(1), Time::at(100_us),
                                             Time::at(205_us));
        std::vector<unsigned> received;
        cluster.run([&](Process& process) {
            Tport port(process);
            const Address buffer = process.allocate(Home::main, 3 * size);
            for (std::uint32_t i = 0; i < 3; ++i)
                process.store(buffer + i * size, pattern(size, process.self() == 0 ? i : 99));
            if (process.self() == 0) {
                process.engine().sleep_until(Time::at(110_us));
                const Tport::Request lost = port.start_send(1, 0, buffer, size);
                process.engine().sleep_until(Time::at(160_us));
                const Tport::Request second = port.start_send(1, 1, buffer + size, size);
                EXPECT_EQ(port.wait(lost).status, Code::timed_out);
                EXPECT_TRUE(port.wait(second).status.ok());
                EXPECT_TRUE(port.send(1, 2, buffer + 2 * size, size).ok());
            } else {
                for (int i = 0; i < 2; ++i) {
                    const Outcome outcome = port.receive({std::nullopt, 0, 0}, buffer, size);
                    EXPECT_TRUE(outcome.status.ok());
                    received.push_back(outcome.envelope.tag);
                    std::vector<std::byte> bytes(size);
                    process.load(buffer, bytes);
                    EXPECT_EQ(bytes, pattern(size, outcome.envelope.tag));
                }
            }
            process.engine().sleep_until(Time::at(2_ms));
            EXPECT_EQ(port.matcher().unexpected(), 0U);
        });
        EXPECT_THAT(received, ::testing::ElementsAre(1U, 2U));
    }
}

// The gap could not be told at first: it is when the peer can be reached again.
TEST(TportLoss, IsToldAgainWhenThePeerIsBack) {
    Cluster cluster(2);
    cluster.machine.network().break_part(elite::Part::cable(1), Time::at(100_us), Time::at(1_ms));
    cluster.run([&](Process& process) {
        Tport port(process);
        const Address buffer = process.allocate(Home::main, 64);
        process.store(buffer, pattern(64, process.self()));
        if (process.self() == 0) {
            process.engine().sleep_until(Time::at(110_us));
            EXPECT_EQ(port.send(1, 0, buffer, 64), Code::timed_out);
            process.engine().sleep_until(Time::at(2_ms));
            EXPECT_TRUE(port.send(1, 1, buffer, 64).ok());
        } else {
            EXPECT_EQ(port.receive({std::nullopt, 0, 0}, buffer, 64).envelope.tag, 1U);
        }
        process.engine().sleep_until(Time::at(4_ms));
    });
}

/// A port without a fiber that waits for it.
class Spending final : public AsyncTport::Host {
  public:
    explicit Spending(Process& process) : process_(process) {}
    void work(Duration work) override { process_.spend(work); }
    void copy(AsyncTport::Request, Bytes) override {}
    void ended(AsyncTport::Request) override { ++ends; }
    int ends = 0;

  private:
    Process& process_;
};

// Who has given a peer up has its memory back: a read that comes after all gets nothing of it.
TEST(TportLoss, WhatWasGivenUpIsNotReadAnyMore) {
    Cluster cluster(2);
    cluster.run([](Process& process) {
        Spending host(process);
        AsyncTport port(process.machine(), process.job(), process.self(), 0, host);
        const Address buffer = process.allocate(Home::main, 1000);
        process.store(buffer, pattern(1000, process.self()));
        process.engine().sleep_until(Time::at(10_us));
        if (process.self() == 0) {
            const AsyncTport::Request send = port.send_envelope(1, 1, buffer, 1000);
            process.engine().sleep_until(Time::at(100_us));
            EXPECT_EQ(host.ends, 0);
            port.give_up(1);
            EXPECT_EQ(host.ends, 1);
            EXPECT_EQ(port.take(send).status, Code::timed_out);
            EXPECT_FALSE(port.is_known(send));
        } else {
            process.engine().sleep_until(Time::at(200_us));
            const AsyncTport::Request receive = port.receive({0, 1}, buffer, 1000);
            process.wait_until([&] { return port.has_ended(receive); });
            EXPECT_FALSE(port.take(receive).status.ok());
            EXPECT_EQ(process.value<std::byte>(buffer), pattern(1, 1)[0]) << "nothing came";
        }
        process.engine().sleep_until(Time::at(1_ms));
        EXPECT_EQ(host.ends, 1);
    });
}

// Once its data can come no more, a receive that was matched ends, and one that matches later.
TEST(TportLoss, ReceivesOfWhatWasGivenUpEnd) {
    Cluster cluster(2);
    cluster.machine.network().break_part(elite::Part::cable(1), Time::at(100_us));
    cluster.run([](Process& process) {
        Spending host(process);
        AsyncTport port(process.machine(), process.job(), process.self(), 0, host);
        const Address buffer = process.allocate(Home::main, 100'000);
        process.engine().sleep_until(Time::at(60_us));
        if (process.self() == 0) {
            (void)port.send_envelope(1, 1, buffer, 100'000);
            (void)port.send_envelope(1, 2, buffer, 1000);
        } else {
            const AsyncTport::Request matched = port.receive({0, 1}, buffer, 100'000);
            process.engine().sleep_until(Time::at(200_us));
            EXPECT_EQ(host.ends, 0) << "the cable was cut under it";
            port.give_up(0);
            EXPECT_EQ(port.take(matched).status, Code::timed_out);
            const AsyncTport::Request late = port.receive({0, 2}, buffer, 1000);
            process.wait_until([&] { return port.has_ended(late); });
            EXPECT_EQ(port.take(late).status, Code::timed_out);
        }
        process.engine().sleep_until(Time::at(2_ms));
    });
}

}  // namespace
}  // namespace railyard::elanlib
