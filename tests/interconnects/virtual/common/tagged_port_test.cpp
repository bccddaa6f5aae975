// What a tagged port asks of its wire, and when: the two protocols, the adapter's matching, and the
// host's own work.

#include "interconnects/virtual/common/tagged_port.hpp"

#include "tagged_ranks.hpp"

namespace railyard::virtual_time::testing {
namespace {

using TaggedPorts = TaggedRanks;
using Matched = Plan::Matched;

void expect(const TaggedCompletion& found, std::uint64_t id, bool receive, Bytes length) {
    EXPECT_EQ(found.id, id);
    EXPECT_EQ(found.receive, receive);
    EXPECT_EQ(found.length, length);
    EXPECT_TRUE(found.status.ok()) << found.status.name();
    EXPECT_FALSE(found.cancelled);
}

/// TP-4, TP-5: with its envelope.
TEST_F(TaggedPorts, AnEagerMessageTakesOneWayAndItsSenderHearsOfIt) {
    plan.placing = 300_ns;
    plan.telling = 200_ns;
    plan.matching = 70_ns;
    run(2, [&] {
        const Data out = pattern(100, 1);
        Data in(100);
        EXPECT_TRUE(rank(1).receive(5, any_peer, 7, in).ok());
        const Time start = engine.now();
        EXPECT_TRUE(rank(0).send(3, rank(1), 7, out).ok());
        expect(rank(1).next(), 5, true, 100_B);
        EXPECT_EQ(elapsed(start), 1_us + 70_ns + 300_ns + 200_ns);
        EXPECT_EQ(in, out);
        expect(rank(0).next(), 3, false, 100_B);
        EXPECT_EQ(elapsed(start), 1_us + 70_ns + 300_ns + 1_us + 200_ns);
        EXPECT_EQ(plan.kinds(), (std::vector{Kind::tagged, Kind::acknowledgment}));
        ASSERT_EQ(plan.placed.size(), 1U);
        EXPECT_EQ(plan.placed[0].message, plan.carried[0].message);
    });
}

TEST_F(TaggedPorts, SmallOnesComeWithTheDoorbell) {
    run(2, [&] {
        for (const std::size_t size : {0, 64, 65})
            EXPECT_TRUE(rank(0).send(1, rank(1), 7, Data(size)).ok());
        ASSERT_EQ(plan.carried.size(), 3U);
        EXPECT_TRUE(plan.carried[0].inlined);
        EXPECT_TRUE(plan.carried[1].inlined);
        EXPECT_FALSE(plan.carried[2].inlined);
    });
}

/// TP-3, TP-5: the data wait for the match.
TEST_F(TaggedPorts, ALargeMessageIsPulledOnceItHasMatched) {
    plan.placing = 300_ns;
    plan.telling = 200_ns;
    plan.matching = 70_ns;
    run(2, [&] {
        const Data out = pattern(1001, 1);
        Data in(2000);
        EXPECT_TRUE(rank(0).send(3, rank(1), 7, out).ok());
        pass(10_us);
        EXPECT_EQ(plan.kinds(), std::vector{Kind::tagged_request});
        EXPECT_EQ(plan.carried[0].size, 0_B);
        const Time start = engine.now();
        EXPECT_TRUE(rank(1).receive(5, any_peer, 7, in).ok());
        expect(rank(1).next(), 5, true, 1001_B);
        EXPECT_EQ(elapsed(start), 70_ns + 1_us + 1_us + 300_ns + 200_ns);
        expect(rank(0).next(), 3, false, 1001_B);
        EXPECT_EQ(elapsed(start), 70_ns + 1_us + 1_us + 300_ns + 1_us + 200_ns);
        in.resize(1001);
        EXPECT_EQ(in, out);
        EXPECT_EQ(plan.kinds(), (std::vector{Kind::tagged_request, Kind::tagged_pull,
                                             Kind::tagged_data, Kind::acknowledgment}));
        EXPECT_EQ(plan.carried[2].size, 1001_B);
        ASSERT_EQ(plan.placed.size(), 1U) << "the data alone go to memory, and once";
        EXPECT_EQ(plan.placed[0].message, plan.carried[2].message);
    });
}

/// TP-3, of any size.
TEST_F(TaggedPorts, ASynchronousMessageSendsNoDataBeforeItsMatch) {
    run(2, [&] {
        const Data out = pattern(8, 1);
        Data in(8);
        EXPECT_TRUE(rank(0).send(3, rank(1), 7, out, true).ok());
        EXPECT_TRUE(rank(0).nothing_within(1_ms));
        EXPECT_EQ(plan.kinds(), std::vector{Kind::tagged_request});
        EXPECT_TRUE(rank(1).receive(5, any_peer, 7, in).ok());
        expect(rank(0).next(), 3, false, 8_B);
        expect(rank(1).next(), 5, true, 8_B);
        EXPECT_EQ(in, out);
    });
}

TEST_F(TaggedPorts, OnlyWhatFitsIsPulled) {
    run(2, [&] {
        const Data out = pattern(5000, 1);
        Data in(300);
        EXPECT_TRUE(rank(1).receive(5, any_peer, 7, in).ok());
        EXPECT_TRUE(rank(0).send(3, rank(1), 7, out).ok());
        const TaggedCompletion received = rank(1).next();
        EXPECT_EQ(received.status, Code::too_long);
        EXPECT_EQ(received.length, 5000_B) << "as it was sent";
        EXPECT_EQ(in, Data(out.begin(), out.begin() + 300));
        ASSERT_EQ(plan.carried.size(), 4U);
        EXPECT_EQ(plan.carried[2].size, 300_B);
        expect(rank(0).next(), 3, false, 5000_B);
    });
}

/// MX-5: what the adapter passes over is what makes queues dear.
TEST_F(TaggedPorts, TheWireIsToldHowManyEntriesWerePassedOver) {
    run(2, [&] {
        const Data large(2000);
        Data in(8);
        for (MatchBits bits = 0; bits < 10; ++bits)
            EXPECT_TRUE(rank(1).receive(bits, any_peer, bits, in).ok());
        EXPECT_TRUE(plan.matched.empty()) << "nothing unexpected to look through";
        for (const MatchBits bits : {6, 6, 7, 0})
            EXPECT_TRUE(rank(0).send(1, rank(1), bits, Data(8)).ok());
        pass(10_us);
        EXPECT_EQ(plan.matched, (std::vector<Matched>{{1, 6, 0}, {1, 9, 0}, {1, 6, 0}, {1, 0, 0}}));
        plan.forget();
        EXPECT_TRUE(rank(0).send(1, rank(1), 100, Data(8)).ok());
        EXPECT_TRUE(rank(0).send(1, rank(1), 101, large).ok());
        pass(10_us);
        plan.forget();
        EXPECT_TRUE(rank(1).receive(20, any_peer, 101, in).ok());
        EXPECT_TRUE(rank(1).receive(21, any_peer, 999, in).ok());
        EXPECT_TRUE(rank(1).receive(22, any_peer, 6, in).ok());
        EXPECT_EQ(plan.matched, (std::vector<Matched>{{1, 0, 2}, {1, 0, 2}, {1, 0, 0}}))
            << "unexpected are 6, 100 and 101; then 6 and 100";
    });
}

TEST_F(TaggedPorts, AMatchThatTakesLongIsNotOvertaken) {
    plan.match_entry = 10_us;
    run(2, [&] {
        std::vector<Data> in(6, Data(8));
        for (std::uint64_t id = 0; id < 5; ++id)  // ten entries that do not match come first
            for (int twice = 0; twice < 2; ++twice)
                EXPECT_TRUE(rank(1).receive(100, any_peer, 50 + id, in[5]).ok());
        for (std::uint64_t id = 0; id < 3; ++id)
            EXPECT_TRUE(rank(1).receive(id, any_peer, 7, in[id]).ok());
        for (unsigned i = 0; i < 5; ++i)
            EXPECT_TRUE(rank(0).send(i, rank(1), 7, pattern(8, i)).ok());
        pass(1_us + 1_ns);  // all are there, and the first is being matched
        for (std::uint64_t id = 3; id < 5; ++id)
            EXPECT_TRUE(rank(1).receive(id, any_peer, 7, in[id]).ok());
        EXPECT_FALSE(rank(1).port->cancel(0)) << "it is taken, although nobody can see it yet";
        for (std::uint64_t id = 0; id < 5; ++id) {
            EXPECT_EQ(rank(1).next().id, id);
            EXPECT_EQ(in[id], pattern(8, static_cast<unsigned>(id)));
        }
    });
}

TEST_F(TaggedPorts, AProbeSeesAMessageOnceTheAdapterHasLookedAtIt) {
    plan.matching = 2_us;
    plan.host[HostStep::poll_empty] = 10_ns;
    run(2, [&] {
        const Time start = engine.now();
        EXPECT_TRUE(rank(0).send(1, rank(1), 7, Data(8)).ok());
        pass(2_us);  // it has come, and is being looked at
        EXPECT_FALSE(rank(1).port->probe(any_peer, 7, all_bits).has_value());
        EXPECT_TRUE(rank(1).host.wait_until(
            [&] { return rank(1).port->probe(any_peer, 7, all_bits).has_value(); }));
        EXPECT_EQ(elapsed(start), 3_us);
    });
}

/// An unexpected message is nothing that a rank waits for, unless it has probed.
TEST_F(TaggedPorts, AnUnexpectedMessageDisturbsNobody) {
    run(2, [&] {
        EXPECT_TRUE(rank(0).send(1, rank(1), 7, Data(8)).ok());
        int looks = 0;
        rank(1).host.wait_until([&] { return ++looks > 100; }, engine.now() + 10_us);
        EXPECT_EQ(looks, 2) << "before waiting and at the deadline";
    });
}

TEST_F(TaggedPorts, EachCallOfTheRankCostsItsStep) {
    plan.host = {{HostStep::tagged_send, 100_ns},
                 {HostStep::tagged_receive, 200_ns},
                 {HostStep::tagged_reap, 400_ns},
                 {HostStep::poll_empty, 800_ns}};
    run(2, [&] {
        Data in(70);
        Time start = engine.now();
        EXPECT_TRUE(rank(0).send(1, rank(1), 7, Data(50)).ok());
        EXPECT_EQ(elapsed(start), 100_ns);
        start = engine.now();
        EXPECT_TRUE(rank(1).receive(1, any_peer, 7, in).ok());
        EXPECT_EQ(elapsed(start), 200_ns);
        pass(10_us);
        TaggedCompletion found[4];
        start = engine.now();
        EXPECT_EQ(rank(1).port->poll(found), 1U);
        EXPECT_EQ(elapsed(start), 400_ns);
        start = engine.now();
        EXPECT_EQ(rank(1).port->poll(found), 0U);
        EXPECT_EQ(elapsed(start), 800_ns);
        EXPECT_EQ(plan.sizes_of(HostStep::tagged_send), std::vector{50_B});
        EXPECT_EQ(plan.sizes_of(HostStep::tagged_receive), std::vector{70_B});
        EXPECT_EQ(plan.sizes_of(HostStep::tagged_reap), std::vector{50_B});
    });
}

TEST_F(TaggedPorts, SizesThatAreCopiedAreCopiedByBothHosts) {
    plan.rules.copied_from = 200_B;
    plan.rules.piece = 300_B;
    plan.costs.copied_byte = 1_ns;
    run(2, [&] {
        EXPECT_EQ(rank(0).port->taken_at_once(), 1000_B);
        const TaggedPeer peer = rank(0).peer(rank(1));
        const Data out(1001);
        Data in(500);
        const auto time_of = [&](const auto& work) {
            const Time start = engine.now();
            work();
            return elapsed(start);
        };
        const auto send = [&](std::size_t size) {
            return time_of([&] {
                EXPECT_TRUE(
                    rank(0).port->send({size, peer, size, std::span(out).first(size)}).ok());
            });
        };
        const auto take = [&](MatchBits size) {
            return time_of([&] { EXPECT_EQ(rank(1).next().length, Bytes(size)); });
        };
        const auto post = [&](MatchBits size) {
            EXPECT_TRUE(rank(1).receive(size, any_peer, size, in).ok());
        };
        EXPECT_EQ(send(199), 0_ns);
        EXPECT_EQ(send(200), 200_ns);
        EXPECT_EQ(send(1000), 300_ns) << "the first piece; others are copied while it leaves";
        EXPECT_EQ(send(1001), 0_ns) << "no eager one";
        pass(10_us);
        for (const MatchBits size : {199, 200, 1000}) {
            post(size);
            EXPECT_EQ(take(size), size < 200 ? 0_ns : Duration::ns(size == 200 ? 200 : 500))
                << "all of it is there, and as much as fits is copied";
        }
        send(1000);
        post(1000);
        EXPECT_EQ(take(1000), 1_us + 300_ns) << "the last piece";
    });
}

// RC-3, on a port that copies: buffers that were not used lately cost more.
TEST_F(TaggedPorts, FreshBuffersAreWaitedForWhereHostsHaveCaches) {
    plan.rules.copied_from = 200_B;
    plan.costs.copied_byte = 1_ns;
    plan.costs.memory = {
        .cache = 16_KiB, .miss = 100_ns, .rate = Rate::bytes_per_second(6'400'000'000U)};
    run(2, [&] {
        const TaggedPeer peer = rank(0).peer(rank(1));
        Data out(2000);
        Data in(2000);
        const auto times = [&](std::size_t size, bool scratch) {
            const Time start = engine.now();
            EXPECT_TRUE(rank(1).port->receive({1, any_peer, 7, all_bits, in, scratch}).ok());
            EXPECT_TRUE(
                rank(0).port->send({1, peer, 7, std::span(out).first(size), false, scratch}).ok());
            const Duration sent = elapsed(start);
            rank(1).next();
            return std::pair(sent, elapsed(start) - sent - (size > 1000 ? 3_us : 1_us));
        };
        EXPECT_EQ(times(256, true), std::pair(256_ns, 256_ns)) << "the library's own";
        EXPECT_EQ(times(256, false), std::pair(256_ns + 130_ns, 256_ns + 80_ns));
        EXPECT_EQ(times(256, false), std::pair(256_ns, 256_ns));
        EXPECT_EQ(times(2000, false), std::pair(0_ns, 0_ns)) << "adapters move it";
        EXPECT_EQ(times(256, false), std::pair(256_ns, 256_ns + 80_ns))
            << "what they wrote has left the cache";
        EXPECT_EQ(times(64, false), std::pair(0_ns, 0_ns));
        in = Data(3000);
        out = Data(3000);
        EXPECT_EQ(times(64, false), std::pair(100_ns, 20_ns)) << "few bytes, no copy, but a line";
    });
}

/// MX-2
TEST_F(TaggedPorts, LargeBuffersAreRegisteredOnTheWayAndStaySo) {
    plan.rules.implicit_registration = true;
    plan.rules.registration_cache = 2;
    plan.host[HostStep::register_memory] = 5_us;
    plan.host[HostStep::deregister_memory] = 3_us;
    run(2, [&] {
        std::vector<Data> out{Data(2000), Data(3000), Data(4000)};
        const auto time_of_send = [&](const Data& data) {
            const Time start = engine.now();
            EXPECT_TRUE(rank(0).send(1, rank(1), 7, data).ok());
            return elapsed(start);
        };
        EXPECT_EQ(time_of_send(out[0]), 5_us);
        EXPECT_EQ(time_of_send(out[1]), 5_us);
        EXPECT_EQ(time_of_send(out[0]), 0_us);
        EXPECT_EQ(time_of_send(out[2]), 8_us) << "the second, unused for longest, makes room";
        EXPECT_EQ(plan.sizes_of(HostStep::deregister_memory), std::vector{3000_B});
        EXPECT_EQ(time_of_send(out[0]), 0_us);
        EXPECT_EQ(time_of_send(Data(1000)), 0_us) << "an eager one needs none";
        EXPECT_EQ(plan.sizes_of(HostStep::register_memory), (std::vector{2000_B, 3000_B, 4000_B}));
    });
}

/// RC-4
TEST_F(TaggedPorts, RegistrationsAreNotKeptWhereThatIsAskedFor) {
    plan.rules.implicit_registration = true;
    plan.rules.registration_cache = 2;
    plan.host[HostStep::register_memory] = 5_us;
    plan.host[HostStep::deregister_memory] = 3_us;
    run(2, [&] {
        const Data out(2000);
        rank(0).port->keep_registrations(false);
        for (int i = 0; i < 2; ++i) {
            const Time start = engine.now();
            EXPECT_TRUE(rank(0).send(1, rank(1), 7, out).ok());
            EXPECT_EQ(elapsed(start), 8_us);
        }
    });
}

/// MX-4: at the receiver it is done when the match is known, and not by the rank.
TEST_F(TaggedPorts, AReceiversBufferIsRegisteredBeforeThePull) {
    plan.rules.implicit_registration = true;
    plan.rules.registration_cache = 4;
    plan.host[HostStep::register_memory] = 5_us;
    run(2, [&] {
        const Data out(2000);
        std::vector<Data> in(2, Data(3000));
        EXPECT_TRUE(rank(0).send(0, rank(1), 6, out).ok());  // that buffer is known now
        const auto receive = [&](Data& into) {
            EXPECT_TRUE(rank(0).send(1, rank(1), 7, out).ok());
            const Time start = engine.now();
            EXPECT_TRUE(rank(1).receive(1, any_peer, 7, into).ok());
            EXPECT_EQ(elapsed(start), 0_us);
            EXPECT_EQ(rank(1).next().id, 1U);
            return elapsed(start);
        };
        plan.forget();
        EXPECT_EQ(receive(in[0]), 3_us + 5_us);
        EXPECT_EQ(plan.sizes_of(HostStep::register_memory), std::vector{2000_B});
        EXPECT_EQ(receive(in[0]), 3_us);

        // Two at once: one after the other.
        std::vector<Data> more(2, Data(3000));
        for (Data& into : more)
            EXPECT_TRUE(rank(1).receive(1, any_peer, 7, into).ok());
        const Time start = engine.now();
        for (int i = 0; i < 2; ++i)
            EXPECT_TRUE(rank(0).send(1, rank(1), 7, out).ok());
        rank(1).next();
        EXPECT_EQ(elapsed(start), 3_us + 5_us);
        rank(1).next();
        EXPECT_EQ(elapsed(start), 3_us + 10_us);
    });
}

TEST_F(TaggedPorts, WithoutACacheEveryUseIsRegisteredAndDeregistered) {
    plan.rules.implicit_registration = true;
    plan.host[HostStep::register_memory] = 5_us;
    plan.host[HostStep::deregister_memory] = 3_us;
    run(2, [&] {
        const Data out(2000);
        for (int i = 0; i < 2; ++i) {
            const Time start = engine.now();
            EXPECT_TRUE(rank(0).send(1, rank(1), 7, out).ok());
            EXPECT_EQ(elapsed(start), 8_us);
        }
    });
}

TEST_F(TaggedPorts, CallsThatMakeNoSenseAreRefused) {
    run(2, [&] {
        Data in(8);
        EXPECT_EQ(rank(0).port->send({1, 99, 7, in}), Code::invalid);
        EXPECT_EQ(rank(0).port->receive({1, 99, 7, all_bits, in}), Code::invalid);
        EXPECT_FALSE(rank(0).port->probe(99, 7, all_bits).has_value());
        EXPECT_FALSE(rank(0).port->cancel(1));
        fabric::Address address = rank(1).nic->address();
        address.bytes[0] ^= std::byte{1};
        EXPECT_THROW(rank(0).port->peer(address), UsageError) << "of another fabric";
        EXPECT_THROW(rank(0).port->peer(fabric::Address{}), UsageError);
        EXPECT_THROW(
            rank(0).port->peer(NicName{NicName::of(rank(1).nic->address()).fabric, 1, 9}.address()),
            UsageError)
            << "there never was such a Nic";
        EXPECT_TRUE(plan.carried.empty());
    });
}

TEST_F(TaggedPorts, AFabricWithoutThemHasNone) {
    run(1, [&] {
        fabric::Traits traits = ideal::traits();
        traits.tagged = false;
        Fabric plain(engine, traits, std::make_unique<PlannedWire>(engine, plan));
        hosts::VirtualHost host(engine);
        EXPECT_EQ(plain.adapter(0).open(host)->tagged_port(), nullptr);
    });
}

}  // namespace
}  // namespace railyard::virtual_time::testing
