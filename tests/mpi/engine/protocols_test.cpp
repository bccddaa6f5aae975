// Statements on protocols, registration and rails, on models whose time can be read.

#include <gtest/gtest.h>

#include <cstdlib>

#include "mpi/engine/channel.hpp"
#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

using namespace literals;

void run(const std::string& fabric, int ranks, const std::function<void(World&)>& body,
         const Change& change = {}) {
    const job::Result result = run_world(fabric, ranks, body, change);
    EXPECT_TRUE(result.ok) << result.failure;
}

/// One message from rank 0 to rank 1, from and into the given memory.
void pass(World& w, std::byte* data, std::size_t n) {
    if (w.rank() == 0)
        w.process.send(ConstBuffer(data, n, World::bytes()), 1, 1, w.comm);
    else
        w.process.receive({data, n, &World::bytes()}, 0, 1, w.comm, nullptr);
}

// The peer places what comes through bounce buffers, when it looks; the FIN comes by its ring.
TEST(Protocols, AWriteIsThereBeforeItsFin) {
    ::setenv("RAILYARD_SHM_USER_MEMORY", "bounce", 1);
    run(
        "shm", 2,
        [](World& w) {
            for (unsigned i = 0; i < 50; ++i) {
                std::vector<std::byte> data(300'000);
                if (w.rank() == 0) data = pattern(data.size(), i);
                pass(w, data.data(), data.size());
                expect(data == pattern(data.size(), i), "wrong bytes");
            }
        },
        [](Settings& s) { s.bulk = Way::write; });
    ::unsetenv("RAILYARD_SHM_USER_MEMORY");
}

class Registration : public testing::TestWithParam<Way> {};

// RC-1: the first use of a buffer in rendezvous is registered on both sides; reuse is not.
TEST_P(Registration, IsPaidOnceForABufferThatIsReused) {
    run(
        "infiniband-pcie", 2,
        [](World& w) {
            std::vector<std::byte> data(100'000);
            for (int i = 0; i < 5; ++i)
                pass(w, data.data(), data.size());
            expect(w.process.counters().registrations == 1, "not registered exactly once");
            expect(w.process.counters().registration_hits == 4, "not found again");
        },
        [](Settings& s) { s.bulk = GetParam(); });
}

// RC-2: a cyclic walk over more buffers than fit pays every time.
TEST_P(Registration, IsPaidEveryTimeByAWalkThatDoesNotFit) {
    run(
        "infiniband-pcie", 2,
        [](World& w) {
            std::vector<std::vector<std::byte>> data(4, std::vector<std::byte>(100'000));
            for (int i = 0; i < 12; ++i)
                pass(w, data[static_cast<std::size_t>(i % 4)].data(), 100'000);
            expect(w.process.counters().registrations == 12, "some were kept");
        },
        [](Settings& s) {
            s.bulk = GetParam();
            s.registration_cache = Bytes(300'000);
        });
}

// RC-3: eager messages pay none.
TEST_P(Registration, IsNotPaidByEagerMessages) {
    run(
        "infiniband-pcie", 2,
        [](World& w) {
            std::vector<std::byte> data(1000);
            for (int i = 0; i < 5; ++i)
                pass(w, data.data(), data.size());
            expect(w.process.counters().registrations == 0, "a small message was registered");
        },
        [](Settings& s) { s.bulk = GetParam(); });
}

INSTANTIATE_TEST_SUITE_P(For, Registration, testing::Values(Way::read, Way::write),
                         [](const auto& instance) {
                             return instance.param == Way::read ? "reads" : "writes";
                         });

struct SegmentCase {
    const char* fabric;
    Way way;
};
class BulkSegments : public testing::TestWithParam<SegmentCase> {};

// A message longer than one operation carries takes as many as it needs, on every rail.
TEST_P(BulkSegments, CarryAMessageOfAnyLength) {
    constexpr std::size_t segment = 48'000;
    run(
        GetParam().fabric, 2,
        [](World& w) {
            for (const std::size_t n : {segment, segment + 1, 10 * segment, 1'000'001ul}) {
                const auto data = pattern(n, static_cast<unsigned>(n));
                const std::uint64_t before = w.process.counters().rdma_operations;
                if (w.rank() == 0) {
                    w.send(data, 1, 1);
                    w.send(pattern(10, 1), 1, 1);
                } else {
                    expect(w.receive(n, 0, 1) == data, "wrong bytes");
                    expect(w.receive(10, 0, 1) == pattern(10, 1), "wrong bytes after it");
                }
                const std::uint64_t taken = w.process.counters().rdma_operations - before;
                const bool moves = (GetParam().way == Way::read) == (w.rank() == 1);
                expect(moves ? taken >= (n + segment - 1) / segment : taken == 0,
                       "operations: " + std::to_string(taken));
                meet(w);
            }
        },
        [](Settings& s) {
            s.bulk = GetParam().way;
            s.eager_limit = s.segment_size = Bytes(4096);
            s.bulk_segment = Bytes(segment);
        });
}

INSTANTIATE_TEST_SUITE_P(On, BulkSegments,
                         testing::Values(SegmentCase{"iwarp", Way::read},
                                         SegmentCase{"iwarp", Way::write},
                                         SegmentCase{"shm", Way::read},
                                         SegmentCase{"shm", Way::write},
                                         SegmentCase{"infiniband-pcie", Way::read},
                                         SegmentCase{"infiniband-pcie", Way::write}),
                         [](const auto& instance) {
                             std::string name = instance.param.fabric;
                             std::ranges::replace(name, '-', '_');
                             return name + (instance.param.way == Way::read ? "_read" : "_write");
                         });

// MP-4: bound, the two directions of a pair, and neighbouring ranks, use different ports.
TEST(SingleRail, SpreadsDirectionsAndNeighboursWhenBound) {
    Settings settings;
    settings.rails = RailPolicy::binding;
    EXPECT_NE(single_rail(0, 1, 2, settings), single_rail(1, 0, 2, settings));
    EXPECT_NE(single_rail(0, 2, 2, settings), single_rail(1, 3, 2, settings));
    EXPECT_NE(single_rail(0, 2, 2, settings), single_rail(2, 0, 2, settings));
    EXPECT_EQ(single_rail(1, 0, 1, settings), 0u);
    settings.rails = RailPolicy::striping;
    EXPECT_EQ(single_rail(1, 0, 2, settings), 0u);
}

struct RailCase {
    Way way;
    RailPolicy policy;
};
class Rails : public testing::TestWithParam<RailCase> {};

// MP-1: above 8192 bytes a message is cut into equal stripes, one a port; up to there it goes
// whole. MP-4: with binding none is cut. MP-2, MP-7: the receiver sees the same bytes in the same
// order.
TEST_P(Rails, CutLargeMessagesUnlessBound) {
    run(
        "infiniband-pcie", 2,
        [](World& w) {
            std::uint64_t cut = 0;
            expect(w.process.counters().queue_pairs == 0, "rails before any message");
            // Rails are added when large messages come; until they stand, messages go whole.
            for (int i = 0; i < 2; ++i) {
                if (w.rank() == 0) w.send(pattern(20'000, 1), 1, 1);
                if (w.rank() == 1) w.receive(20'000, 0, 1);
                w.process.host().compute(Duration::ms(5));
                w.process.progress();
                w.process.host().compute(Duration::ms(5));
                w.process.progress();
            }
            const std::uint64_t before = w.process.counters().stripes;
            for (const std::size_t n : {8192, 8193, 50'000, 1'000'001}) {
                const auto data = pattern(n, static_cast<unsigned>(n));
                if (w.rank() == 0) {
                    w.send(data, 1, 1);
                    w.send(pattern(10, 1), 1, 1);
                } else {
                    expect(w.receive(n, 0, 1) == data, "wrong bytes");
                    expect(w.receive(10, 0, 1) == pattern(10, 1), "overtaken");
                }
                // And back, over the other rail when bound.
                if (w.rank() == 1) w.send(data, 0, 2);
                if (w.rank() == 0) expect(w.receive(n, 1, 2) == data, "wrong bytes back");
                const bool striped = GetParam().policy == RailPolicy::striping && n > 8192;
                // Each is once the side that does the RDMA, and cuts.
                cut += striped ? 2 : 0;
                expect(w.process.counters().stripes - before == cut, "cut at " + std::to_string(n));
            }
            expect(w.process.counters().queue_pairs == 2, "not one rail a port");
        },
        [](Settings& s) {
            s.bulk = GetParam().way;
            s.rails = GetParam().policy;
            s.eager_limit = Bytes(4 << 10);
        });
}

INSTANTIATE_TEST_SUITE_P(With, Rails,
                         testing::Values(RailCase{Way::write, RailPolicy::striping},
                                         RailCase{Way::write, RailPolicy::binding},
                                         RailCase{Way::read, RailPolicy::striping},
                                         RailCase{Way::read, RailPolicy::binding}),
                         [](const auto& instance) {
                             const auto& c = instance.param;
                             return std::string(c.way == Way::write ? "writes_" : "reads_") +
                                    (c.policy == RailPolicy::striping ? "striped" : "bound");
                         });

// PR-1, PR-7: an eager send needs nothing of the receiver; a rendezvous advances only inside the
// receiver's calls.
TEST(Protocols, RendezvousWaitsForTheReceiversCalls) {
    run("infiniband-pcie", 2, [](World& w) {
        const Duration long_time = Duration::ms(2);
        // The connection first: it, too, needs calls (OD-5).
        if (w.rank() == 0) w.send({}, 1, 9);
        if (w.rank() == 1) w.receive(0, 0, 9);
        for (const std::size_t n : {1000, 100'000}) {
            const bool eager = n == 1000;
            if (w.rank() == 0) {
                const Time start = w.process.host().now();
                w.send(pattern(n, 1), 1, 1);
                const bool waited = w.process.host().now() - start >= long_time / 2;
                expect(waited != eager, eager ? "an eager send waited" : "did not wait");
                w.receive(0, 1, 2);
            } else {
                std::vector<std::byte> in(n);
                Request& receive =
                    w.process.start_receive({in.data(), n, &World::bytes()}, 0, 1, w.comm);
                w.process.host().compute(long_time);
                w.process.wait(receive);
                w.process.release(receive);
                w.send({}, 0, 2);
            }
        }
    });
}

// MX-4: with a progression thread of the port's own, the receiver's computing is no obstacle.
TEST(Protocols, APortThatProgressesByItselfNeedsNoCalls) {
    run("mx10g-myrinet", 2, [](World& w) {
        const std::size_t n = 100'000;
        if (w.rank() == 0) {
            const Time start = w.process.host().now();
            w.send(pattern(n, 1), 1, 1);
            expect(w.process.host().now() - start < Duration::ms(1), "it waited");
        } else {
            std::vector<std::byte> in(n);
            Request& receive =
                w.process.start_receive({in.data(), n, &World::bytes()}, 0, 1, w.comm);
            w.process.host().compute(Duration::ms(2));
            w.process.wait(receive);
            w.process.release(receive);
            expect(in == pattern(n, 1), "wrong bytes");
        }
    });
}

// OD-5, OD-7: without calls of the peer's there is no connection, and a short standard send
// completes only once there is one; with static connections it completes at once.
TEST(Protocols, AShortSendCompletesOnceConnected) {
    for (const Connections policy : {Connections::on_demand, Connections::static_peer})
        run(
            "clan-via", 2,
            [policy](World& w) {
                const Duration long_time = Duration::ms(20);
                if (w.rank() == 0) {
                    const Time start = w.process.host().now();
                    w.send(pattern(4, 1), 1, 1);
                    const bool waited = w.process.host().now() - start >= long_time / 2;
                    expect(waited == (policy == Connections::on_demand), "wrong time");
                } else {
                    w.process.host().compute(long_time);
                    w.receive(4, 0, 1);
                }
            },
            [policy](Settings& s) { s.connections = policy; });
}

// OD-1, OD-3: a receive that was posted has asked, so the connection needs no more calls of the
// receiver's; where receives do not ask, it does.
TEST(Protocols, APostedReceiveHasAskedForTheConnection) {
    for (const bool asks : {true, false})
        run(
            "clan-via", 2,
            [asks](World& w) {
                const Duration long_time = Duration::ms(20);
                if (w.rank() == 0) {
                    w.process.host().compute(Duration::ms(1));
                    const Time start = w.process.host().now();
                    w.send(pattern(4, 1), 1, 1);
                    const bool waited = w.process.host().now() - start >= long_time / 2;
                    expect(waited != asks, "wrong time");
                } else {
                    std::vector<std::byte> in(4);
                    Request& receive =
                        w.process.start_receive({in.data(), 4, &World::bytes()}, 0, 1, w.comm);
                    w.process.host().compute(long_time);
                    w.process.wait(receive);
                    w.process.release(receive);
                    expect(in == pattern(4, 1), "wrong bytes");
                }
            },
            [asks](Settings& s) { s.receive_connects = asks; });
}

// VC-3: peer to peer as VIA has it: there is no connection before both have asked. A rank that
// waits for somebody else answers, or does not.
TEST(Protocols, BothSidesMustAskWhereNobodyAnswers) {
    for (const bool answers : {true, false})
        run(
            "clan-via", 3,
            [answers](World& w) {
                const Duration long_time = Duration::ms(20);
                if (w.rank() == 0) {
                    const Time start = w.process.host().now();
                    w.send(pattern(4, 1), 1, 1);
                    const bool waited = w.process.host().now() - start >= long_time / 2;
                    expect(waited != answers, "wrong time");
                } else if (w.rank() == 1) {
                    w.receive(4, 2, 1);  // inside the library all the time
                    w.receive(4, 0, 1);
                } else {
                    w.process.host().compute(long_time);
                    w.send(pattern(4, 1), 1, 1);
                }
            },
            [answers](Settings& s) {
                s.receive_connects = true;
                s.wildcard_connects = true;
                s.answer_requests = answers;
            });
}

// Set-ups overlap where receives ask: a chain in which everybody waits for the one before costs
// about one of them where ranks answer, and one a rank where only sends ask.
TEST(Protocols, SetUpsOverlapWhereReceivesAsk) {
    const auto chain = [](bool receives_ask) {
        Duration time;
        run(
            "clan-via", 16,
            [&](World& w) {
                if (w.rank() > 0) w.receive(4, w.rank() - 1, 1);
                if (w.rank() < 15)
                    w.send(pattern(4, 1), w.rank() + 1, 1);
                else
                    time = w.process.host().now().since_start();
            },
            [receives_ask](Settings& s) {
                s.watched_rings = 0;
                s.receive_connects = receives_ask;
            });
        return time;
    };
    EXPECT_LT(chain(true) * 3, chain(false));
}

// OD-10: where speed does not depend on the number of VIs, only the first use of a partner costs.
// OD-3: once connected, sends leave at once and receives wait for nothing but their messages.
TEST(Protocols, OnlyTheFirstUseOfAPartnerCostsMoreOnDemand) {
    const auto time_of = [](Connections policy, int from, int rounds) {
        Duration time;
        run(
            "clan-via", 2,
            [&](World& w) {
                Time start = w.process.host().now();
                for (int i = 0; i < rounds; ++i) {
                    if (i == from) start = w.process.host().now();
                    if (w.rank() == 0) w.send(pattern(8, 1), 1, 1);
                    w.receive(8, 1 - w.rank(), 1);
                    if (w.rank() == 1) w.send(pattern(8, 1), 0, 1);
                }
                if (w.rank() == 0) time = w.process.host().now() - start;
            },
            [policy](Settings& s) { s.connections = policy; });
        return time;
    };
    EXPECT_GT(time_of(Connections::on_demand, 0, 1), time_of(Connections::static_peer, 0, 1));
    EXPECT_EQ(time_of(Connections::on_demand, 2, 12), time_of(Connections::static_peer, 2, 12));
}

// VC-7: Berkeley VIA slows down with the number of open VIs, idle ones too; cLAN does not.
TEST(Protocols, IdleConnectionsSlowBerkeleyViaDown) {
    const auto round_trip = [](const std::string& fabric, Connections policy) {
        Duration time;
        run(
            fabric, 8,
            [&](World& w) {
                if (w.rank() > 1) return;
                Time start;
                for (int i = 0; i < 4; ++i) {
                    if (i == 2) start = w.process.host().now();
                    if (w.rank() == 0) w.send(pattern(8, 1), 1, 1);
                    w.receive(8, 1 - w.rank(), 1);
                    if (w.rank() == 1) w.send(pattern(8, 1), 0, 1);
                }
                if (w.rank() == 0) time = w.process.host().now() - start;
            },
            [policy](Settings& s) { s.connections = policy; });
        return time;
    };
    EXPECT_LT(round_trip("berkeley-via", Connections::on_demand),
              round_trip("berkeley-via", Connections::static_peer));
    EXPECT_EQ(round_trip("clan-via", Connections::on_demand),
              round_trip("clan-via", Connections::static_peer));
}

// TP-1 to TP-4: a synchronous message leaves only when the receiver has asked; an asynchronous one
// waits in the system's buffer. The adapter matches: nothing is queued here.
TEST(Protocols, TportsMatchOnTheAdapter) {
    run("quadrics", 2, [](World& w) {
        const Duration long_time = Duration::ms(1);
        for (const Mode mode : {Mode::standard, Mode::synchronous}) {
            if (w.rank() == 0) {
                const Time start = w.process.host().now();
                w.send(pattern(100, 1), 1, 3, mode);
                const bool waited = w.process.host().now() - start >= long_time / 2;
                expect(waited == (mode == Mode::synchronous), "wrong time");
                w.receive(0, 1, 4);
            } else {
                w.process.host().compute(long_time);
                expect(w.receive(100, any_source, any_tag) == pattern(100, 1), "wrong bytes");
                w.send({}, 0, 4);
            }
        }
        expect(w.process.counters().unexpected == 0, "matched here");
        expect(w.process.counters().connections == 0, "a connection on Quadrics");
    });
}

/// How long two ranks take to send each other 32 large messages, rank 1 beginning a little later.
Duration time_of_crossing(Duration later) {
    Duration taken;
    run("infiniband-pcie", 2, [&](World& w) {
        std::vector<std::byte> out(256 << 10);
        std::vector<std::byte> in(out.size());
        const auto cross = [&](int messages) {
            std::vector<Request*> all;
            for (int i = 0; i < messages; ++i) {
                all.push_back(&w.process.start_receive({in.data(), in.size(), &World::bytes()},
                                                       1 - w.rank(), 1, w.comm));
                all.push_back(&w.process.start_send(
                    ConstBuffer(out.data(), out.size(), World::bytes()), 1 - w.rank(), 1, w.comm));
            }
            for (Request* request : all) {
                w.process.wait(*request);
                w.process.release(*request);
            }
        };
        cross(4);  // makes the second rail
        w.process.rank().bootstrap().fence();
        if (w.rank() == 1) w.process.host().compute(later);
        const Time start = w.process.host().now();
        cross(32);
        if (w.rank() == 0) taken = w.process.host().now() - start;
    });
    return taken;
}

// What two ports carry both ways does not depend on how the two sides are shifted.
TEST(TwoRails, CarryBothWaysWhoeverBegins) {
    const Duration together = time_of_crossing({});
    for (const Duration later : {100_ns, 500_ns, 3_us}) {
        const Duration shifted = time_of_crossing(later);
        EXPECT_LT(shifted.picoseconds(), 1.03 * together.picoseconds());
        EXPECT_GT(shifted.picoseconds(), 0.97 * together.picoseconds());
    }
}

// In virtual time the same program takes the same time, to the picosecond. Its buffers stay:
// whether memory that was freed comes back at an address registered before is the allocator's to
// say.
TEST(Protocols, AreDeterministic) {
    const auto end_of_run = [] {
        Time end;
        run("infiniband-pcie", 5, [&end](World& w) {
            const auto out = pattern(60'000, 1);
            std::vector<std::byte> in(60'000);
            for (int i = 0; i < 20; ++i)
                for (const std::size_t n : {10, 5000, 60'000}) {
                    w.process.exchange(ConstBuffer(out.data(), n, World::bytes()),
                                       (w.rank() + 1 + i) % 5, 1, {in.data(), n, &World::bytes()},
                                       (w.rank() + 9 - i % 5) % 5, 1, w.comm, nullptr);
                }
            if (w.rank() == 0) end = w.process.host().now();
        });
        return end;
    };
    EXPECT_EQ(end_of_run(), end_of_run());
}

}  // namespace
}  // namespace railyard::mpi
