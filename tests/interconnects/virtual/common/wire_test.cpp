// The semantics over a wire that takes its time at every step, as the models of real adapters do:
// placing, telling of completions, and the host's own work.

#include "interconnects/virtual/common/wire.hpp"

#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/ideal/pair.hpp"

namespace railyard::virtual_time {
namespace {

using namespace ideal::testing;

constexpr Duration way = 1_us;
constexpr Duration placing = 300_ns;
constexpr Duration telling = 200_ns;
constexpr Duration posting = 50_ns;

struct Seen {
    Kind kind;
    Bytes size;
    std::vector<Extent> source;
    std::vector<Extent> target;
};

class SlowWire final : public Wire {
  public:
    SlowWire(sim::Engine& engine, std::vector<Seen>& placed) : engine_(engine), placed_(placed) {}

    void carry(const Transfer&, sim::Action arrived) override {
        engine_.schedule(engine_.now() + way, std::move(arrived));
    }
    void place(const Transfer& transfer, sim::Action placed) override {
        placed_.push_back({transfer.kind,
                           transfer.size,
                           {transfer.source.begin(), transfer.source.end()},
                           {transfer.target.begin(), transfer.target.end()}});
        engine_.schedule(engine_.now() + placing, std::move(placed));
    }
    void complete(const End&, const Finished&, sim::Action visible) override {
        engine_.schedule(engine_.now() + telling, std::move(visible));
    }
    Duration host_cost(HostStep step, Bytes) const override {
        return step == HostStep::post_send ? posting : Duration{};
    }

  private:
    sim::Engine& engine_;
    std::vector<Seen>& placed_;
};

class SlowPair : public Pair {
  protected:
    std::unique_ptr<fabric::Fabric> open_fabric() override {
        placed.clear();
        return std::make_unique<Fabric>(engine, ideal::traits(),
                                        std::make_unique<SlowWire>(engine, placed));
    }
    std::vector<Seen> placed;
};

TEST_F(SlowPair, EachStepTakesItsTime) {
    run([&] {
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        const Time start = engine.now();
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        EXPECT_EQ(elapsed(start), posting);
        b->next_received();
        EXPECT_EQ(elapsed(start), posting + way + placing + telling);
        a->next_sent();
        EXPECT_EQ(elapsed(start), posting + way + placing + way + telling);
    });
}

TEST_F(SlowPair, AWatcherOfMemoryNeedNotWaitForACompletion) {
    run([&] {
        std::memset(a->memory->data(), 1, 8);
        const Time start = engine.now();
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        b->host.wait_until([&] { return fabric::arrived(b->memory->data() + 7, std::byte{1}); });
        EXPECT_EQ(elapsed(start), posting + way + placing);
    });
}

TEST_F(SlowPair, ModelsSeeMemoryByRegionAndOffset) {
    run([&] {
        ASSERT_TRUE(b->post_receive(1, b->slice(4096, 64)).ok());
        const Slice slice = a->slice(128, 8);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_read, 2, slice, *b_at_a, 512)).ok());
        a->next_sent();
        a->next_sent();
        ASSERT_EQ(placed.size(), 3U);
        EXPECT_EQ(placed[0].kind, Kind::send);
        EXPECT_EQ(placed[0].size, 8_B);
        ASSERT_EQ(placed[0].target.size(), 1U);
        EXPECT_EQ(placed[0].target[0].region, 1U);
        EXPECT_EQ(placed[0].target[0].offset, 4096_B);
        EXPECT_EQ(placed[1].kind, Kind::read_request);
        ASSERT_EQ(placed[1].source.size(), 1U);
        EXPECT_EQ(placed[1].source[0].offset, 512_B);
        EXPECT_EQ(placed[2].kind, Kind::read_response);
        ASSERT_EQ(placed[2].target.size(), 1U);
        EXPECT_EQ(placed[2].target[0].offset, 128_B);
    });
}

TEST_F(SlowPair, AReadSeesAnEarlierWriteThatWasStillBeingPlaced) {
    run([&] {
        a->fill(0, 64, 1);
        const Slice from = a->slice(0, 64);
        const Slice into = a->slice(1000, 64);
        const std::vector<WorkRequest> both{rdma(Op::rdma_write, 1, from, *b_at_a, 0),
                                            rdma(Op::rdma_read, 2, into, *b_at_a, 0)};
        ASSERT_EQ(a->pair->post(both).count, 2U);
        a->next_sent();
        a->next_sent();
        EXPECT_TRUE(a->holds(1000, 64, 1));
    });
}

