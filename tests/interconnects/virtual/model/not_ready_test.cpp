// A message that finds no receive where the adapter does not hold it.

#include "interconnects/virtual/model/model_pair.hpp"

namespace railyard::model {
namespace {

using namespace testing;

// IB-1: a message that finds no receive is refused, and sent again after a time.
class NotReady : public ModelPair {
  protected:
    NotReady() {
        plain.reliability.rnr_timer = 100_us;
        plain.link.rate = Rate::bytes_per_second(1e9);
        plain.bus.write_rate = Rate::bytes_per_second(1e9);
    }
    Duration busy(std::string_view part) const {
        for (const fabric::PartUse& use : fabric->parts())
            if (use.name == part) return use.busy;
        return {};
    }
    // Of an empty send, from the post until it is judged: doorbell, descriptor, send, network,
    // receive and its descriptor. And of the next try: the answer, the timer, and the same again.
    const double judged_us = 0.2 + 1 + 3 + 0.6 + 5 + 1;
    const double again_us = 0.6 + 100 + judged_us;
};

TEST_F(NotReady, TheSenderWaitsForItsTimerAndSendsAgain) {
    run([&] {
        const Time start = engine.now();
        const Slice nothing = a->slice(0, 0);
        ASSERT_TRUE(a->pair->post(send(1, nothing)).ok());
        b->host.compute(250_us);  // judged at 10.9 us, 122 us and 234 us
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        EXPECT_EQ(b->next_received().status, Status());
        EXPECT_NEAR(us(elapsed(start)), 0.1 + judged_us + 3 * again_us + 0.01 + 0.02, 1e-3);
        EXPECT_EQ(a->next_sent().status, Status());
        EXPECT_EQ(fabric->receiver_not_ready(), 3U);
    });
}

// An adapter that holds it meets it once.
TEST_F(NotReady, IsCountedWhereAMessageIsHeld) {
    plain.reliability.rnr_timer = {};
    run([&] {
        const Slice nothing = a->slice(0, 0);
        ASSERT_TRUE(a->pair->post(send(1, nothing)).ok());
        b->host.compute(250_us);
        EXPECT_EQ(fabric->receiver_not_ready(), 1U);
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        EXPECT_EQ(b->next_received().status, Status());
        ASSERT_TRUE(b->post_receive(2, b->slice(0, 64)).ok());
        ASSERT_TRUE(a->pair->post(send(2, nothing)).ok());
        EXPECT_EQ(b->next_received().status, Status());
        EXPECT_EQ(fabric->receiver_not_ready(), 1U) << "the second found its receive";
    });
}

TEST_F(NotReady, ATraceShowsWhatIsSentAgain) {
    const auto late_by = [&](Duration time) {
        return [this, time] {
            const Slice data = a->slice(0, 8);
            ASSERT_TRUE(a->pair->post(send(1, data)).ok());
            b->host.compute(time);
            ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
            b->next_received();
        };
    };
    EXPECT_TRUE(shows("sent again", late_by(50_us)));
    EXPECT_FALSE(shows("sent again", late_by(0_us)));
}

TEST_F(NotReady, WhatIsRefusedTakesTheLinkEveryTimeAndTheTargetsBusOnce) {
    run([&] {
        const Slice data = a->slice(0, 10 << 10);
        a->fill(0, 10 << 10, 5);
        ASSERT_TRUE(a->pair->post(send(1, data)).ok());
        b->host.compute(250_us);
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 10 << 10)).ok());
        b->next_received();
        EXPECT_TRUE(b->holds(0, 10 << 10, 5));
        EXPECT_EQ(busy("node 0, link 0 out"), 4 * (10_KiB / plain.link.rate));
        EXPECT_EQ(busy("node 1, bus to memory"), 10_KiB / plain.bus.write_rate);
    });
}

// The answer comes while the message leaves: a sender stops there.
TEST_F(NotReady, ALargeMessageStopsLeavingAtTheAnswer) {
    run([&] {
        const Time start = engine.now();
        constexpr std::size_t size = 1 << 20;
        const Slice data = a->slice(0, size);
        a->fill(0, size, 5);
        ASSERT_TRUE(a->pair->post(send(1, data)).ok());
        b->host.compute(50_us);
        // The first packet is judged when the data's first read and its own time on the link have
        // passed as well; the answer takes 0.6 us, and the buffer's packets leave all the same.
        const double whole_us = us(1_MiB / plain.link.rate);
        const double first_us = judged_us + 1 + 0.6 - 4.2;
        const Duration gone = busy("node 0, link 0 out");
        EXPECT_GT(us(gone), 0.5);
        EXPECT_LT(us(gone), first_us + 1.1 * (plain.adapter.buffer + 1));
        ASSERT_TRUE(b->post_receive(1, b->slice(0, size)).ok());
        EXPECT_EQ(b->next_received().status, Status());
        EXPECT_LT(us(elapsed(start)), whole_us + judged_us + 1 + again_us + 10);
        EXPECT_TRUE(b->holds(0, size, 5));
        EXPECT_EQ(us(busy("node 0, link 0 out")), us(gone) + whole_us);
        EXPECT_EQ(us(busy("node 1, bus to memory")), us(1_MiB / plain.bus.write_rate));
        EXPECT_EQ(a->next_sent().status, Status());
    });
}

