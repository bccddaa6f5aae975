// How queue pairs find each other, and how they part.

#include "pair.hpp"

namespace railyard::ideal::testing {
namespace {

using fabric::PrivateData;

class Connections : public Pair {
  protected:
    void unconnected(const std::function<void()>& body) { run(body, false); }
    Status ask(Rank& from, Rank& to, fabric::Discriminator discriminator,
               std::string_view data = {}, Time deadline = Time::never()) {
        return from.pair->connect_peer(to.nic->address(), discriminator, PrivateData(data),
                                       deadline);
    }
    static std::unique_ptr<fabric::ConnectionRequest> next_request(Rank& rank,
                                                                   fabric::Listener& listener) {
        std::unique_ptr<fabric::ConnectionRequest> request;
        rank.host.wait_until([&] { return (request = listener.poll()) != nullptr; },
                             rank.host.now() + 1_ms);
        return request;
    }
    /// The connection carries data from a to b.
    void expect_works() {
        a->fill(0, 64, 6);
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        const Slice slice = a->slice(0, 64);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        EXPECT_TRUE(b->next_received().status.ok());
        EXPECT_TRUE(b->holds(0, 64, 6));
        EXPECT_TRUE(a->next_sent().status.ok());
    }
};

TEST_F(Connections, ClientAndServerWithPrivateDataBothWays) {
    unconnected([&] {
        const auto listener = b->nic->listen(4);
        ASSERT_TRUE(
            a->pair->connect(b->nic->address(), 4, PrivateData("please"), Time::never()).ok());
        EXPECT_EQ(a->pair->state(), ConnectionState::connecting);
        EXPECT_EQ(ask(*a, *b, 1), Code::invalid) << "it is busy connecting";
        const auto request = next_request(*b, *listener);
        ASSERT_NE(request, nullptr);
        EXPECT_EQ(request->from(), a->nic->address());
        EXPECT_EQ(request->private_data().text(), "please");
        ASSERT_TRUE(b->pair->accept(*request, PrivateData("welcome")).ok());
        EXPECT_EQ(b->pair->peer_data().text(), "please");
        wait_for(*a, *a->pair, ConnectionState::connected);
        EXPECT_EQ(a->pair->peer_data().text(), "welcome");
        expect_works();
    });
}

TEST_F(Connections, RefusedWhenNobodyListensAndThenTriedAgain) {
    unconnected([&] {
        ASSERT_TRUE(a->pair->connect(b->nic->address(), 4, {}, Time::never()).ok());
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::refused);

        const auto listener = b->nic->listen(4);
        ASSERT_TRUE(a->pair->connect(b->nic->address(), 4, {}, Time::never()).ok());
        EXPECT_EQ(a->pair->state(), ConnectionState::connecting);
        ASSERT_TRUE(b->pair->accept(*next_request(*b, *listener), {}).ok());
        wait_for(*a, *a->pair, ConnectionState::connected);
        expect_works();
    });
}

TEST_F(Connections, RejectedWithAReason) {
    unconnected([&] {
        const auto listener = b->nic->listen(4);
        ASSERT_TRUE(a->pair->connect(b->nic->address(), 4, {}, Time::never()).ok());
        next_request(*b, *listener)->reject(PrivateData("full"));
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::refused);
        EXPECT_EQ(a->pair->peer_data().text(), "full");
    });
}

TEST_F(Connections, ARequestDroppedUnansweredIsRejected) {
    unconnected([&] {
        auto listener = b->nic->listen(4);
        ASSERT_TRUE(a->pair->connect(b->nic->address(), 4, {}, Time::never()).ok());
        next_request(*b, *listener).reset();
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::refused);

        ASSERT_TRUE(a->pair->connect(b->nic->address(), 4, {}, Time::never()).ok());
        b->host.compute(2_us);
        listener.reset();  // with the request in it
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::refused);
    });
}