TEST_F(SlowPair, WhatIsBeingPlacedBeforeABadRequestCompletes) {
    run([&] {
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        ASSERT_TRUE(b->post_receive(2, b->slice(64, 4)).ok());
        ASSERT_TRUE(b->post_receive(3, b->slice(128, 64)).ok());
        const Slice slice = a->slice(0, 8);
        const std::vector<WorkRequest> three{send(1, slice), send(2, slice), send(3, slice)};
        ASSERT_EQ(a->pair->post(three).count, 3U);
        const Code expected[] = {Code::ok, Code::too_long, Code::flushed};
        for (std::uint64_t i = 0; i < 3; ++i) {
            const Completion received = b->next_received();
            EXPECT_EQ(received.id, i + 1);
            EXPECT_EQ(received.status, expected[i]) << received.status.name();
        }
        for (std::uint64_t i = 0; i < 3; ++i) {
            const Completion sent = a->next_sent();
            EXPECT_EQ(sent.id, i + 1);
            EXPECT_EQ(sent.status, expected[i]) << sent.status.name();
        }
    });
}

TEST_F(SlowPair, TheRegionGoesBetweenJudgementAndPlacing) {
    run([&] {
        auto region = b->nic->allocate(64_B, Access::all);
        const auto remote = a->nic->import_region(region->export_blob());
        ASSERT_TRUE(b->post_receive(1, b->slice(0, 64)).ok());
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write_imm, 1, slice, *remote, 0)).ok());
        b->host.compute(way + 100_ns);
        region.reset();
        EXPECT_EQ(a->next_sent().status, Code::region_gone);
        EXPECT_EQ(b->next_received().status, Code::flushed) << "the receive it had taken";
    });
}

TEST_F(SlowPair, AReceiveThatWasTakenFromASharedQueueIsToldOfWhenItsQueuePairCloses) {
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
        const Slice buffer = b->slice(0, 64);
        for (std::uint64_t id = 1; id <= 2; ++id)
            ASSERT_TRUE(shared->post(ReceiveRequest{id, {&buffer, 1}}).ok());
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(from->post(send(1, slice)).ok());
        b->host.compute(way + 100_ns);  // it is being placed
        into->close();
        const Completion taken = b->next_received();
        EXPECT_EQ(taken.id, 1U);
        EXPECT_EQ(taken.status, Code::flushed);
        EXPECT_TRUE(b->nothing_within(1_ms)) << "the second is still there for others";
        EXPECT_EQ(a->next_sent().status, Code::remote_closed);
    });
}

TEST_F(SlowPair, ADestroyedQueuePairsCompletionsDoNotShowUpLater) {
    run([&] {
        const Slice slice = a->slice(0, 8);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        a->host.compute(way + placing + way + telling / 2);  // made, and not yet visible
        a->pair.reset();
        EXPECT_TRUE(a->nothing_within(1_ms));
    });
}

TEST_F(SlowPair, CloseAtAnyMoment) {
    for (int how = 0; how < 4; ++how)
        for (std::int64_t when = 0; when <= 6'000; when += 75) {
            run([&] {
                for (std::uint64_t id = 0; id < 4; ++id)
                    ASSERT_TRUE(b->post_receive(id, b->slice(8192, 300)).ok());
                const Slice slice = a->slice(0, 300);
                int taken = 0;
                for (std::uint64_t id = 0; id < 5; ++id) {
                    taken += a->pair->post(send(id, slice)).ok();
                    taken += a->pair->post(rdma(Op::rdma_read, id, slice, *b_at_a, 0)).ok();
                }
                a->host.compute(Duration::ns(when));
                Rank& closer = how % 2 == 0 ? *a : *b;
                Rank& other = how % 2 == 0 ? *b : *a;
                if (how < 2)
                    closer.pair->close();
                else
                    closer.pair.reset();
                wait_for(other, *other.pair, ConnectionState::failed);
                other.host.compute(telling);
                Completion completion;
                int ends = 0;
                while (a->sent->poll(completion))
                    ++ends;
                EXPECT_EQ(ends, how == 2 ? 0 : taken);
                for (ends = 0; b->received->poll(completion);)
                    ++ends;
                EXPECT_EQ(ends, how == 3 ? 0 : 4);
            });
        }
}

}  // namespace
}  // namespace railyard::virtual_time
