// What a process may do with its requests: take them back, look for messages, close its port.

#include <gtest/gtest.h>

#include <memory>

#include "interconnects/quadrics/elanlib/tport.hpp"
#include "tports.hpp"

namespace railyard::elanlib {
namespace {

// Until it is matched, and only then; what is behind it matches as if it had never been.
TEST(TportRequests, ASendCanBeTakenBack) {
    for (const bool on_the_node : {false, true}) {
        Cluster cluster(2);
        if (on_the_node) cluster.job = cluster.machine.add_job({0, 0});
        run(cluster, [](Process& process, Tport& port) {
            const Address buffer = buffer_of(process, 1000, process.self());
            if (process.self() == 0) {
                const Tport::Request unwanted = port.start_send(1, 1, buffer, 1000);
                const Tport::Request small =
                    port.start_send(1, 1, buffer, 64, Delivery::synchronous);
                process.spend(50_us);
                port.withdraw(unwanted);
                EXPECT_EQ(port.wait(unwanted).status, Code::flushed);
                port.withdraw(unwanted);  // it is over: nothing happens
                EXPECT_TRUE(port.wait(small).status.ok());
                const Tport::Request matched = port.start_send(1, 2, buffer, 1000);
                process.spend(50_us);
                port.withdraw(matched);
                EXPECT_TRUE(port.wait(matched).status.ok());
                return;
            }
            const Tport::Request expected = port.start_receive({0, 2}, buffer, 1000);
            process.engine().sleep_until(Time::at(200_us));
            EXPECT_EQ(port.receive({0, 1}, buffer, 1000).envelope.size, 64U);
            EXPECT_EQ(port.wait(expected).envelope.size, 1000U);
            EXPECT_EQ(port.matcher().unexpected(), 0U);
        });
    }
}

TEST(TportRequests, AProbeFindsWhatTheNextReceiveGets) {
    Cluster cluster(2);
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 400, process.self());
        if (process.self() == 0) {
            for (const std::uint32_t size : {10U, 20U, 300U})
                (void)port.start_send(1, size == 300 ? 2 : 1, buffer, size);
            return;
        }
        EXPECT_EQ(port.probe({0, 1}), nullptr);
        process.engine().sleep_until(Time::at(100_us));
        ASSERT_NE(port.probe({0, 1}), nullptr);
        EXPECT_EQ(port.probe({0, 1})->size, 10U);
        EXPECT_EQ(port.probe({std::nullopt, 2})->size, 300U);
        EXPECT_EQ(port.probe({1, 1}), nullptr) << "of another sender";
        const Tport::Request first = port.start_receive({0, 1}, buffer, 400);
        EXPECT_EQ(port.probe({0, 1})->size, 20U)
            << "the thread has not seen the receive, but the first is spoken for";
        EXPECT_TRUE(port.cancel(first)) << "as long as the thread has not seen it";
        EXPECT_EQ(port.probe({0, 1})->size, 10U);
        for (const std::uint32_t size : {10U, 20U})
            EXPECT_EQ(port.receive({0, 1}, buffer, 400).envelope.size, size);
        EXPECT_EQ(port.receive({0, 2}, buffer, 400).envelope.size, 300U);
        EXPECT_EQ(port.probe({std::nullopt, 0, 0}), nullptr);
    });
}

// All 64 bits of a tag count, and only those of the mask.
TEST(TportRequests, TagsHave64Bits) {
    Cluster cluster(2);
    static constexpr Tag first = 0x1111'0000'0000'00aa;
    static constexpr Tag second = 0x2222'0000'0000'00aa;
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 64, process.self());
        if (process.self() == 0) {
            EXPECT_TRUE(port.send(1, first, buffer, 1).ok());
            EXPECT_TRUE(port.send(1, second, buffer, 2).ok());
            return;
        }
        EXPECT_EQ(port.receive({0, second}, buffer, 64).envelope.size, 2U);
        EXPECT_EQ(port.receive({0, 0xaa, 0xff}, buffer, 64).envelope.tag, first);
    });
}

// Senders whose messages wait there hear of it, and so do those who come later.
TEST(TportRequests, APortThatClosesTellsItsSenders) {
    Cluster cluster(2);
    cluster.run([](Process& process) {
        auto port = std::make_unique<Tport>(process);
        const Address buffer = buffer_of(process, 1000, process.self());
        process.engine().sleep_until(Time::at(10_us));
        if (process.self() == 1) {
            process.engine().sleep_until(Time::at(200_us));
            port.reset();
            process.engine().sleep_until(Time::at(1_ms));
            return;
        }
        const Tport::Request eager = port->start_send(1, 1, buffer, 64);
        const Tport::Request large = port->start_send(1, 1, buffer, 1000);
        EXPECT_TRUE(port->wait(eager).status.ok());
        EXPECT_EQ(port->wait(large).status, Code::remote_closed);
        EXPECT_GT(process.now(), Time::at(200_us));
        EXPECT_FALSE(port->send(1, 1, buffer, 64).ok());
        EXPECT_FALSE(port->send(1, 1, buffer, 1000).ok());
    });
}

TEST(TportRequests, AnEmptySynchronousMessageIsToldToBoth) {
    Cluster cluster(2);
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 64, process.self());
        if (process.self() == 0) {
            EXPECT_TRUE(port.send(1, 1, elan::null_address, 0, Delivery::synchronous).ok());
            EXPECT_GT(process.now(), Time::at(100_us));
            EXPECT_TRUE(port.send(1, 1, buffer, 64, Delivery::synchronous).ok());
            return;
        }
        process.engine().sleep_until(Time::at(100_us));
        EXPECT_TRUE(port.receive({0, 1}, buffer, 64).status.ok());
        EXPECT_EQ(port.receive({0, 1}, elan::null_address, 0).status, Code::too_long);
    });
}

}  // namespace
}  // namespace railyard::elanlib