// Neither does what waits behind it in the adapter.
TEST_F(NotReady, WhatHasNotLeftByTheAnswerDoesNotLeave) {
    plain.reliability.rnr_retries = 0;
    run([&] {
        const Slice data = a->slice(0, 512 << 10);
        for (std::uint64_t id = 1; id <= 4; ++id)
            ASSERT_TRUE(a->pair->post(send(id, data)).ok());
        EXPECT_EQ(a->next_sent().status, Code::receiver_not_ready);
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ(a->next_sent().status, Code::flushed);
        a->host.compute(10_ms);
        EXPECT_LT(us(busy("node 0, link 0 out")), 30);
    });
}

// What was refused leaves its place in the adapter, however often.
TEST_F(NotReady, WhatIsRefusedFillsNoBuffer) {
    plain.adapter.receive_buffer = 3_KiB;
    run([&] {
        const Slice data = a->slice(0, 10 << 10);
        a->fill(0, 10 << 10, 5);
        ASSERT_TRUE(a->pair->post(send(1, data)).ok());
        b->host.compute(550_us);
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 10 << 10)).ok());
        b->next_received();
        EXPECT_TRUE(b->holds(0, 10 << 10, 5));
    });
}

TEST_F(NotReady, WhatIsBehindItComesAgainOnceAndInOrder) {
    run([&] {
        const Slice small[3] = {a->slice(0, 8), a->slice(8, 8), a->slice(16, 3000)};
        a->fill(0, 4096, 9);
        ASSERT_TRUE(a->pair->post(send(1, small[0])).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, small[1], *b_at_a, 1000)).ok());
        ASSERT_TRUE(a->pair->post(send(3, small[2])).ok());
        const Slice old = a->slice(8192, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 4, old, *b_at_a, 1000)).ok());
        b->host.compute(150_us);
        EXPECT_EQ(b->memory->data()[1000], std::byte{}) << "held up behind the first";
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 8)).ok());
        EXPECT_EQ(b->next_received().id, 1U);
        b->host.compute(150_us);  // the third one finds nothing, too
        ASSERT_TRUE(b->post_receive(2, b->slice(2000, 4096)).ok());
        const Completion last = b->next_received();
        EXPECT_EQ(last.id, 2U);
        EXPECT_EQ(last.length, 3000_B);
        for (std::uint64_t id = 1; id <= 4; ++id) {
            const Completion done = a->next_sent();
            EXPECT_EQ(done.id, id);
            EXPECT_EQ(done.status, Status());
        }
        EXPECT_TRUE(a->nothing_within(1_ms));
        EXPECT_TRUE(b->nothing_within(1_ms));
        EXPECT_TRUE(
            std::equal(a->memory->data() + 8, a->memory->data() + 16, a->memory->data() + 8192));
    });
}

TEST_F(NotReady, TheConnectionFailsWhenItHasTriedOftenEnough) {
    plain.reliability.rnr_retries = 2;
    run([&] {
        const Time start = engine.now();
        const Slice nothing = a->slice(0, 0);
        ASSERT_TRUE(a->pair->post(send(1, nothing)).ok());
        ASSERT_TRUE(a->pair->post(send(2, nothing)).ok());
        EXPECT_EQ(a->next_sent().status, Code::receiver_not_ready);
        EXPECT_NEAR(us(elapsed(start)), judged_us + 2 * again_us + 0.6, 1);
        EXPECT_EQ(a->next_sent().status, Code::flushed);
        EXPECT_EQ(a->pair->reason(), Code::receiver_not_ready);
        wait_for(*b, *b->pair, ConnectionState::failed);
        EXPECT_EQ(b->pair->reason(), Code::remote_closed);
    });
}

// VIA's way: at the first packet, and for both sides. The rest stays where it is.
TEST_F(NotReady, WhereItBreaksTheConnectionNothingIsSentAgain) {
    plain.reliability.rnr_timer = {};
    plain.reliability.rnr_breaks = true;
    run([&] {
        const Time start = engine.now();
        const Slice data = a->slice(0, 1 << 20);
        ASSERT_TRUE(a->pair->post(send(1, data)).ok());
        ASSERT_TRUE(a->pair->post(send(2, data)).ok());
        wait_for(*b, *b->pair, ConnectionState::failed);
        EXPECT_EQ(b->pair->reason(), Code::remote_closed);
        EXPECT_EQ(a->next_sent().status, Code::receiver_not_ready);
        EXPECT_LT(us(elapsed(start)), 30);
        EXPECT_EQ(a->next_sent().status, Code::flushed);
        EXPECT_EQ(a->pair->reason(), Code::receiver_not_ready);
        a->host.compute(10_ms);
        EXPECT_LT(us(busy("node 0, link 0 out")), 30);
        EXPECT_EQ(busy("node 1, bus to memory"), Duration{});
        EXPECT_EQ(fabric->receiver_not_ready(), 1U);
    });
}

// Seven is for ever; but where nobody will ever receive, that has to be found.
TEST_F(NotReady, ARetryForEverDoesNotHideADeadlock) {
    EXPECT_THROW(run([&] {
                     const Slice nothing = a->slice(0, 0);
                     ASSERT_TRUE(a->pair->post(send(1, nothing)).ok());
                     Completion done;
                     a->host.wait_until([&] { return a->sent->poll(done); });
                 }),
                 sim::Deadlock);
}

TEST_F(NotReady, AReceiveThatComesLateIsFoundStill) {
    run([&] {
        const Slice nothing = a->slice(0, 0);
        ASSERT_TRUE(a->pair->post(send(1, nothing)).ok());
        b->host.compute(500_ms);
        const Time start = engine.now();
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        b->next_received();
        EXPECT_LT(us(elapsed(start)), again_us + 1);
    });
}

}  // namespace
}  // namespace railyard::model
