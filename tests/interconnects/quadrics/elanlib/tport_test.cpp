// Tagged messages: TP-1 to TP-7, LB-2 and LB-4.

#include "interconnects/quadrics/elanlib/tport.hpp"

#include <gmock/gmock.h>

#include "tports.hpp"

namespace railyard::elanlib {
namespace {

// TP-1: a start that does not block, and a wait that does; both ways at once.
TEST(Tport, StartsAndWaits) {
    Cluster cluster(2);
    run(cluster, [](Process& process, Tport& port) {
        const Vpid peer = 1 - process.self();
        const Address from = buffer_of(process, 2000, process.self());
        const Address to = buffer_of(process, 2000, 9);
        const Time start = process.now();
        const Tport::Request receive = port.start_receive({peer, 5}, to, 2000);
        const Tport::Request send = port.start_send(peer, 5, from, 2000);
        EXPECT_LT(process.now() - start, 2_us);
        EXPECT_FALSE(port.test(receive));
        EXPECT_TRUE(port.wait(send).status.ok());
        EXPECT_TRUE(port.wait(receive).status.ok());
        EXPECT_EQ(read(process, to, 2000), pattern(2000, peer));
        EXPECT_THROW(port.wait(receive), UsageError);
    });
}

// TP-2: tag, sender and size; by sender, by tag, by both, by neither.
TEST(Tport, SelectsBySenderAndTag) {
    using Sent = std::pair<Vpid, Tag>;
    Cluster cluster(3);
    run(cluster, [](Process& process, Tport& port) {
        if (process.self() != 0) {
            const Address from = buffer_of(process, 64, process.self());
            for (const std::uint32_t tag : {1U, 2U, 3U})
                EXPECT_TRUE(port.send(0, tag, from, 10 * process.self() + tag).ok());
            return;
        }
        process.spend(200_us);
        const Address to = buffer_of(process, 64, 9);
        const auto receive = [&](const Selector& selector) {
            const Outcome outcome = port.receive(selector, to, 64);
            EXPECT_TRUE(outcome.status.ok());
            EXPECT_EQ(outcome.envelope.size, 10 * outcome.envelope.from + outcome.envelope.tag);
            EXPECT_EQ(read(process, to, outcome.envelope.size),
                      pattern(outcome.envelope.size, outcome.envelope.from));
            return Sent(outcome.envelope.from, outcome.envelope.tag);
        };
        EXPECT_EQ(receive({2, 3}), Sent(2, 3));
        EXPECT_EQ(receive({2, 0, 0}), Sent(2, 1));
        EXPECT_EQ(receive({std::nullopt, 3}), Sent(1, 3));
        EXPECT_EQ(receive({1, 2}), Sent(1, 2));
        EXPECT_EQ(receive({std::nullopt, 0, 0}), Sent(1, 1));
        EXPECT_EQ(receive({std::nullopt, 0, 0}), Sent(2, 2));
    });
}

// TP-3: no data leave the sender before the receiver has asked, and no system buffer is used.
TEST(Tport, ASynchronousMessageWaitsAtItsSender) {
    Cluster cluster(2);
    run(cluster, [](Process& process, Tport& port) {
        if (process.self() == 0) {
            const Address from = buffer_of(process, 64, 0);
            const Tport::Request send = port.start_send(1, 1, from, 64, Delivery::synchronous);
            process.spend(100_us);
            EXPECT_FALSE(port.test(send));
            // What is sent is what stands there when the receiver asks.
            process.store(from, pattern(64, 7));
            EXPECT_TRUE(port.wait(send).status.ok());
            EXPECT_GT(process.now(), Time::at(200_us));
            return;
        }
        process.engine().sleep_until(Time::at(200_us));
        EXPECT_EQ(port.matcher().unexpected(), 1U);
        const Address to = buffer_of(process, 64, 9);
        EXPECT_TRUE(port.receive({0, 1}, to, 64).status.ok());
        EXPECT_EQ(read(process, to, 64), pattern(64, 7));
        EXPECT_EQ(port.matcher().buffered(), 0U);
    });
}

// TP-4: into the user's buffer if there is one; else into the system's, and the sender is done.
TEST(Tport, AnAsynchronousMessageGoesAtOnce) {
    Cluster cluster(2);
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 128, process.self());
        if (process.self() == 0) {
            process.engine().sleep_until(Time::at(100_us));
            EXPECT_TRUE(port.send(1, 1, buffer, 128).ok());
            EXPECT_TRUE(port.send(1, 2, buffer, 128).ok());
            EXPECT_LT(process.now(), Time::at(120_us));
            process.store(buffer, pattern(128, 7));
            return;
        }
        const Tport::Request posted = port.start_receive({0, 1}, buffer, 128);
        EXPECT_TRUE(port.wait(posted).status.ok());
        EXPECT_EQ(port.matcher().buffered(), 0U);
        EXPECT_EQ(read(process, buffer, 128), pattern(128, 0));
        process.engine().sleep_until(Time::at(200_us));
        EXPECT_EQ(port.matcher().buffered(), 1U);
        const Address later = buffer_of(process, 128, 9);
        EXPECT_TRUE(port.receive({0, 2}, later, 128).status.ok());
        EXPECT_EQ(read(process, later, 128), pattern(128, 0));
    });
}

