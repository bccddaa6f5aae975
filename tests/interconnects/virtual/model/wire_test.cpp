// Where the time goes: every part of a small adapter takes a time of its own, so that a sum tells
// which of them a message passed.

#include "interconnects/virtual/model/model_pair.hpp"

namespace railyard::model {
namespace {

using namespace testing;

TEST_F(ModelPair, AWriteTakesTheSumOfItsStages) {
    run([&] { EXPECT_NEAR(us(write_time()), write_us, 1e-4); });
}

TEST_F(ModelPair, ASendAddsAReceivesDescriptorACompletionAndItsReaping) {
    run([&] {
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        const Slice slice = a->slice(0, 8);
        const Time start = engine.now();
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        b->next_received();
        EXPECT_NEAR(us(elapsed(start)), write_us + 1 + 0.05 + 0.02, 1e-4);
    });
}

TEST_F(ModelPair, AReadIsARoundTripWithTheRespondersWorkInside) {  // IB-6
    run([&] {
        const Slice slice = a->slice(0, 8);
        const Time start = engine.now();
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, slice, *b_at_a, 0)).ok());
        a->next_sent();
        // Out: post, doorbell, descriptor, send, network; respond with two reads; back: data,
        // network, receive, write, completion, detect, reap.
        EXPECT_NEAR(us(elapsed(start)),
                    (0.1 + 0.2 + 1 + 3 + 0.6) + (7 + 2) + (1 + 0.6 + 5 + 0.4 + 0.05 + 0.01 + 0.03),
                    1e-4);
    });
}

TEST_F(ModelPair, AnEngineThatWaitsForTheBusHasTheSameLatencyAndLessThroughput) {
    const auto many = [&] {
        const Slice slice = a->slice(0, 8);
        const Time start = engine.now();
        for (int i = 0; i < 20; ++i)
            EXPECT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        for (int i = 0; i < 20; ++i)
            a->next_sent();
        return us(elapsed(start));
    };
    double pipelined = 0;
    run([&] { pipelined = many(); });
    plain.adapter.waits_for_bus = true;
    run([&] {
        EXPECT_NEAR(us(write_time()), write_us, 1e-4);
        EXPECT_NEAR(many() - pipelined, 0, 1e-4) << "the receive engine, 5 us, is the slowest";
    });
    plain.adapter.receive = 1_us;
    run([&] {
        EXPECT_NEAR(many(), 0.1 + 0.2 + 20 * 5.0 + 0.6 + 1 + 0.4 + 0.6 + 0.05 + 0.01, 0.7);
    });
}

TEST_F(ModelPair, AcknowledgmentsOfASharedEngineYieldToMessages) {
    plain.adapter.engines = hardware::Engines::shared;
    plain.adapter.acknowledge = 50_us;
    run([&] {
        const double first = us(write_time());
        EXPECT_NEAR(first, write_us, 1e-4);
        // The acknowledgment of the one before has been dealt with: next_sent() waited for that.
        EXPECT_NEAR(us(write_time()), write_us, 1e-4);
    });
    run([&] {
        const Slice slice = a->slice(0, 8);
        const Time start = engine.now();
        for (int i = 0; i < 8; ++i)
            ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        for (int i = 0; i < 8; ++i)
            a->next_sent();
        // Eight messages, but not eight times 50 us: those of one peer are taken together.
        EXPECT_LT(us(elapsed(start)), 8 * 8 + 3 * 50);
    });
}

TEST_F(ModelPair, FirmwareThatScansSlowsWithEveryOpenQueuePair) {  // VC-7
    plain.adapter.scan = 2_us;
    run([&] {
        EXPECT_NEAR(us(write_time()), write_us + 2, 1e-4);
        std::unique_ptr<fabric::ReceiveQueue> receives[3];
        std::unique_ptr<fabric::QueuePair> idle[3];
        for (int i = 0; i < 3; ++i)
            idle[i] = a->another(receives[i]);
        EXPECT_NEAR(us(write_time()), write_us + 8, 1e-4);
        for (auto& pair : idle)
            pair.reset();
        EXPECT_NEAR(us(write_time()), write_us + 2, 1e-4);
    });
}

TEST_F(ModelPair, TranslationMissesBeyondTheCacheAndNotWithin) {  // NT-2, NT-4
    plain.translation = {.entries = 4, .page = 4_KiB, .miss = 3_us, .first_use = {}};
    run([&] {
        write_time();
        EXPECT_NEAR(us(write_time()), write_us, 1e-4) << "one page, known";
        const double four_pages = us(write_time(16 << 10));
        EXPECT_GT(four_pages, write_us + 3);
        EXPECT_LT(us(write_time(16 << 10)), write_us + 1) << "four pages fit";
        const double five = us(write_time(20 << 10));
        EXPECT_GT(five, write_us + 3);
        EXPECT_GT(us(write_time(20 << 10)), write_us + 5 * 3) << "five in a circle never do";
    });
}