TEST_F(Connections, AClientThatTimesOutWithdrawsItsRequest) {
    unconnected([&] {
        const auto listener = b->nic->listen(4);
        const Time start = engine.now();
        ASSERT_TRUE(a->pair->connect(b->nic->address(), 4, {}, start + 5_us).ok());
        const auto request = next_request(*b, *listener);
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(elapsed(start), 5_us);
        EXPECT_EQ(a->pair->reason(), Code::timed_out);
        b->host.compute(2_us);
        EXPECT_EQ(b->pair->accept(*request, {}), Code::remote_closed);
        EXPECT_NE(b->pair->state(), ConnectionState::connected);
    });
}

TEST_F(Connections, AnAcceptThatCrossesTheTimeOutEndsInRemoteClosed) {
    unconnected([&] {
        const auto listener = b->nic->listen(4);
        const Time start = engine.now();
        ASSERT_TRUE(a->pair->connect(b->nic->address(), 4, {}, start + 5_us).ok());
        const auto request = next_request(*b, *listener);
        b->host.compute(Time::at((start + 4500_ns).since_start()) - engine.now());
        ASSERT_TRUE(b->pair->accept(*request, {}).ok());
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::timed_out);
        wait_for(*b, *b->pair, ConnectionState::failed);
        EXPECT_EQ(b->pair->reason(), Code::remote_closed);
    });
}

TEST_F(Connections, PeersOneAfterTheOther) {
    unconnected([&] {
        ASSERT_TRUE(ask(*a, *b, 3, "from a").ok());
        std::optional<fabric::PeerRequest> request;
        b->host.wait_until([&] { return (request = b->nic->poll_peer_request()).has_value(); });
        EXPECT_EQ(request->from, a->nic->address());
        EXPECT_EQ(request->discriminator, 3U);
        EXPECT_EQ(request->private_data.text(), "from a");
        EXPECT_FALSE(b->nic->poll_peer_request().has_value()) << "each is given once";
        ASSERT_TRUE(
            b->pair->connect_peer(request->from, 3, PrivateData("from b"), Time::never()).ok());
        EXPECT_EQ(b->pair->state(), ConnectionState::connected);
        EXPECT_EQ(b->pair->peer_data().text(), "from a");
        wait_for(*a, *a->pair, ConnectionState::connected);
        EXPECT_EQ(a->pair->peer_data().text(), "from b");
        EXPECT_FALSE(a->nic->poll_peer_request().has_value());
        expect_works();
    });
}

TEST_F(Connections, PeersInCollisionAtEveryOffset) {
    for (const std::int64_t offset : {0, 1, 500, 999, 1000, 1001, 1500, 2000, 2001, 5000}) {
        unconnected([&] {
            ASSERT_TRUE(ask(*a, *b, 3, "from a").ok());
            b->host.compute(Duration::ns(offset));
            ASSERT_TRUE(ask(*b, *a, 3, "from b").ok());
            wait_for(*a, *a->pair, ConnectionState::connected);
            wait_for(*b, *b->pair, ConnectionState::connected);
            EXPECT_EQ(a->pair->peer_data().text(), "from b");
            EXPECT_EQ(b->pair->peer_data().text(), "from a");
            EXPECT_FALSE(a->nic->poll_peer_request().has_value()) << offset;
            EXPECT_FALSE(b->nic->poll_peer_request().has_value() && offset < 1000) << offset;
            expect_works();
        });
    }
}

TEST_F(Connections, DiscriminatorsTellConnectionsOfOnePairApart) {
    unconnected([&] {
        std::unique_ptr<fabric::ReceiveQueue> receives[4];
        std::unique_ptr<fabric::QueuePair> from[2] = {a->another(receives[0]),
                                                      a->another(receives[1])};
        std::unique_ptr<fabric::QueuePair> into[2] = {b->another(receives[2]),
                                                      b->another(receives[3])};
        for (unsigned i = 0; i < 2; ++i)
            ASSERT_TRUE(from[i]->connect_peer(b->nic->address(), i, {}, Time::never()).ok());
        for (unsigned i : {1U, 0U})
            ASSERT_TRUE(into[i]->connect_peer(a->nic->address(), i, {}, Time::never()).ok());
        for (unsigned i = 0; i < 2; ++i) {
            wait_for(*a, *from[i], ConnectionState::connected);
            wait_for(*b, *into[i], ConnectionState::connected);
            const Slice buffer = b->slice(0, 8);
            ASSERT_TRUE(receives[2 + i]->post(ReceiveRequest{i, {&buffer, 1}}).ok());
            const Slice slice = a->slice(0, 8);
            ASSERT_TRUE(from[i]->post(send(i, slice)).ok());
            EXPECT_EQ(b->next_received().queue_pair, into[i].get());
        }
    });
}

