// Every misuse and its status; what a failure flushes, and what it leaves alone.

#include "pair.hpp"

namespace railyard::ideal::testing {
namespace {

class Errors : public Pair {
  protected:
    /// Posts it with another behind it: the first gets `status`, the second is flushed, and both
    /// sides' queue pairs fail.
    void expect_failure(const WorkRequest& request, Code status, Code reason_there) {
        ASSERT_TRUE(b->post_receive(50, b->slice(0, 64)).ok());
        const Slice slice = a->slice(0, 8);
        const WorkRequest behind = rdma(Op::rdma_write, 2, slice, *b_at_a, 0, Flags::unsignalled);
        ASSERT_EQ(a->pair->post(std::vector{request, behind}).count, 2U);
        const Completion first = a->next_sent();
        EXPECT_EQ(first.id, request.id);
        EXPECT_EQ(first.status, status) << first.status.name();
        const Completion second = a->next_sent();
        EXPECT_EQ(second.id, 2U);
        EXPECT_EQ(second.status, Code::flushed);
        EXPECT_EQ(a->pair->state(), ConnectionState::failed);
        EXPECT_EQ(a->pair->reason(), status);
        EXPECT_EQ(a->pair->post(behind), Code::flushed);

        wait_for(*b, *b->pair, ConnectionState::failed);
        EXPECT_EQ(b->pair->reason(), reason_there) << b->pair->reason().name();
        const Completion receive = b->next_received();
        EXPECT_EQ(receive.id, 50U);
        EXPECT_EQ(receive.status, reason_there == Code::too_long ? Code::too_long : Code::flushed);
        ASSERT_TRUE(b->post_receive(51, b->slice(0, 64)).ok()) << "flushed at once";
        EXPECT_EQ(b->next_received().status, Code::flushed);
    }
};

TEST_F(Errors, BadKey) {
    run([&] {
        const auto nonsense = a->nic->import_region(fabric::RegionBlob{});
        const Slice slice = a->slice(0, 8);
        expect_failure(rdma(Op::rdma_write, 1, slice, *nonsense, 0), Code::bad_key,
                       Code::remote_closed);
    });
}

TEST_F(Errors, AKeyOfAnotherNicIsABadKey) {
    run([&] {
        const auto own = a->nic->import_region(a->memory->export_blob());
        const Slice slice = a->slice(0, 8);
        expect_failure(rdma(Op::rdma_read, 1, slice, *own, 0), Code::bad_key, Code::remote_closed);
    });
}

TEST_F(Errors, OutOfBoundsThere) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        expect_failure(rdma(Op::rdma_read, 1, slice, *b_at_a, (1 << 20) - 7), Code::out_of_bounds,
                       Code::remote_closed);
    });
}

TEST_F(Errors, OutOfBoundsHere) {
    run([&] {
        const Slice slice = a->slice((1 << 20) - 7, 8);
        expect_failure(rdma(Op::rdma_write, 1, slice, *b_at_a, 0), Code::out_of_bounds,
                       Code::remote_closed);
    });
}

TEST_F(Errors, OffsetsThatOverflowAreOutOfBounds) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        expect_failure(rdma(Op::rdma_write, 1, slice, *b_at_a, ~std::uint64_t{0} - 3),
                       Code::out_of_bounds, Code::remote_closed);
    });
}

TEST_F(Errors, NoRight) {
    run([&] {
        const auto readable = b->nic->allocate(64_B, Access::remote_read);
        const auto remote = a->nic->import_region(readable->export_blob());
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, slice, *remote, 0)).ok());
        EXPECT_TRUE(a->next_sent().status.ok());
        expect_failure(rdma(Op::rdma_write, 1, slice, *remote, 0), Code::no_right,
                       Code::remote_closed);
    });
}

TEST_F(Errors, AtomicsNeedTheirOwnRightAndAlignment) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        expect_failure(rdma(Op::fetch_add, 1, slice, *b_at_a, 4), Code::misaligned,
                       Code::remote_closed);
    });
    run([&] {
        const auto region = b->nic->allocate(64_B, Access::remote_read | Access::remote_write);
        const auto remote = a->nic->import_region(region->export_blob());
        const Slice slice = a->slice(0, 8);
        expect_failure(rdma(Op::compare_swap, 1, slice, *remote, 0), Code::no_right,
                       Code::remote_closed);
    });
}

TEST_F(Errors, RegionGone) {
    run([&] {
        auto region = b->nic->allocate(64_B, Access::all);
        const auto remote = a->nic->import_region(region->export_blob());
        region.reset();
        const Slice slice = a->slice(0, 8);
        expect_failure(rdma(Op::rdma_write, 1, slice, *remote, 0), Code::region_gone,
                       Code::remote_closed);
    });
}

TEST_F(Errors, TheRegionGoesWhileTheWriteIsUnderWay) {
    run([&] {
        std::vector<std::byte> memory(64);
        auto region = b->nic->register_memory(memory, Access::all);
        const auto remote = a->nic->import_region(region->export_blob());
        const Slice slice = a->slice(0, 64);
        a->fill(0, 64, 1);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *remote, 0)).ok());
        b->host.compute(500_ns);
        region.reset();
        const std::vector<std::byte> before = memory;
        EXPECT_EQ(a->next_sent().status, Code::region_gone);
        EXPECT_EQ(memory, before);
    });
}