TEST_F(ModelPair, AContextThatIsNotInTheCacheCostsAMissOnEitherSide) {
    plain.contexts = {.entries = 1, .miss = 2_us};
    run([&] {
        std::unique_ptr<fabric::ReceiveQueue> receives[2];
        const auto one = a->another(receives[0]);
        const auto other = b->another(receives[1]);
        connect(*a, *one, *b, *other, 7);
        write_time();
        EXPECT_NEAR(us(write_time()), write_us, 1e-4);
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(one->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        a->next_sent();
        EXPECT_NEAR(us(write_time()), write_us + 4, 1e-4);
    });
}

TEST_F(ModelPair, HalfDuplexSharesTheBusAndFullDuplexDoesNot) {  // HB-1, HB-2
    plain.bus.read_rate = plain.bus.write_rate = Rate::bytes_per_second(1e9);
    const auto both_ways = [&] {
        const auto a_at_b = b->nic->import_region(a->memory->export_blob());
        const Slice from_a = a->slice(0, 1 << 19);
        const Slice from_b = b->slice(1 << 19, 1 << 19);
        const Time start = engine.now();
        EXPECT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, from_a, *b_at_a, 0)).ok());
        EXPECT_TRUE(b->pair->post(rdma(Op::rdma_write, 1, from_b, *a_at_b, 1 << 19)).ok());
        a->next_sent();
        b->next_sent();
        return us(elapsed(start));
    };
    const double one_way = (1 << 19) / 1000.0;
    plain.bus.duplex = hardware::Duplex::full;
    run([&] { EXPECT_NEAR(both_ways(), one_way, 20); });
    plain.bus.opposite = 0.1;
    run([&] { EXPECT_NEAR(both_ways(), one_way * 1.1, 20); });
    plain.bus.duplex = hardware::Duplex::half;
    run([&] { EXPECT_NEAR(both_ways(), one_way * 2, 20); });
}

TEST_F(ModelPair, OtherDevicesSlowASharedBusAndNoLinkOfItsOwn) {  // HB-4
    plain.bus.read_rate = plain.bus.write_rate = Rate::bytes_per_second(1e9);
    plain.link.rate = Rate::bytes_per_second(4e9);
    const auto write = [&] {
        const Slice from_a = a->slice(0, 1 << 19);
        const Time start = engine.now();
        EXPECT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, from_a, *b_at_a, 0)).ok());
        a->next_sent();
        return us(elapsed(start));
    };
    const double alone = (1 << 19) / 1000.0;
    plain.bus.other = Rate::bytes_per_second(200e6);
    plain.bus.duplex = hardware::Duplex::half;
    run([&] { EXPECT_NEAR(write(), alone / (1 - 0.2), 20); });
    EXPECT_TRUE(shows("other devices", write));
    plain.bus.other_burst = Bytes(4096);
    run([&] { EXPECT_NEAR(write(), alone / (1 - 0.2), 20); });
    plain.bus.duplex = hardware::Duplex::full;
    run([&] { EXPECT_NEAR(write(), alone, 20); });
}

TEST_F(ModelPair, ALoopbackMessageCrossesTheBusTwiceAndNoLink) {
    plain.bus.duplex = hardware::Duplex::half;
    plain.bus.read_rate = plain.bus.write_rate = Rate::bytes_per_second(1e9);
    plain.link.rate = Rate::bytes_per_second(1.0);
    run(
        [&] {
            Rank c(engine, *fabric, 0);
            std::unique_ptr<fabric::ReceiveQueue> receives;
            const auto pair = a->another(receives);
            connect(*a, *pair, c, *c.pair, 9);
            const auto c_at_a = a->nic->import_region(c.memory->export_blob());
            const Slice slice = a->slice(0, 1 << 19);
            a->fill(0, 1 << 19, 3);
            const Time start = engine.now();
            ASSERT_TRUE(pair->post(rdma(Op::rdma_write, 1, slice, *c_at_a, 0)).ok());
            a->next_sent();
            EXPECT_NEAR(us(elapsed(start)), 2 * (1 << 19) / 1000.0, 30);
            EXPECT_TRUE(c.holds(0, 1 << 19, 3));
        },
        false);
}

// GM-1: whatever making one would cost.
TEST_F(ModelPair, AConnectionlessFabricConnectsForNothing) {
    plain.host.connect = 50_us;
    plain.connection.setup = 80_us;
    const auto connect_time = [&] {
        std::array<std::unique_ptr<fabric::ReceiveQueue>, 2> receives;
        const auto one = a->another(receives[0]);
        const auto other = b->another(receives[1]);
        const Time start = engine.now();
        connect(*a, *one, *b, *other, 7);
        return us(elapsed(start));
    };
    run([&] { EXPECT_GT(connect_time(), 50 + 80); });
    plain.connection.connectionless = true;
    run([&] { EXPECT_LT(connect_time(), write_us); });
}

TEST_F(ModelPair, MakingAConnectionHoldsUpNobodyElse) {
    plain.connection.setup = 1_ms;
    run([&] {
        Rank c(engine, *fabric, 2);
        ASSERT_TRUE(c.pair->connect_peer(b->nic->address(), 5, {}, Time::never()).ok());
        EXPECT_NEAR(us(write_time()), write_us, 1e-4);
    });
}

TEST_F(ModelPair, AMessageBehindItsOwnConnectionWaitsForItOnWhicheverPort) {
    plain.connection.setup = 1_ms;
    plain.adapter.ports = 2;
    run(
        [&] {
            std::unique_ptr<fabric::ReceiveQueue> receives[2];
            fabric::QueuePairOptions options;
            options.port = 1;
            const auto at_a = a->another(receives[0], options);
            const auto at_b = b->another(receives[1], options);
            const Slice into = a->slice(0, 64);
            ASSERT_TRUE(receives[0]->post(ReceiveRequest{1, {&into, 1}}).ok());
            ASSERT_TRUE(at_a->connect_peer(b->nic->address(), 5, {}, Time::never()).ok());
            ASSERT_TRUE(
                b->host.wait_until([&] { return b->nic->poll_peer_request().has_value(); }));
            // Connected at once here; the other side hears of it by a message of its own.
            ASSERT_TRUE(at_b->connect_peer(a->nic->address(), 5, {}, Time::never()).ok());
            const Slice slice = b->slice(0, 8);
            ASSERT_TRUE(at_b->post(send(1, slice)).ok());
            EXPECT_TRUE(a->next_received().status.ok());
        },
        false);
}

}  // namespace
}  // namespace railyard::model