TEST_F(Connections, APeerThatTimesOutLeavesNoRequestBehind) {
    unconnected([&] {
        ASSERT_TRUE(ask(*a, *b, 3, {}, engine.now() + 5_us).ok());
        EXPECT_EQ(ask(*a, *b, 3), Code::invalid);
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::timed_out);
        b->host.compute(2_us);
        EXPECT_FALSE(b->nic->poll_peer_request().has_value());
        // Both ask again, and it works.
        ASSERT_TRUE(ask(*b, *a, 3).ok());
        ASSERT_TRUE(ask(*a, *b, 3).ok());
        wait_for(*a, *a->pair, ConnectionState::connected);
        wait_for(*b, *b->pair, ConnectionState::connected);
        expect_works();
    });
}

TEST_F(Connections, WhateverTheTimeOutCrossesBothSidesEndAlikeAndMayTryAgain) {
    // a gives up after 3 us; b asks at any moment around that.
    for (std::int64_t asks_at = 0; asks_at <= 6'000; asks_at += 250) {
        unconnected([&] {
            const Time start = engine.now();
            ASSERT_TRUE(ask(*a, *b, 3, {}, start + 3_us).ok());
            b->host.compute(Duration::ns(asks_at));
            ASSERT_TRUE(ask(*b, *a, 3, {}, engine.now() + 10_us).ok());
            b->host.compute(50_us);
            const auto at_a = a->pair->state();
            EXPECT_EQ(at_a, b->pair->state()) << "asked at " << asks_at << " ns";
            EXPECT_TRUE(at_a == ConnectionState::connected || at_a == ConnectionState::failed);
            if (at_a == ConnectionState::failed) {
                ASSERT_TRUE(ask(*b, *a, 3).ok());
                ASSERT_TRUE(ask(*a, *b, 3).ok());
                wait_for(*a, *a->pair, ConnectionState::connected);
                wait_for(*b, *b->pair, ConnectionState::connected);
            }
            expect_works();
        });
    }
}

TEST_F(Connections, ANicThatIsGoneRefuses) {
    unconnected([&] {
        const fabric::Address address = b->nic->address();
        ASSERT_TRUE(ask(*a, *b, 3).ok());
        b->host.compute(2_us);
        b.reset();  // with the request unanswered
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::refused);
        ASSERT_TRUE(a->pair->connect(address, 1, {}, Time::never()).ok());
        wait_for(*a, *a->pair, ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), Code::refused);
        EXPECT_EQ(a->pair->connect(fabric::Address{}, 1, {}, Time::never()), Code::invalid);
    });
}

TEST_F(Connections, OneListenerAService) {
    unconnected([&] {
        auto listener = b->nic->listen(4);
        EXPECT_THROW(b->nic->listen(4), Error);
        listener.reset();
        EXPECT_NE(b->nic->listen(4), nullptr);
    });
}

TEST_F(Connections, ClosingFlushesHereAndThereButDeliversWhatHadLeft) {
    run([&] {
        a->fill(0, 64, 1);
        for (std::uint64_t id = 1; id <= 3; ++id)
            ASSERT_TRUE(b->post_receive(id, b->slice(id * 64, 64)).ok());
        const Slice slice = a->slice(0, 64);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        a->host.compute(200_ns);
        a->pair->close();
        a->fill(0, 64, 2);  // the memory is ours again
        EXPECT_EQ(a->pair->state(), ConnectionState::idle);
        EXPECT_EQ(a->next_sent().status, Code::flushed);
        EXPECT_EQ(a->pair->post(send(2, slice)), Code::not_connected);

        const Completion delivered = b->next_received();
        EXPECT_TRUE(delivered.status.ok());
        EXPECT_TRUE(b->holds(64, 64, 1));
        EXPECT_EQ(b->next_received().status, Code::flushed);
        EXPECT_EQ(b->next_received().status, Code::flushed);
        EXPECT_EQ(b->pair->state(), ConnectionState::failed);
        EXPECT_EQ(b->pair->reason(), Code::remote_closed);

        // A closed queue pair may connect again, and so may its peer's.
        connect(*a, *a->pair, *b, *b->pair, 7);
        expect_works();
    });
}

