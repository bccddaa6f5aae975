/// Peer-to-peer connections: either side may ask first (VC-3: A-then-B, B-then-A and simultaneous
/// calls each give exactly one connection; OD-8: so do two that want each other at once).

#include <optional>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::ConnectionState;
using fabric::Discriminator;
using fabric::PeerRequest;
using fabric::PrivateData;
using namespace railyard::literals;

class PeerToPeer : public Contract {};

std::string letter(int rank, std::size_t n) {
    std::string text(n, static_cast<char>('a' + rank));
    for (std::size_t i = 0; i < n; i += 3)
        text[i] = static_cast<char>('0' + i % 10);
    return text;
}

PeerRequest await_peer_request(Team& team, Where where = Where::current()) {
    std::optional<PeerRequest> request;
    team.await([&] { return (request = team.nic().poll_peer_request()).has_value(); },
               "a peer's request", where);
    return *request;
}

/// `first` asks, and has asked for long when the other does.
void connect_in_turn(Team& team, int first) {
    Endpoint end(team);
    const Discriminator discriminator = team.fresh();
    const std::size_t lengths[] = {0, 1, 196};
    end.receive(0);  // VC-2: a receive can be posted before the connection
    const std::size_t n = lengths[discriminator % 3];
    if (team.id() == first)
        end.ask(team.address(team.peer()), discriminator, PrivateData(letter(team.id(), n)));
    team.barrier();
    team.pause(1_ms);
    if (team.id() == first)
        check_equal(end.queue_pair().state(), ConnectionState::connecting, "state of who waits");
    if (team.id() != first)
        check_equal(end.queue_pair().state(), ConnectionState::idle, "state of who has not asked");
    team.barrier();
    if (team.id() != first)
        end.ask(team.address(team.peer()), discriminator, PrivateData(letter(team.id(), n)));
    end.await_connected();
    check_equal(end.queue_pair().peer_data().text(), letter(team.peer(), n), "private data");
    end.post({.id = 1});
    end.expect_received(0, 0);
    end.expect_sent(1);
    check_alive(team, end);
    check(!team.nic().poll_peer_request().has_value(), "a request that was met is not given");
    team.barrier();
}

TEST_P(PeerToPeer, a_then_b) {
    if (traits().connectionless) GTEST_SKIP() << "nobody waits on a connectionless fabric";
    run(2, [](Team& team) {
        for (int turn = 0; turn < 6; ++turn)
            connect_in_turn(team, 0);
    });
}

TEST_P(PeerToPeer, b_then_a) {
    if (traits().connectionless) GTEST_SKIP() << "nobody waits on a connectionless fabric";
    run(2, [](Team& team) {
        for (int turn = 0; turn < 6; ++turn)
            connect_in_turn(team, 1);
    });
}

TEST_P(PeerToPeer, simultaneously) {
    const int turns = rounds(300);
    run(2, [=](Team& team) {
        for (int turn = 0; turn < turns; ++turn) {
            Endpoint end(team);
            const std::size_t n = turn % 3 == 0 ? 0 : turn % 3 == 1 ? 1 : 196;
            const Discriminator discriminator = team.fresh();
            team.barrier();
            // A little apart, this way and that, so that requests cross at every point.
            if (turn % 4 != 0) team.pause(Duration::ns((team.id() == turn % 2 ? 100 : 40) * turn));
            end.ask(team.address(team.peer()), discriminator, PrivateData(letter(team.id(), n)));
            end.await_connected();
            check_equal(end.queue_pair().peer_data().text(), letter(team.peer(), n),
                        "private data");
            check_alive(team, end);
            check(!team.nic().poll_peer_request().has_value(), "exactly one connection");
            team.barrier();
        }
    });
}

/// OD-6: a rank that only looks now and then is asked, sees by whom, and answers.
TEST_P(PeerToPeer, a_passive_side_sees_the_request_and_answers) {
    if (traits().connectionless) GTEST_SKIP() << "no requests on a connectionless fabric";
    run(3, [](Team& team) {
        constexpr int passive = 0;
        if (team.id() == passive) {
            check(!team.nic().poll_peer_request().has_value(), "nobody has asked yet");
            team.barrier();
            std::vector<std::unique_ptr<Endpoint>> ends;
            std::vector<int> seen(3);
            for (int count = 0; count < 4; ++count) {
                const PeerRequest request = await_peer_request(team);
                const int from = request.from == team.address(1) ? 1 : 2;
                check(request.from == team.address(from), "a request names its sender");
                check(request.discriminator / 10 == static_cast<Discriminator>(from),
                      "a request has its discriminator");
                check_equal(request.private_data.text(), letter(from, 50), "its data");
                ++seen[static_cast<std::size_t>(from)];
                ends.push_back(std::make_unique<Endpoint>(team));
                ends.back()->ask(request.from, request.discriminator, PrivateData("welcome"));
            }
            check_equal(seen[1], 2, "requests of rank 1");
            check_equal(seen[2], 2, "requests of rank 2");
            for (const auto& end : ends) {
                end->await_connected();
                end->post({.id = 1});
                end->expect_sent(1);
            }
            check(!team.nic().poll_peer_request().has_value(), "each is given once");
            team.barrier();
        } else {
            team.barrier();
            Endpoint first(team), second(team);
            const Discriminator base = static_cast<Discriminator>(team.id()) * 10;
            for (Endpoint* end : {&first, &second}) {
                end->receive(1);
                end->ask(team.address(passive), base + (end == &second ? 1 : 0),
                         PrivateData(letter(team.id(), 50)));
            }
            for (Endpoint* end : {&first, &second}) {
                end->await_connected();
                check_equal(end->queue_pair().peer_data().text(), std::string_view("welcome"),
                            "the answer");
                end->expect_received(1, 0);
            }
            team.barrier();
        }
    });
}

