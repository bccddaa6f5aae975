// What requests do, and in what order they complete.

#include <string>

#include "pair.hpp"

namespace railyard::ideal::testing {
namespace {

using Work = Pair;

TEST_F(Work, MessagesOfNoBytesArriveToo) {
    run([&] {
        ASSERT_TRUE(b->receives->post(ReceiveRequest{5, {}}).ok());
        WorkRequest request;
        request.id = 1;
        ASSERT_TRUE(a->pair->post(request).ok());
        const Completion received = b->next_received();
        EXPECT_EQ(received.id, 5U);
        EXPECT_EQ(received.op, Op::receive);
        EXPECT_EQ(received.length, 0_B);
        const Slice nothing = a->slice(0, 0);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, nothing, *b_at_a, 0)).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 3, nothing, *b_at_a, 1 << 20)).ok());
        for (std::uint64_t id = 1; id <= 3; ++id) {
            const Completion sent = a->next_sent();
            EXPECT_EQ(sent.id, id);
            EXPECT_TRUE(sent.status.ok());
        }
    });
}

TEST_F(Work, GathersAndScatters) {
    run([&] {
        a->fill(0, 1000, 1);
        const std::vector<Slice> from{a->slice(0, 100), a->slice(100, 0), a->slice(100, 700),
                                      a->slice(800, 200)};
        const std::vector<Slice> into{b->slice(500, 1), b->slice(501, 499), b->slice(1000, 0),
                                      b->slice(1000, 600)};
        ASSERT_TRUE(b->receives->post(ReceiveRequest{1, into}).ok());
        WorkRequest request;
        request.local = from;
        ASSERT_TRUE(a->pair->post(request).ok());
        EXPECT_EQ(b->next_received().length, 1000_B);
        EXPECT_TRUE(b->holds(500, 1000, 1));
    });
}

TEST_F(Work, InlinedDataAreTakenAtPosting) {
    run([&] {
        std::string text = "hello, peer";
        WorkRequest request;
        request.op = Op::rdma_write;
        request.flags = Flags::inlined;
        request.bytes = std::as_bytes(std::span(text));
        request.remote = {b_at_a.get(), 64_B};
        ASSERT_TRUE(a->pair->post(request).ok());
        text.assign(text.size(), '!');
        EXPECT_TRUE(a->next_sent().status.ok());
        EXPECT_EQ(std::memcmp(b->memory->data() + 64, "hello, peer", 11), 0);

        const std::string longest(65, 'x');
        request.bytes = std::as_bytes(std::span(longest));
        EXPECT_EQ(a->pair->post(request), Code::too_long);
    });
}

TEST_F(Work, ImmediateValuesComeWithTheReceive) {
    run([&] {
        for (std::uint64_t id = 1; id <= 3; ++id)
            ASSERT_TRUE(b->post_receive(id, b->slice(0, 64)).ok());
        a->fill(0, 64, 9);
        const Slice slice = a->slice(0, 64);
        WorkRequest write = rdma(Op::rdma_write_imm, 1, slice, *b_at_a, 4096);
        write.immediate = 77;
        WorkRequest with = send(2, slice);
        with.with_immediate = true;
        with.immediate = 78;
        ASSERT_EQ(a->pair->post(std::vector{write, with, send(3, slice)}).count, 3U);

        Completion completion = b->next_received();
        EXPECT_EQ(completion.length, 64_B);
        EXPECT_TRUE(completion.has_immediate);
        EXPECT_EQ(completion.immediate, 77U);
        EXPECT_TRUE(b->holds(4096, 64, 9));
        completion = b->next_received();
        EXPECT_TRUE(completion.has_immediate);
        EXPECT_EQ(completion.immediate, 78U);
        EXPECT_FALSE(b->next_received().has_immediate);
    });
}

TEST_F(Work, AtomicsGiveTheOldValue) {
    run([&] {
        const std::uint64_t before = 40;
        std::memcpy(b->memory->data() + 8, &before, 8);
        const Slice slice = a->slice(0, 8);
        const auto old = [&] {
            std::uint64_t value = 0;
            std::memcpy(&value, a->memory->data(), 8);
            return value;
        };
        WorkRequest request = rdma(Op::fetch_add, 1, slice, *b_at_a, 8);
        request.operand = 2;
        ASSERT_TRUE(a->pair->post(request).ok());
        EXPECT_EQ(a->next_sent().length, 8_B);
        EXPECT_EQ(old(), 40U);

        request.op = Op::compare_swap;
        request.operand = 41;
        request.swap = 1;
        ASSERT_TRUE(a->pair->post(request).ok());
        a->next_sent();
        EXPECT_EQ(old(), 42U) << "not equal, not swapped";
        request.operand = 42;
        ASSERT_TRUE(a->pair->post(request).ok());
        a->next_sent();
        EXPECT_EQ(old(), 42U);
        ASSERT_TRUE(a->pair->post(request).ok());
        a->next_sent();
        EXPECT_EQ(old(), 1U);
    });
}

