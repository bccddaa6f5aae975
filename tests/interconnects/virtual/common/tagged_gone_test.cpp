// Tagged ports whose Nic goes, at any moment: each open request of the other side ends, and nobody
// touches memory that its user may have freed.

#include "tagged_ranks.hpp"

namespace railyard::virtual_time::testing {
namespace {

using TaggedGone = TaggedRanks;

constexpr std::size_t small = 100;
constexpr std::size_t large = 5000;

TEST_F(TaggedGone, ASendToANicThatIsGone) {
    run(2, [&] {
        const TaggedPeer gone = rank(0).peer(rank(1));
        const fabric::Address address = rank(1).nic->address();
        rank(1).nic.reset();
        for (const std::size_t size : {small, large}) {
            const Data out(size);
            EXPECT_TRUE(rank(0).port->send({size, gone, 7, out}).ok());
            const TaggedCompletion sent = rank(0).next();
            EXPECT_EQ(sent.id, size);
            EXPECT_EQ(sent.status, Code::remote_closed);
            EXPECT_EQ(sent.peer, gone);
        }
        EXPECT_EQ(rank(0).port->peer(address), gone) << "its number is still known";
    });
}

TEST_F(TaggedGone, APeerIsNamedAfterItHasGone) {
    run(2, [&] {
        const fabric::Address address = rank(1).nic->address();
        rank(1).nic.reset();
        const Data out(small);
        EXPECT_TRUE(rank(0).port->send({1, rank(0).port->peer(address), 7, out}).ok());
        EXPECT_EQ(rank(0).next().status, Code::remote_closed);
    });
}

/// Eager ones have been accepted; those that wait for a match are told.
TEST_F(TaggedGone, TheTargetGoesWithUnexpectedMessages) {
    run(2, [&] {
        const Data out(small);
        const Data bulk(large);
        EXPECT_TRUE(rank(0).send(1, rank(1), 7, out).ok());
        EXPECT_TRUE(rank(0).send(2, rank(1), 7, bulk).ok());
        EXPECT_TRUE(rank(0).send(3, rank(1), 7, out, true).ok());
        EXPECT_TRUE(rank(0).next().status.ok());
        rank(1).nic.reset();
        for (const std::uint64_t id : {2, 3}) {
            const TaggedCompletion sent = rank(0).next();
            EXPECT_EQ(sent.id, id);
            EXPECT_EQ(sent.status, Code::remote_closed);
        }
    });
}

TEST_F(TaggedGone, AnEagerMessageThatHasLeftArrivesWithoutItsSender) {
    run(2, [&] {
        auto out = std::make_unique<Data>(pattern(small, 1));
        Data in(small);
        EXPECT_TRUE(rank(0).send(1, rank(1), 7, *out).ok());
        rank(0).nic.reset();
        out.reset();
        EXPECT_TRUE(rank(1).receive(5, any_peer, 7, in).ok());
        const TaggedCompletion received = rank(1).next();
        EXPECT_TRUE(received.status.ok());
        EXPECT_EQ(in, pattern(small, 1));
    });
}

TEST_F(TaggedGone, TheReceiveOfALargeMessageHearsThatItsSenderHasGone) {
    for (const std::int64_t when : {0, 500, 1500, 2500, 3200}) {
        plan.placing = 500_ns;
        run(2, [&] {
            auto out = std::make_unique<Data>(large);
            Data in(large);
            EXPECT_TRUE(rank(1).receive(5, any_peer, 7, in).ok());
            EXPECT_TRUE(rank(0).send(1, rank(1), 7, *out).ok());
            rank(1).host.compute(Duration::ns(when));
            rank(0).nic.reset();
            out.reset();
            const TaggedCompletion received = rank(1).next();
            EXPECT_EQ(received.id, 5U);
            EXPECT_EQ(received.status, Code::remote_closed) << when;
            EXPECT_EQ(received.length, Bytes(large));
        });
    }
}

/// Every request of the side that stays ends exactly once, whatever the moment, and buffers of the
/// side that goes are freed with it.
TEST_F(TaggedGone, EitherSideGoesAtAnyMoment) {
    plan.placing = 300_ns;
    plan.telling = 200_ns;
    plan.matching = 110_ns;
    plan.rules.implicit_registration = true;
    plan.host[HostStep::register_memory] = 150_ns;
    for (const bool sender_goes : {true, false})
        for (std::int64_t when = 0; when <= 9'000; when += 65)
            run(2, [&] {
                constexpr std::size_t count = 8;
                std::vector<Data> out;
                std::vector<Data> in;
                for (std::size_t i = 0; i < count; ++i) {
                    out.push_back(pattern(i % 2 == 0 ? small : large, static_cast<unsigned>(i)));
                    in.emplace_back(large);
                }
                for (std::size_t i = 0; i < count / 2; ++i)
                    EXPECT_TRUE(rank(1).receive(i, any_peer, i, in[i]).ok());
                for (std::size_t i = 0; i < count; ++i)
                    EXPECT_TRUE(rank(0).send(i, rank(1), i, out[i], i % 3 == 0).ok());
                pass(Duration::ns(when / 2));
                for (std::size_t i = count / 2; i < count; ++i)
                    EXPECT_TRUE(rank(1).receive(i, any_peer, i, in[i]).ok());
                pass(Duration::ns(when - when / 2));
                Rank& goes = rank(sender_goes ? 0 : 1);
                Rank& stays = rank(sender_goes ? 1 : 0);
                goes.nic.reset();
                (sender_goes ? out : in).clear();
                stays.host.compute(1_ms);
                std::vector<int> ends(count);
                for (TaggedCompletion found; stays.poll(found);) {
                    ++ends.at(found.id);
                    EXPECT_TRUE(found.status.ok() || found.status == Code::remote_closed);
                    if (!sender_goes || !found.status.ok()) continue;
                    Data& got = in[found.id];
                    got.resize(found.length.count());
                    EXPECT_EQ(got, pattern(got.size(), static_cast<unsigned>(found.id)));
                }
                EXPECT_EQ(ends, std::vector<int>(count, 1)) << when;
            });
}

TEST_F(TaggedGone, BothSidesGoWithMessagesInBothUnexpectedQueues) {
    run(2, [&] {
        const Data out(small);
        const Data bulk(large);
        for (const std::size_t to : {0, 1})
            for (const std::size_t from : {0, 1}) {
                EXPECT_TRUE(rank(from).send(1, rank(to), 7, out).ok());
                EXPECT_TRUE(rank(from).send(2, rank(to), 7, bulk).ok());
            }
        pass(10_us);
    });
}

}  // namespace
}  // namespace railyard::virtual_time::testing