// TP-5: 287 bytes go with their envelope, in one packet; 288 wait for the match.
TEST(Tport, Below288BytesTravelWithTheEnvelope) {
    for (const std::uint32_t size : {287U, 288U}) {
        Cluster cluster(2);
        run(cluster, [&](Process& process, Tport& port) {
            const Address buffer = buffer_of(process, size, process.self());
            if (process.self() == 0) {
                const Tport::Request send = port.start_send(1, 1, buffer, size);
                process.spend(100_us);
                EXPECT_EQ(port.test(send), size < 288);
                EXPECT_TRUE(port.wait(send).status.ok());
                return;
            }
            process.engine().sleep_until(Time::at(200_us));
            EXPECT_EQ(cluster.machine.network().counters().sent, 1U);
            EXPECT_TRUE(port.receive({0, 1}, buffer, size).status.ok());
            EXPECT_EQ(read(process, buffer, size), pattern(size, 0));
            // The request of the receiver's thread, and the data.
            EXPECT_EQ(cluster.machine.network().counters().sent, size < 288 ? 1U : 3U);
        });
    }
}

// TP-6: on one node, no packet is sent, and messages of both kinds meet the same receives.
TEST(Tport, ProcessesOfANodeShareItsMemory) {
    Cluster cluster(1);
    cluster.job = cluster.machine.add_job({0, 0, 1});
    run(cluster, [&](Process& process, Tport& port) {
        for (const std::uint32_t size : {0U, 100U, 5000U}) {
            const Address buffer = buffer_of(process, 5000, process.self());
            if (process.self() == 0) {
                EXPECT_TRUE(port.send(1, 1, buffer, size).ok());
            } else if (process.self() == 1) {
                EXPECT_TRUE(port.receive({std::nullopt, 1}, buffer, 5000).status.ok());
                EXPECT_EQ(read(process, buffer, size), pattern(size, 0));
            }
        }
        EXPECT_EQ(cluster.machine.network().counters().sent, 0U);
        process.engine().sleep_until(Time::at(1_ms));
        const Address buffer = buffer_of(process, 64, process.self());
        if (process.self() == 2) {
            EXPECT_TRUE(port.send(1, 1, buffer, 64).ok());
        } else if (process.self() == 1) {
            EXPECT_EQ(port.receive({std::nullopt, 1}, buffer, 64).envelope.from, 2U);
        }
    });
}

// TP-4 and TP-6: a small one does not keep its sender waiting, on the node either.
TEST(Tport, AnAsynchronousMessageLeavesItsSenderOnTheNodeToo) {
    Cluster cluster(1);
    cluster.job = cluster.machine.add_job({0, 0});
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 400, process.self());
        if (process.self() == 0) {
            for (unsigned i = 0; i < 5; ++i) {
                process.store(buffer, pattern(100, i));
                EXPECT_TRUE(port.send(1, 1, buffer, 100).ok());
            }
            const Tport::Request synchronous =
                port.start_send(1, 1, buffer, 100, Delivery::synchronous);
            EXPECT_LT(process.now(), Time::at(100_us));
            EXPECT_TRUE(port.wait(synchronous).status.ok());
            EXPECT_GT(process.now(), Time::at(200_us));
            return;
        }
        process.engine().sleep_until(Time::at(200_us));
        for (unsigned i = 0; i < 6; ++i) {
            EXPECT_TRUE(port.receive({0, 1}, buffer, 400).status.ok());
            EXPECT_EQ(read(process, buffer, 100), pattern(100, std::min(i, 4U)));
        }
    });
}