TEST_F(Work, CompletionsKeepTheOrderOfPostingEvenPastAReadThatIsOvertaken) {
    run([&] {
        b->fill(0, 100'000, 1);
        a->fill(200'000, 8, 2);
        const Slice long_read = a->slice(0, 100'000);
        const Slice short_write = a->slice(200'000, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, long_read, *b_at_a, 0)).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, short_write, *b_at_a, 200'000)).ok());
        b->host.compute(2_us);
        EXPECT_TRUE(b->holds(200'000, 8, 2)) << "the write is there already";
        EXPECT_EQ(a->next_sent().id, 1U);
        EXPECT_EQ(a->next_sent().id, 2U);
    });
}

TEST_F(Work, AFenceWaitsForEarlierReads) {
    run([&] {
        b->fill(0, 100'000, 1);
        a->fill(200'000, 8, 2);
        const Time start = engine.now();
        const Slice long_read = a->slice(0, 100'000);
        const Slice short_write = a->slice(200'000, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 1, long_read, *b_at_a, 0)).ok());
        ASSERT_TRUE(
            a->pair->post(rdma(Op::rdma_write, 2, short_write, *b_at_a, 0, Flags::fence)).ok());
        EXPECT_EQ(a->next_sent().id, 1U);
        EXPECT_TRUE(a->holds(0, 100'000, 1)) << "the write behind it must not be in it";
        EXPECT_EQ(a->next_sent().id, 2U);
        EXPECT_EQ(elapsed(start), 102_us + 2_us + 8_ns);
    });
}

TEST_F(Work, UnsignalledRequestsTellNothingButGiveTheirRoomBack) {
    run([&] {
        std::unique_ptr<fabric::ReceiveQueue> receives_a;
        std::unique_ptr<fabric::ReceiveQueue> receives_b;
        fabric::QueuePairOptions options;
        options.send_depth = 4;
        const auto pair_a = a->another(receives_a, options);
        const auto pair_b = b->another(receives_b);
        connect(*a, *pair_a, *b, *pair_b, 2);
        const Slice slice = a->slice(0, 8);
        const WorkRequest request = rdma(Op::rdma_write, 1, slice, *b_at_a, 0, Flags::unsignalled);
        const std::vector<WorkRequest> six(6, request);
        const auto posted = pair_a->post(six);
        EXPECT_EQ(posted.count, 4U);
        EXPECT_TRUE(posted.status.again());
        // Waiting for room works although no completion will ever say that there is some.
        EXPECT_TRUE(
            a->host.wait_until([&] { return pair_a->post(request).ok(); }, a->host.now() + 1_s));
        EXPECT_TRUE(a->nothing_within(1_ms));
    });
}

TEST_F(Work, AFullReceiveQueueSaysAgain) {
    run([&] {
        const auto queue = b->nic->create_receive_queue(2);
        EXPECT_TRUE(queue->post(ReceiveRequest{}).ok());
        EXPECT_TRUE(queue->post(ReceiveRequest{}).ok());
        EXPECT_TRUE(queue->post(ReceiveRequest{}).again());
    });
}

TEST_F(Work, ASendWaitsForItsReceiveAndHoldsUpWhatIsBehindIt) {
    run([&] {
        a->fill(0, 64, 5);
        const Slice slice = a->slice(0, 64);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 2, slice, *b_at_a, 4096)).ok());
        EXPECT_TRUE(a->nothing_within(1_ms));
        EXPECT_FALSE(b->holds(4096, 64, 5));
        ASSERT_TRUE(b->post_receive(3, b->slice(0, 64)).ok());
        EXPECT_EQ(b->next_received().id, 3U);
        EXPECT_TRUE(b->holds(0, 64, 5));
        EXPECT_TRUE(b->holds(4096, 64, 5));
        EXPECT_EQ(a->next_sent().id, 1U);
        EXPECT_EQ(a->next_sent().id, 2U);
    });
}

TEST_F(Work, ASharedReceiveQueueServesSeveralInTheOrderOfArrival) {
    run([&] {
        const auto shared = b->nic->create_receive_queue(8, fabric::ReceiveQueue::Sharing::shared);
        std::unique_ptr<fabric::ReceiveQueue> receives[2];
        std::unique_ptr<fabric::QueuePair> from[2];
        std::unique_ptr<fabric::QueuePair> into[2];
        for (unsigned i = 0; i < 2; ++i) {
            from[i] = a->another(receives[i]);
            fabric::QueuePairOptions options;
            options.send_completions = b->sent.get();
            options.receive_completions = b->received.get();
            options.receives = shared.get();
            into[i] = b->nic->create_queue_pair(options);
            connect(*a, *from[i], *b, *into[i], 10 + i);
        }
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(from[1]->post(send(1, slice)).ok());  // waits first
        ASSERT_TRUE(from[0]->post(send(2, slice)).ok());
        ASSERT_TRUE(from[1]->post(send(3, slice)).ok());
        EXPECT_TRUE(b->nothing_within(1_ms));
        const Slice buffer = b->slice(0, 8);
        for (std::uint64_t id = 100; id < 103; ++id)
            ASSERT_TRUE(shared->post(ReceiveRequest{id, {&buffer, 1}}).ok());
        const fabric::QueuePair* expected[] = {into[1].get(), into[0].get(), into[1].get()};
        for (std::uint64_t i = 0; i < 3; ++i) {
            const Completion completion = b->next_received();
            EXPECT_EQ(completion.id, 100 + i);
            EXPECT_EQ(completion.queue_pair, expected[i]);
        }
    });
}

TEST_F(Work, OnlySolicitedArrivalsEndASleepThatAskedForThoseOnly) {
    run([&] {
        for (std::uint64_t id = 0; id < 3; ++id)
            ASSERT_TRUE(b->post_receive(id, b->slice(0, 64)).ok());
        b->received->wake_for(fabric::CompletionQueue::WakeFor::solicited);
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        auto ticket = b->host.prepare_wait();
        EXPECT_FALSE(b->host.wait(ticket, b->host.now() + 10_us, fabric::Wait::sleep));
        Completion completion;
        EXPECT_TRUE(b->received->poll(completion)) << "it is there all the same";

        ASSERT_TRUE(a->pair->post(send(2, slice)).ok());
        EXPECT_TRUE(b->host.wait(b->host.prepare_wait(), b->host.now() + 10_us, fabric::Wait::spin))
            << "who spins sees everything";

        const Time start = engine.now();
        ASSERT_TRUE(a->pair->post(send(3, slice, Flags::solicited)).ok());
        ticket = b->host.prepare_wait();
        EXPECT_TRUE(b->host.wait(ticket, b->host.now() + 10_us, fabric::Wait::sleep));
        EXPECT_EQ(elapsed(start), 1_us + 8_ns);
    });
}

TEST_F(Work, ASendMayInvalidateARegionOfThePeers) {
    run([&] {
        std::vector<std::byte> memory(64);
        const auto region = b->nic->register_memory(memory, Access::all);
        const auto remote = a->nic->import_region(region->export_blob());
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *remote, 0)).ok());
        WorkRequest request = send(2, slice);
        request.invalidate = remote.get();
        ASSERT_TRUE(a->pair->post(request).ok());
        EXPECT_TRUE(a->next_sent().status.ok());
        EXPECT_EQ(b->next_received().invalidated, region.get());
        EXPECT_TRUE(a->next_sent().status.ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 3, slice, *remote, 0)).ok());
        EXPECT_EQ(a->next_sent().status, Code::region_gone);
    });
}

TEST_F(Work, AQueuePairMayBeConnectedToOneOfTheSameNic) {
    run([&] {
        std::unique_ptr<fabric::ReceiveQueue> receives[2];
        const auto one = a->another(receives[0]);
        const auto other = a->another(receives[1]);
        connect(*a, *one, *a, *other, 5);
        a->fill(0, 64, 1);
        const Slice into = a->slice(1000, 64);
        ASSERT_TRUE(receives[1]->post(ReceiveRequest{4, {&into, 1}}).ok());
        const Slice slice = a->slice(0, 64);
        ASSERT_TRUE(one->post(send(1, slice)).ok());
        const Completion completion = a->next_received();
        EXPECT_EQ(completion.queue_pair, other.get());
        EXPECT_TRUE(a->holds(1000, 64, 1));
    });
}

}  // namespace
}  // namespace railyard::ideal::testing
