// The ideal fabric's times, to the picosecond: latency 1 us and 1 GB/s, so a byte takes 1 ns.

#include "pair.hpp"

namespace railyard::ideal::testing {
namespace {

using Timing = Pair;

TEST_F(Timing, AWriteFoundByWatchingMemoryTakesLatencyPlusItsBytes) {
    run([&] {
        for (const std::uint64_t size : {1, 8, 64, 4096, 1 << 20}) {
            std::memset(a->memory->data(), 0x5a, size);
            std::memset(b->memory->data(), 0, size);
            const Time start = engine.now();
            const Slice slice = a->slice(0, size);
            ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
            b->host.wait_until(
                [&] { return fabric::arrived(b->memory->data() + size - 1, std::byte{0x5a}); });
            EXPECT_EQ(elapsed(start), 1_us + Duration::ns(static_cast<std::int64_t>(size)));
            EXPECT_EQ(std::memcmp(a->memory->data(), b->memory->data(), size), 0);
            a->next_sent();
        }
    });
}

TEST_F(Timing, NothingOfAWriteIsSeenBeforeItArrives) {
    run([&] {
        std::memset(a->memory->data(), 1, 8);
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        b->host.compute(1_us + 8_ns - 1_ps);
        EXPECT_FALSE(fabric::arrived(b->memory->data() + 7, std::byte{1}));
        b->host.compute(2_ps);
        EXPECT_TRUE(fabric::arrived(b->memory->data() + 7, std::byte{1}));
    });
}

TEST_F(Timing, ASendAndItsCompletionsTakeOneWayAndARoundTrip) {
    run([&] {
        ASSERT_TRUE(b->post_receive(7, b->slice(0, 100)).ok());
        const Time start = engine.now();
        const Slice slice = a->slice(0, 100);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        EXPECT_EQ(b->next_received().id, 7U);
        EXPECT_EQ(elapsed(start), 1_us + 100_ns);
        EXPECT_EQ(a->next_sent().id, 1U);
        EXPECT_EQ(elapsed(start), 2_us + 100_ns);
    });
}

TEST_F(Timing, AReadTakesARoundTripAndItsBytesOnTheWayBack) {
    run([&] {
        b->fill(0, 1000, 3);
        const Time start = engine.now();
        const Slice slice = a->slice(0, 1000);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, slice, *b_at_a, 0)).ok());
        const Completion completion = a->next_sent();
        EXPECT_EQ(elapsed(start), 3_us);
        EXPECT_EQ(completion.length, 1000_B);
        EXPECT_TRUE(a->holds(0, 1000, 3));
    });
}

TEST_F(Timing, AReadSeesTheMemoryAsItWasWhenTheRequestGotThere) {
    run([&] {
        b->fill(0, 100, 3);
        const Slice slice = a->slice(0, 100);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, slice, *b_at_a, 0)).ok());
        b->host.compute(1_us + 1_ps);
        b->fill(0, 100, 4);
        a->next_sent();
        EXPECT_TRUE(a->holds(0, 100, 3));
    });
}

TEST_F(Timing, AWindowOfWritesIsPipelined) {
    run([&] {
        const Time start = engine.now();
        const Slice slice = a->slice(0, 1000);
        for (std::uint64_t i = 0; i < 16; ++i)
            ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, i, slice, *b_at_a, i * 1000)).ok());
        for (std::uint64_t i = 0; i < 16; ++i) {
            EXPECT_EQ(a->next_sent().id, i);
            EXPECT_EQ(elapsed(start), 2_us + Duration::us(static_cast<std::int64_t>(i) + 1));
        }
    });
}

TEST_F(Timing, BothWaysAtOnceDoNotHinderEachOther) {
    run([&] {
        const auto a_at_b = b->nic->import_region(a->memory->export_blob());
        const Time start = engine.now();
        const Slice from_a = a->slice(0, 100'000);
        const Slice from_b = b->slice(200'000, 100'000);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, from_a, *b_at_a, 0)).ok());
        ASSERT_TRUE(b->pair->post(rdma(Op::rdma_write, 2, from_b, *a_at_b, 200'000)).ok());
        a->next_sent();
        EXPECT_EQ(elapsed(start), 102_us);
        b->next_sent();
        EXPECT_EQ(elapsed(start), 102_us);
    });
}

TEST_F(Timing, QueuePairsOfOneNicShareItsWayOut) {
    run([&] {
        std::unique_ptr<fabric::ReceiveQueue> receives_a;
        std::unique_ptr<fabric::ReceiveQueue> receives_b;
        const auto pair_a = a->another(receives_a);
        const auto pair_b = b->another(receives_b);
        connect(*a, *pair_a, *b, *pair_b, 2);
        const Time start = engine.now();
        const Slice slice = a->slice(0, 1000);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        ASSERT_TRUE(pair_a->post(rdma(Op::rdma_write, 2, slice, *b_at_a, 1000)).ok());
        EXPECT_EQ(a->next_sent().queue_pair, a->pair.get());
        EXPECT_EQ(elapsed(start), 3_us);
        EXPECT_EQ(a->next_sent().queue_pair, pair_a.get());
        EXPECT_EQ(elapsed(start), 4_us);
    });
}

TEST_F(Timing, ConnectingAsClientTakesOneRoundTrip) {
    run(
        [&] {
            const auto listener = b->nic->listen(9);
            const Time start = engine.now();
            ASSERT_TRUE(a->pair->connect(b->nic->address(), 9, {}, Time::never()).ok());
            std::unique_ptr<fabric::ConnectionRequest> request;
            b->host.wait_until([&] { return (request = listener->poll()) != nullptr; });
            EXPECT_EQ(elapsed(start), 1_us);
            ASSERT_TRUE(b->pair->accept(*request, {}).ok());
            wait_for(*a, *a->pair, ConnectionState::connected);
            EXPECT_EQ(elapsed(start), 2_us);
        },
        false);
}

TEST_F(Timing, ParametersAreKept) {
    parameters.latency = 250_ns;
    parameters.bandwidth = Rate::bytes_per_second(3e9);
    run([&] {
        const Time start = engine.now();
        const Slice slice = a->slice(0, 1000);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        a->next_sent();
        EXPECT_EQ(elapsed(start), 500_ns + Duration::ps(333'333));
    });
}

TEST(IdealOpen, RefusesWhatMakesNoSense) {
    sim::Engine engine;
    EXPECT_THROW(open(engine, Parameters{.latency = Duration::ps(-1)}), UsageError);
    EXPECT_THROW(open(engine, Parameters{.bandwidth = Rate{}}), UsageError);
    sim::Engine another;
    hosts::VirtualHost host(another);
    const auto fabric = open(engine);
    EXPECT_THROW(fabric->adapter(0).open(host), UsageError);
}

}  // namespace
}  // namespace railyard::ideal::testing