// TP-7: the same envelope, many times, small and large; they match in the order of sending.
TEST(Tport, MessagesOfOneSenderMatchInOrder) {
    Cluster cluster(16);
    cluster.job = cluster.machine.add_job({0, 15});
    // A link that comes and goes makes packets overtake each other.
    for (int i = 0; i < 40; ++i)
        cluster.machine.network().break_part(elite::Part::cable(15), Time::at(20_us + 7_us * i),
                                             Time::at(21_us + 7_us * i));
    run(cluster, [](Process& process, Tport& port) {
        std::vector<Tport::Request> requests;
        std::vector<Address> buffers;
        for (std::uint32_t i = 0; i < 40; ++i) {
            const std::uint32_t size = i % 3 == 0 ? 400 : 40;
            buffers.push_back(buffer_of(process, 400, process.self() == 0 ? i : 99));
            requests.push_back(process.self() == 0
                                   ? port.start_send(1, 4, buffers.back(), size)
                                   : port.start_receive({0, 4}, buffers.back(), 400));
        }
        for (std::uint32_t i = 0; i < 40; ++i) {
            EXPECT_TRUE(port.wait(requests[i]).status.ok());
            if (process.self() == 1) {
                EXPECT_EQ(read(process, buffers[i], 40), pattern(40, i)) << i;
            }
        }
    });
    EXPECT_GT(cluster.machine.adapter(0).sender().retries(), 0U);
}

// A peer that is out of reach is told to the sender, for this message and for all behind it.
TEST(Tport, SaysThatAPeerIsOutOfReach) {
    Cluster cluster(2);
    cluster.machine.network().break_part(elite::Part::cable(1), Time::at(100_us));
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 64, process.self());
        if (process.self() != 0) return;
        EXPECT_TRUE(port.send(1, 1, buffer, 64).ok());
        process.engine().sleep_until(Time::at(200_us));
        EXPECT_EQ(port.send(1, 1, buffer, 64), Code::timed_out);
        EXPECT_EQ(port.send(1, 1, buffer, 64), Code::timed_out);
    });
}

// Of one whose data wait for the match, it is the envelope that is lost.
TEST(Tport, SaysSoForLargeMessagesToo) {
    Cluster cluster(2);
    cluster.machine.network().break_part(elite::Part::cable(1), Time());
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 5000, process.self());
        if (process.self() != 0) return;
        EXPECT_EQ(port.send(1, 1, buffer, 5000), Code::timed_out);
        EXPECT_EQ(port.send(1, 1, buffer, 5000, Delivery::synchronous), Code::timed_out);
    });
}

TEST(Tport, SaysThatAMessageWasLongerThanTheBuffer) {
    Cluster cluster(2);
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 1000, process.self());
        if (process.self() == 0) {
            EXPECT_TRUE(port.send(1, 1, buffer, 100).ok());
            EXPECT_TRUE(port.send(1, 1, buffer, 1000).ok());
            return;
        }
        for (const std::uint32_t size : {100U, 1000U}) {
            const Outcome outcome = port.receive({0, 1}, buffer, 60);
            EXPECT_EQ(outcome.status, Code::too_long);
            EXPECT_EQ(outcome.envelope.size, size);
            EXPECT_EQ(read(process, buffer, 60), pattern(60, 0));
            const auto untouched = pattern(1000, 1);
            EXPECT_EQ(read(process, buffer + 60, 10),
                      std::vector<std::byte>(untouched.begin() + 60, untouched.begin() + 70));
        }
    });
}