TEST_F(Errors, OwnMemoryGoesWhileAReadIsUnderWay) {
    run([&] {
        auto own = a->nic->allocate(64_B, Access::local);
        const Slice into(*own);
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, into, *b_at_a, 0)).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, slice, *b_at_a, 0, Flags::fence)).ok());
        a->host.compute(500_ns);
        own.reset();  // which is wrong, and must do no harm
        EXPECT_EQ(a->next_sent().status, Code::region_gone);
        EXPECT_EQ(a->next_sent().status, Code::flushed);
        EXPECT_EQ(a->pair->state(), ConnectionState::failed);
        wait_for(*b, *b->pair, ConnectionState::failed);
    });
}

TEST_F(Errors, TooLongForTheReceive) {
    run([&] {
        const Slice slice = a->slice(0, 65);
        expect_failure(send(1, slice), Code::too_long, Code::too_long);
    });
}

TEST_F(Errors, AReceiveThatLeavesItsRegionFailsBothSides) {
    run([&] {
        ASSERT_TRUE(b->post_receive(1, b->slice((1 << 20) - 4, 8)).ok());
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        EXPECT_EQ(b->next_received().status, Code::out_of_bounds);
        EXPECT_EQ(a->next_sent().status, Code::remote_fault);
        EXPECT_EQ(b->pair->state(), ConnectionState::failed);
        EXPECT_EQ(b->pair->reason(), Code::out_of_bounds);
    });
}

TEST_F(Errors, ReceiverNotReadyInTime) {
    run([&] {
        std::unique_ptr<fabric::ReceiveQueue> receives[2];
        fabric::QueuePairOptions options;
        options.receiver_not_ready_timeout = 10_us;
        const auto from = a->another(receives[0], options);
        const auto into = b->another(receives[1]);
        connect(*a, *from, *b, *into, 2);
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(from->post(send(1, slice)).ok());
        b->host.compute(5_us);
        const Slice buffer = b->slice(0, 8);
        ASSERT_TRUE(receives[1]->post(ReceiveRequest{1, {&buffer, 1}}).ok());
        EXPECT_TRUE(a->next_sent().status.ok()) << "in time";

        const Time start = engine.now();
        ASSERT_TRUE(from->post(send(2, slice)).ok());
        EXPECT_EQ(a->next_sent().status, Code::receiver_not_ready);
        EXPECT_EQ(elapsed(start), 12_us + 8_ns);
        EXPECT_EQ(from->state(), ConnectionState::failed);
        wait_for(*b, *into, ConnectionState::failed);
    });
}

TEST_F(Errors, TheFailureOfOneHarmsNoOther) {
    run([&] {
        std::unique_ptr<fabric::ReceiveQueue> receives[2];
        const auto from = a->another(receives[0]);
        const auto into = b->another(receives[1]);
        connect(*a, *from, *b, *into, 2);
        const auto nonsense = a->nic->import_region(fabric::RegionBlob{});
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *nonsense, 0)).ok());
        ASSERT_TRUE(from->post(rdma(Op::rdma_write, 2, slice, *b_at_a, 0)).ok());
        EXPECT_EQ(a->next_sent().status, Code::bad_key);
        const Completion other = a->next_sent();
        EXPECT_EQ(other.queue_pair, from.get());
        EXPECT_TRUE(other.status.ok());
        EXPECT_EQ(into->state(), ConnectionState::connected);
    });
}

TEST_F(Errors, WhatWasPostedBeforeTheBadOneCompletes) {
    run([&] {
        const auto nonsense = a->nic->import_region(fabric::RegionBlob{});
        b->fill(0, 50'000, 4);
        const Slice long_read = a->slice(0, 50'000);
        const Slice slice = a->slice(0, 8);
        // The refusal is back long before the data of the read.
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, long_read, *b_at_a, 0)).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, slice, *nonsense, 0)).ok());
        const Completion read = a->next_sent();
        EXPECT_EQ(read.id, 1U);
        EXPECT_TRUE(read.status.ok()) << read.status.name();
        EXPECT_TRUE(a->holds(0, 50'000, 4));
        EXPECT_EQ(a->next_sent().status, Code::bad_key);
    });
}

TEST_F(Errors, AnUnsignalledRequestThatFailsTells) {
    run([&] {
        const auto nonsense = a->nic->import_region(fabric::RegionBlob{});
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(
            a->pair->post(rdma(Op::rdma_write, 1, slice, *nonsense, 0, Flags::unsignalled)).ok());
        EXPECT_EQ(a->next_sent().status, Code::bad_key);
    });
}