TEST_F(Connections, RequestsUnderWayWhenThePeerGoesEndInRemoteClosed) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        for (std::uint64_t id = 1; id <= 3; ++id)
            ASSERT_TRUE(a->pair->post(send(id, slice)).ok());  // no receive is posted
        b->host.compute(5_us);
        b.reset();
        EXPECT_EQ(a->next_sent().status, Code::remote_closed);
        EXPECT_EQ(a->next_sent().status, Code::flushed);
        EXPECT_EQ(a->next_sent().status, Code::flushed);
        EXPECT_EQ(a->pair->reason(), Code::remote_closed);
    });
}

TEST_F(Connections, DestroyingAQueuePairDiscardsItsCompletions) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, slice, *b_at_a, 0)).ok());
        a->host.compute(2_us + 10_ns);
        a->pair.reset();
        EXPECT_TRUE(a->nothing_within(1_ms));
    });
}

TEST_F(Connections, CloseAtAnyMoment) {
    // A queue pair with everything under way is closed or destroyed, here or there, at 60 moments.
    for (int how = 0; how < 4; ++how)
        for (std::int64_t when = 0; when <= 3'000; when += 50) {
            run([&] {
                const auto a_at_b = b->nic->import_region(a->memory->export_blob());
                b->fill(0, 1000, 1);
                for (std::uint64_t id = 0; id < 4; ++id)
                    ASSERT_TRUE(b->post_receive(id, b->slice(8192, 300)).ok());
                const Slice slice = a->slice(0, 300);
                const Slice there = b->slice(4096, 300);
                const Slice eight = a->slice(0, 8);
                for (std::uint64_t id = 0; id < 4; ++id) {
                    (void)a->pair->post(send(id, slice));
                    (void)a->pair->post(rdma(Op::rdma_read, id, slice, *b_at_a, 0));
                    (void)a->pair->post(rdma(Op::rdma_write_imm, id, slice, *b_at_a, 4096));
                    (void)a->pair->post(rdma(Op::fetch_add, id, eight, *b_at_a, 0, Flags::fence));
                    (void)b->pair->post(rdma(Op::rdma_write, id, there, *a_at_b, 4096));
                }
                a->host.compute(Duration::ns(when));
                Rank& closer = how % 2 == 0 ? *a : *b;
                Rank& other = how % 2 == 0 ? *b : *a;
                if (how < 2)
                    closer.pair->close();
                else
                    closer.pair.reset();
                wait_for(other, *other.pair, ConnectionState::failed);
                EXPECT_EQ(other.pair->reason(), Code::remote_closed);
                // Each request of either side has come to one end.
                Completion completion;
                int ends = 0;
                while (a->sent->poll(completion))
                    ++ends;
                if (how != 2) {
                    EXPECT_EQ(ends, 16);
                } else {
                    EXPECT_EQ(ends, 0);
                }
                for (ends = 0; b->sent->poll(completion);)
                    ++ends;
                EXPECT_EQ(ends, how == 3 ? 0 : 4);
                for (ends = 0; b->received->poll(completion);)
                    ++ends;
                EXPECT_EQ(ends, how == 3 ? 0 : 4);
            });
        }
}

TEST_F(Connections, TheFabricMayGoWhileEventsArePending) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        b_at_a.reset();
        a.reset();
        b.reset();
        fabric.reset();
        engine.sleep_until(engine.now() + 10_us);
    });
}

}  // namespace
}  // namespace railyard::ideal::testing