TEST(Tport, AReceiveCanBeTakenBack) {
    Cluster cluster(2);
    run(cluster, [](Process& process, Tport& port) {
        const Address buffer = buffer_of(process, 64, process.self());
        if (process.self() == 0) {
            process.engine().sleep_until(Time::at(100_us));
            EXPECT_TRUE(port.send(1, 1, buffer, 64).ok());
            return;
        }
        const Tport::Request first = port.start_receive({0, 1}, buffer, 64);
        process.spend(20_us);
        EXPECT_TRUE(port.cancel(first));
        const Tport::Request second = port.start_receive({0, 1}, buffer, 64);
        process.engine().sleep_until(Time::at(200_us));
        EXPECT_FALSE(port.cancel(second));
        EXPECT_TRUE(port.wait(second).status.ok());
    });
}

/// Half a round trip, receives posted beforehand, in microseconds.
double ping(std::uint32_t size) {
    Cluster cluster(2);
    double result = 0;
    run(cluster, [&](Process& process, Tport& port) {
        const Vpid peer = 1 - process.self();
        const Address from = buffer_of(process, 4096, 1);
        const Address to = buffer_of(process, 4096, 2);
        Tport::Request next = port.start_receive({peer, 7}, to, 4096);
        process.engine().sleep_until(Time::at(300_us));
        Time start;
        for (int i = 0; i < 12; ++i) {
            if (i == 2) start = process.now();
            Tport::Request coming = next;
            if (process.self() == 1) (void)port.wait(coming);
            const Tport::Request send = port.start_send(peer, 7, from, size);
            next = port.start_receive({peer, 7}, to, 4096);
            (void)port.wait(send);
            if (process.self() == 0) (void)port.wait(coming);
        }
        if (process.self() == 0) result = (process.now() - start).microseconds() / 20;
    });
    return result;
}

// LB-2, petrini02.latency.small.tports; and petrini02.latency.noise256: a step at 288 bytes.
TEST(Tport, LatencyIsThePapers) {
    EXPECT_NEAR(ping(0), 4.4, 0.1);
    const double before = ping(287) - ping(286);
    const double step = ping(288) - ping(287);
    EXPECT_GT(step, before + 0.5);
}

// LB-4: what is dearer than Elan3lib is the thread's work: without that, it is not.
TEST(Tport, MatchingIsWhatCosts) {
    elan::Parameters quick;
    quick.tports.match = {};
    for (const bool matching : {true, false}) {
        Cluster cluster(2, matching ? elan::Parameters() : quick);
        Time arrived;
        run(cluster, [&](Process& process, Tport& port) {
            const Address buffer = buffer_of(process, 64, 1);
            if (process.self() == 1) {
                const Tport::Request posted = port.start_receive({0, 1}, buffer, 64);
                (void)port.wait(posted);
                arrived = process.now();
                return;
            }
            process.engine().sleep_until(Time::at(100_us));
            EXPECT_TRUE(port.send(1, 1, buffer, 0).ok());
        });
        if (matching)
            EXPECT_GT(arrived, Time::at(104_us));
        else
            EXPECT_LT(arrived, Time::at(103_us));
    }
}

/// Of long messages, one after the other, in MB/s each way.
double rate(bool both_ways) {
    constexpr std::uint32_t size = 1 << 20;
    Cluster cluster(2);
    double result = 0;
    run(cluster, [&](Process& process, Tport& port) {
        const Vpid peer = 1 - process.self();
        const Address from = buffer_of(process, size, 1);
        const Address to = buffer_of(process, size, 2);
        process.engine().sleep_until(Time::at(20_ms));
        const Time start = process.now();
        std::vector<Tport::Request> requests;
        if (both_ways || process.self() == 1)
            requests.push_back(port.start_receive({peer, 1}, to, size));
        if (both_ways || process.self() == 0)
            requests.push_back(port.start_send(peer, 1, from, size));
        for (const Tport::Request request : requests)
            EXPECT_TRUE(port.wait(request).status.ok());
        result = size / (process.now() - start).microseconds();
    });
    return result;
}

// petrini02.bandwidth.uni.narrow and petrini02.bandwidth.bi.main_main.tports
TEST(Tport, BandwidthIsThePapers) {
    EXPECT_GE(rate(false), 307);
    EXPECT_LE(rate(false), 335);
    EXPECT_NEAR(rate(true), 160, 4);
}

}  // namespace
}  // namespace railyard::elanlib