TEST_F(Errors, ASharedReceiveQueueIsNotFlushed) {
    run([&] {
        const auto shared = b->nic->create_receive_queue(8, fabric::ReceiveQueue::Sharing::shared);
        std::unique_ptr<fabric::ReceiveQueue> receives;
        const auto from = a->another(receives);
        fabric::QueuePairOptions options;
        options.send_completions = b->sent.get();
        options.receive_completions = b->received.get();
        options.receives = shared.get();
        const auto into = b->nic->create_queue_pair(options);
        connect(*a, *from, *b, *into, 2);
        const Slice buffer = b->slice(0, 8);
        ASSERT_TRUE(shared->post(ReceiveRequest{1, {&buffer, 1}}).ok());
        from->close();
        wait_for(*b, *into, ConnectionState::failed);
        EXPECT_EQ(into->reason(), Code::remote_closed);
        EXPECT_TRUE(b->nothing_within(1_ms));
    });
}

TEST_F(Errors, ACompletionQueueThatIsTooShortFailsTheQueuePairAndLosesNothing) {
    run([&] {
        const auto queue = a->nic->create_completion_queue(2);
        std::unique_ptr<fabric::ReceiveQueue> receives[2];
        fabric::QueuePairOptions options;
        options.send_completions = queue.get();
        const auto from = a->another(receives[0], options);
        const auto into = b->another(receives[1]);
        connect(*a, *from, *b, *into, 2);
        const Slice slice = a->slice(0, 8);
        for (std::uint64_t id = 1; id <= 5; ++id)
            ASSERT_TRUE(from->post(rdma(Op::rdma_write, id, slice, *b_at_a, 0)).ok());
        wait_for(*a, *from, ConnectionState::failed);
        EXPECT_EQ(from->reason(), Code::overrun);
        const Code expected[] = {Code::ok, Code::ok, Code::overrun, Code::flushed, Code::flushed};
        Completion completion;
        for (std::uint64_t id = 1; id <= 5; ++id) {
            ASSERT_TRUE(queue->poll(completion));
            EXPECT_EQ(completion.id, id);
            EXPECT_EQ(completion.status, expected[id - 1]);
        }
        EXPECT_FALSE(queue->poll(completion));
        wait_for(*b, *into, ConnectionState::failed);
    });
}

TEST_F(Errors, MalformedCallsAreRefusedAndHarmNothing) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        WorkRequest request = send(1, slice);
        request.op = Op::receive;
        EXPECT_EQ(a->pair->post(request), Code::invalid);
        request.op = Op::rdma_write;
        EXPECT_EQ(a->pair->post(request), Code::invalid) << "no remote region";
        const Slice four = a->slice(0, 4);
        EXPECT_EQ(a->pair->post(rdma(Op::fetch_add, 1, four, *b_at_a, 0)), Code::invalid);
        const Slice foreign = b->slice(0, 8);
        EXPECT_EQ(a->pair->post(send(1, foreign)), Code::invalid);
        EXPECT_EQ(a->post_receive(1, foreign), Code::invalid);
        const Slice none;
        EXPECT_EQ(a->pair->post(send(1, none)), Code::invalid);
        const std::vector<Slice> many(17, slice);
        request = send(1, slice);
        request.local = many;
        EXPECT_EQ(a->pair->post(request), Code::invalid);
        request = rdma(Op::rdma_read, 1, slice, *b_at_a, 0, Flags::inlined);
        request.local = {};
        EXPECT_EQ(a->pair->post(request), Code::invalid) << "nowhere to read into";
        request = send(1, slice, Flags::inlined);
        EXPECT_EQ(a->pair->post(request), Code::invalid) << "slices, yet inlined";
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, slice, *b_at_a, 0)).ok());
        EXPECT_EQ(a->next_sent().id, 2U);
    });
}

TEST_F(Errors, QueuesMustFitTheirQueuePair) {
    run([&] {
        fabric::QueuePairOptions options;
        EXPECT_THROW(a->nic->create_queue_pair(options), UsageError);
        options.send_completions = b->sent.get();
        EXPECT_THROW(a->nic->create_queue_pair(options), UsageError);
        options.send_completions = a->sent.get();
        options.receive_completions = a->received.get();
        options.receives = a->receives.get();
        EXPECT_THROW(a->nic->create_queue_pair(options), UsageError) << "it has an owner";
        options.receives = nullptr;
        options.send_depth = 5000;
        EXPECT_THROW(a->nic->create_queue_pair(options), UsageError);
        options.send_depth = 16;
        options.port = 1;
        EXPECT_THROW(a->nic->create_queue_pair(options), UsageError);
        options.port = 0;
        EXPECT_NE(a->nic->create_queue_pair(options), nullptr);
        EXPECT_THROW(a->nic->allocate(64_B, Access::all, fabric::Home::adapter), Error);
    });
}

TEST_F(Errors, AnUnconnectedQueuePairTakesNothing) {
    run(
        [&] {
            const Slice slice = a->slice(0, 8);
            const WorkRequest request = send(1, slice);
            const auto posted = a->pair->post(std::span(&request, 1));
            EXPECT_EQ(posted.count, 0U);
            EXPECT_EQ(posted.status, Code::not_connected);
        },
        false);
}

}  // namespace
}  // namespace railyard::ideal::testing