TEST_P(PeerToPeer, timed_out_when_the_other_does_not_ask) {
    if (traits().connectionless) GTEST_SKIP() << "nobody waits on a connectionless fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        if (team.id() == sender) {
            const Time began = team.host().now();
            check_ok(end.queue_pair().connect_peer(team.address(receiver), 1, {}, began + 20_ms),
                     "connect_peer");
            team.await([&] { return end.queue_pair().state() == ConnectionState::failed; },
                       "the time to be up");
            check_equal(end.queue_pair().reason(), Code::timed_out, "reason");
            check(team.host().now() - began >= 20_ms, "not before the deadline");
            check(team.host().now() - began < patience(), "and not long after it");
        }
        team.barrier();
        end.connect(team.peer());  // the same queue pair, once more
        check_alive(team, end);
        team.barrier();
    });
}

TEST_P(PeerToPeer, discriminators_tell_connections_apart) {
    run(2, [](Team& team) {
        constexpr std::size_t count = 16;
        std::vector<std::unique_ptr<Endpoint>> ends(count);
        for (auto& end : ends)
            end = std::make_unique<Endpoint>(team);
        // One side in this order, the other in that; some differ in the upper bits only.
        const auto discriminator = [](std::size_t i) {
            return i % 2 == 0 ? Discriminator{i} : Discriminator{i} << 56;
        };
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t which = team.id() == 0 ? i : count - 1 - i;
            ends[which]->ask(team.address(team.peer()), discriminator(which),
                             PrivateData(std::to_string(which)));
        }
        for (std::size_t i = 0; i < count; ++i) {
            ends[i]->await_connected();
            check_equal(ends[i]->queue_pair().peer_data().text(), std::to_string(i),
                        "who is at the other end");
        }
        for (std::size_t i = 0; i < count; ++i)
            check_alive(team, *ends[i]);
        team.barrier();
    });
}

TEST_P(PeerToPeer, a_discriminator_can_be_used_again) {
    const int turns = rounds(40);
    run(2, [=](Team& team) {
        for (int turn = 0; turn < turns; ++turn) {
            Endpoint end(team);
            end.connect(team.peer(), 5);
            check_alive(team, end);
            team.barrier();
            end.destroy_queue_pair();
            // On even turns the other side may still have its old queue pair when we ask anew.
            if (turn % 2 == 1) team.barrier();
        }
    });
}

TEST_P(PeerToPeer, two_nics_of_one_rank) {
    run(1, [](Team& team) {
        const auto other = team.open_another();
        Endpoint here(team), there(team, {.nic = other.get()});
        here.ask(other->address(), 1);
        there.ask(team.nic().address(), 1);
        here.await_connected();
        there.await_connected();
        Buffer out(team.nic(), 100'000), in(*other, 100'000);
        out.fill(1);
        there.receive(1, in.slice());
        here.send(1, out.slice());
        there.expect_received(1, 100'000);
        here.expect_sent(1);
        in.check(100'000, 1, "a message to oneself");
    });
}

/// All of them at once, and all of them at work.
TEST_P(PeerToPeer, two_hundred_and_fifty_six_connections) {
    if (traits().max_queue_pairs < 257) GTEST_SKIP() << "fewer queue pairs on this fabric";
    run(2, [](Team& team) {
        constexpr std::size_t count = 256;
        const auto sent = team.nic().create_completion_queue(4 * count);
        const auto received = team.nic().create_completion_queue(4 * count);
        EndpointOptions options;
        options.send_depth = 4;
        options.receive_depth = 4;
        options.sent = sent.get();
        options.received = received.get();
        Buffer out(team.nic(), count * 8), in(team.nic(), count * 8);
        out.fill(seed_of(team.id(), 1));
        std::vector<std::unique_ptr<Endpoint>> ends(count);
        for (std::size_t i = 0; i < count; ++i) {
            ends[i] = std::make_unique<Endpoint>(team, options);
            ends[i]->receive(i, in.slice(i * 8, 8));
            ends[i]->ask(team.address(team.peer()), 10 + i);
        }
        for (const auto& end : ends)
            end->await_connected();
        for (std::size_t i = 0; i < count; ++i)
            ends[i]->send(i, out.slice(i * 8, 8));
        std::vector<bool> seen(count);
        for (std::size_t i = 0; i < count; ++i) {
            const fabric::Completion done = ends[0]->next_received();
            check_equal(done.status, Code::ok, "status");
            check(done.queue_pair == &ends[done.id]->queue_pair(), "whose receive it is");
            check(!seen[done.id], "once each");
            seen[done.id] = true;
        }
        for (std::size_t i = 0; i < count; ++i)
            check_equal(ends[0]->next_sent().status, Code::ok, "status");
        in.check(count * 8, seed_of(team.peer(), 1), "what all connections brought");
        team.barrier();
    });
}

RAILYARD_CONTRACT(PeerToPeer);

}  // namespace
}  // namespace railyard::contract
