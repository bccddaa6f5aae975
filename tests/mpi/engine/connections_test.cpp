// Connections and what they cost: the statements of mech.on-demand and mech.via-connections.

#include <gtest/gtest.h>

#include <mutex>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

class OverChannels : public testing::TestWithParam<std::string> {
  protected:
    void run(int ranks, const std::function<void(World&)>& body, const Change& change = {}) {
        const job::Result result = run_world(GetParam(), ranks, body, change);
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

// OD-1, OD-9: nothing after init; one queue pair for each partner used.
TEST_P(OverChannels, ExistOnlyForPeersTalkedTo) {
    run(5, [](World& w) {
        expect(w.process.counters().queue_pairs == 0, "a queue pair before any message");
        expect(w.process.counters().peer_bytes == 0, "memory before any message");
        const int right = (w.rank() + 1) % 5;
        const int left = (w.rank() + 4) % 5;
        for (int i = 0; i < 3; ++i) {
            if (w.rank() % 2 == 0) w.send(pattern(10, 1), right, 1);
            w.receive(10, left, 1);
            if (w.rank() % 2 == 1) w.send(pattern(10, 1), right, 1);
        }
        // A packet can come before the word that its connection stands; who has sent has the word.
        w.send({}, left, 2);
        w.receive(0, right, 2);
        expect(w.process.counters().channels == 2, "not two partners in a ring");
        expect(w.process.counters().connections == 2, "not two connections in a ring");
    });
}

// OD-2: sends issued before the connection exists go out in order, and before later ones.
TEST_P(OverChannels, SendsBeforeTheConnectionKeepTheirOrder) {
    run(2, [](World& w) {
        constexpr int n = 50;
        if (w.rank() == 0) {
            std::vector<std::vector<std::byte>> data;
            std::vector<Request*> sends;
            for (int i = 0; i < n; ++i)
                data.push_back(
                    pattern(static_cast<std::size_t>(i * i * 20), static_cast<unsigned>(i)));
            for (int i = 0; i < n; ++i)
                sends.push_back(&w.process.start_send(
                    ConstBuffer(data[static_cast<std::size_t>(i)].data(),
                                data[static_cast<std::size_t>(i)].size(), World::bytes()),
                    1, 1, w.comm));
            expect(w.process.counters().queued_sends > 0, "nothing waited for the connection");
            for (Request* send : sends) {
                w.process.wait(*send);
                w.process.release(*send);
            }
            return;
        }
        for (int i = 0; i < n; ++i)
            expect(w.receive(1 << 16, any_source, any_tag) ==
                       pattern(static_cast<std::size_t>(i * i * 20), static_cast<unsigned>(i)),
                   "out of order");
    });
}

// OD-4: a receive from any source connects to all ranks of its communicator, and to no others.
TEST_P(OverChannels, WildcardsConnectToAllWhereTheyMust) {
    run(
        4,
        [](World& w) {
            Communicator half(w.process, 8,
                              Group(w.rank() < 2 ? std::vector{0, 1} : std::vector{2, 3}));
            if (w.rank() == 0) {
                std::byte in{};
                Request& receive =
                    w.process.start_receive({&in, 1, &World::bytes()}, any_source, 1, half);
                expect(w.process.counters().channels == 1, "not exactly the communicator's peers");
                w.process.wait(receive);
                w.process.release(receive);
            } else if (w.rank() == 1) {
                w.process.send(ConstBuffer("x", 1, World::bytes()), 0, 1, half);
            }
        },
        [](Settings& s) { s.wildcard_connects = true; });
}

TEST_P(OverChannels, WildcardsConnectToNobodyWhereTheyNeedNot) {
    run(3, [](World& w) {
        std::byte in{};
        if (w.rank() == 0) {
            Request& receive =
                w.process.start_receive({&in, 1, &World::bytes()}, any_source, 1, w.comm);
            expect(w.process.counters().channels == 0, "connected without need");
            w.process.wait(receive);
            w.process.release(receive);
            expect(w.process.counters().channels == 1, "more peers than talked");
        } else if (w.rank() == 2) {
            w.send(pattern(1, 1), 0, 1);
        }
    });
}

// OD-1: the first request that concerns a peer asks for the connection, be it a send, a receive or
// a probe.
TEST_P(OverChannels, ReceivesAskForThemToo) {
    run(
        4,
        [](World& w) {
            std::byte in{};
            if (w.rank() == 0) {
                Request& receive = w.process.start_receive({&in, 1, &World::bytes()}, 2, 1, w.comm);
                expect(w.process.counters().channels == 1, "the receive did not ask");
                w.process.probe(3, 1, w.comm);
                expect(w.process.counters().channels == 2, "the probe did not ask");
                w.process.probe(0, 1, w.comm);
                expect(w.process.counters().channels == 2, "asked itself");
                w.process.wait(receive);
                w.process.release(receive);
                w.receive(1, 3, 1);
            } else if (w.rank() != 1) {
                w.send(pattern(1, 1), 0, 1);
            }
        },
        [](Settings& s) { s.receive_connects = true; });
}

void ask_on_both_sides(Settings& s) {
    s.receive_connects = true;
    s.wildcard_connects = true;
    s.answer_requests = false;
}

// VC-3: peer to peer as VIA has it: both sides must ask. Whatever a program waits for, it asks for:
// named or not, probed or received, long or short.
TEST_P(OverChannels, AreMadeWhereBothSidesMustAsk) {
    run(
        5,
        [](World& w) {
            for (int distance = 1; distance < 5; ++distance)
                for (const std::size_t n : {10, 3000, 60'000}) {
                    const int to = (w.rank() + distance) % 5;
                    const int from = (w.rank() + 5 - distance) % 5;
                    const auto out = pattern(n, static_cast<unsigned>(w.rank()));
                    Request& send = w.process.start_send(ConstBuffer(out.data(), n, World::bytes()),
                                                         to, distance, w.comm);
                    if (distance == 2) {
                        // A probe finds it, without a receive of any kind before.
                        w.process.wait_until(
                            [&] { return w.process.probe(from, distance, w.comm).has_value(); });
                    } else if (distance == 3) {
                        Message* message = nullptr;
                        w.process.wait_until([&] {
                            message = w.process.matched_probe(any_source, distance, w.comm);
                            return message != nullptr;
                        });
                        std::vector<std::byte> in(n);
                        Request& receive = w.process.start_receive(
                            *message, {in.data(), n, &World::bytes()}, w.comm);
                        w.process.wait(receive);
                        w.process.release(receive);
                        expect(in == pattern(n, static_cast<unsigned>(from)), "wrong bytes");
                    }
                    if (distance != 3)
                        expect(w.receive(n, distance == 4 ? any_source : from, distance) ==
                                   pattern(n, static_cast<unsigned>(from)),
                               "wrong bytes");
                    w.process.wait(send);
                    w.process.release(send);
                }
            expect(w.process.counters().connections == 4, "not one connection a peer");
        },
        ask_on_both_sides);
}

// OD-6: a rank that waits in a communication call still answers connection requests.
TEST_P(OverChannels, RequestsAreAnsweredWhileWaitingForSomethingElse) {
    run(3, [](World& w) {
        if (w.rank() == 0) {
            // Blocked on rank 1, which waits for rank 2, which first needs rank 0's answer.
            std::byte in{};
            Request& from2 = w.process.start_receive({&in, 1, &World::bytes()}, 2, 7, w.comm);
            w.receive(4, 1, 1);
            w.process.wait(from2);
            w.process.release(from2);
        } else if (w.rank() == 1) {
            w.receive(4, 2, 1);
            w.send(pattern(4, 1), 0, 1);
        } else {
            w.send(pattern(1, 1), 0, 7, Mode::synchronous);
            w.send(pattern(4, 1), 1, 1);
        }
    });
}

// OD-8: two that send to each other first, at once, end with one connection.
TEST_P(OverChannels, AskedForFromBothSidesAreOne) {
    run(2, [](World& w) {
        const auto out = pattern(100, 1);
        std::vector<std::byte> in(100);
        w.process.exchange(ConstBuffer(out.data(), 100, World::bytes()), 1 - w.rank(), 1,
                           {in.data(), 100, &World::bytes()}, 1 - w.rank(), 1, w.comm, nullptr);
        expect(w.process.counters().connections == 1, "not one connection");
    });
}

// VC-5: static set-up makes a connection to everybody during init.
TEST_P(OverChannels, MadeAtTheStartAreThereAtTheStart) {
    for (const Connections policy : {Connections::static_peer, Connections::static_client_server})
        run(
            4,
            [](World& w) {
                expect(w.process.counters().connections == 3, "not everybody is connected");
                const auto out = pattern(3000, static_cast<unsigned>(w.rank()));
                std::vector<std::byte> in(3000);
                w.process.exchange(ConstBuffer(out.data(), 3000, World::bytes()),
                                   (w.rank() + 1) % 4, 1, {in.data(), 3000, &World::bytes()},
                                   (w.rank() + 3) % 4, 1, w.comm, nullptr);
                expect(in == pattern(3000, static_cast<unsigned>((w.rank() + 3) % 4)),
                       "wrong bytes");
            },
            [policy](Settings& s) { s.connections = policy; });
}

// A peer that writes into rings has rings of its own, and memory grows with each.
TEST_P(OverChannels, HoldMemoryForPeersOnly) {
    run(
        6,
        [](World& w) {
            std::uint64_t before = 0;
            for (int peer = 1; peer < 6; ++peer) {
                if (w.rank() == 0) {
                    w.send(pattern(4, 1), peer, 1);
                    w.receive(4, peer, 1);
                    const std::uint64_t now = w.process.counters().peer_bytes;
                    expect(now > before, "a peer costs nothing");
                    before = now;
                } else if (w.rank() == peer) {
                    w.receive(4, 0, 1);
                    w.send(pattern(4, 1), 0, 1);
                }
            }
        },
        [](Settings& s) { s.watched_rings = 64; });
}

// Peers beyond the watched rings use send/receive: the same messages, the same order.
TEST_P(OverChannels, WithoutRingsUseSendAndReceive) {
    run(
        4,
        [](World& w) {
            for (int round = 0; round < 30; ++round)
                for (const std::size_t n : {0, 40, 500, 4000, 9000, 70000}) {
                    const auto seed = static_cast<unsigned>(w.rank() + round);
                    const auto out = pattern(n, seed);
                    std::vector<std::byte> in(n);
                    const int to = (w.rank() + 1 + round % 3) % 4;
                    const int from = (w.rank() + 3 - round % 3) % 4;
                    w.process.exchange(ConstBuffer(out.data(), n, World::bytes()), to, 1,
                                       {in.data(), n, &World::bytes()}, from, 1, w.comm, nullptr);
                    expect(in == pattern(n, static_cast<unsigned>(from + round)), "wrong bytes");
                }
        },
        [](Settings& s) { s.watched_rings = 0; });
}

// PR-4: with no credits left a send waits; nothing is lost, and memory stays bounded.
TEST_P(OverChannels, AreNotFloodedByUnexpectedMessages) {
    constexpr int n = 20'000;
    for (const std::uint32_t rings : {0u, 16u})
        run(
            2,
            [](World& w) {
                if (w.rank() == 0) {
                    for (int i = 0; i < n; ++i)
                        w.send(pattern(64, static_cast<unsigned>(i)), 1, 1);
                    w.send({}, 1, 2);
                    return;
                }
                // Asking for the last one first would need unlimited room for the others.
                for (int i = 0; i < n; ++i) {
                    if (i % 100 == 0) w.process.progress();
                    expect(w.receive(64, 0, 1) == pattern(64, static_cast<unsigned>(i)), "wrong");
                }
                w.receive(0, 0, 2);
            },
            [rings](Settings& s) { s.watched_rings = rings; });
}

TEST_P(OverChannels, HoldBackASenderWhoseMessagesNobodyTakes) {
    run(
        2,
        [](World& w) {
            constexpr int n = 2000;
            if (w.rank() == 0) {
                std::vector<std::vector<std::byte>> data;
                std::vector<Request*> sends;
                for (int i = 0; i < n; ++i)
                    data.push_back(pattern(1000, static_cast<unsigned>(i)));
                for (const auto& d : data) {
                    sends.push_back(&w.process.start_send(
                        ConstBuffer(d.data(), d.size(), World::bytes()), 1, 1, w.comm));
                    if (sends.size() != 100) continue;
                    // However late the other rank runs, it has said by now that it is full.
                    w.send({}, 1, 3);
                    w.receive(0, 1, 3);
                }
                w.send({}, 1, 2);
                for (Request* send : sends) {
                    w.process.wait(*send);
                    w.process.release(*send);
                }
                expect(w.process.counters().rendezvous_sent > n / 2, "all of them went eagerly");
                return;
            }
            w.receive(0, 0, 3);
            w.send({}, 0, 3);
            // The last message first: all others wait, most of them as an RTS only.
            w.receive(0, 0, 2);
            for (int i = 0; i < n; ++i)
                expect(w.receive(1000, 0, 1) == pattern(1000, static_cast<unsigned>(i)), "wrong");
            expect(w.process.counters().unexpected_longest >= n, "they did not wait");
        },
        [](Settings& s) { s.unexpected_limit = Bytes(32 << 10); });
}

INSTANTIATE_TEST_SUITE_P(On, OverChannels,
                         testing::Values("shm", "iwarp", "infiniband-pcie", "berkeley-via",
                                         "clan-via"),
                         [](const auto& instance) {
                             std::string name = instance.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace railyard::mpi
