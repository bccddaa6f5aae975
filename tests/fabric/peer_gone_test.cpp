/// A peer that goes away: by closing, by destroying its queue pair or its Nic, or by ending without
/// a word. What is outstanding fails, and the survivor goes on.

#include <unistd.h>

#include <array>
#include <optional>
#include <vector>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Completion;
using fabric::Flags;
using namespace railyard::literals;

class PeerGone : public Contract {};

constexpr std::array<std::uint64_t, 3> ids = {1, 2, 3};

/// What both ranks have outstanding. Sends are done only at the peer, which posts no receive; or
/// receives, for which nothing is sent.
enum class Outstanding : std::uint8_t { sends, receives };
std::vector<Outstanding> kinds(Team& team) {
    if (!team.traits().waits_for_receives) return {Outstanding::receives};
    return {Outstanding::sends, Outstanding::receives};
}

void leave_outstanding(Endpoint& end, const Buffer& data, Outstanding what) {
    if (what == Outstanding::receives) {
        for (const std::uint64_t id : ids)
            end.receive(id, data.slice(0, 8));
    } else {
        end.send(1, data.slice(), Flags::remote_completion);
        end.send(2, data.slice(0, 8), Flags::remote_completion);
        end.send(3, data.slice(0, 0), Flags::unsignalled);
    }
}

void expect_flushed_by_closing(Endpoint& end, Outstanding what) {
    if (what == Outstanding::receives) end.expect_receives_flushed(ids);
    for (const std::uint64_t id : ids)
        if (what == Outstanding::sends) end.expect_sent(id, Code::flushed);
    check(end.queue_pair().state() != fabric::ConnectionState::connected, "it is closed");
    check(end.queue_pair().post(fabric::WorkRequest{}).failed(), "and takes no requests");
    end.queue_pair().close();  // once more does no harm
    end.expect_silence(1_ms);
}

void expect_outstanding_ended(Endpoint& end, Outstanding what, Where where = Where::current()) {
    if (what == Outstanding::receives) {
        end.expect_receives_flushed(ids, where);
    } else {
        end.expect_sent(1, Code::remote_closed, where);
        end.expect_sent(2, Code::flushed, where);
        end.expect_sent(3, Code::flushed, where);
    }
    end.expect_failed(Code::remote_closed, where);
    end.expect_silence(1_ms, where);
}

TEST_P(PeerGone, closed) {
    run(2, [](Team& team) {
        for (const Outstanding what : kinds(team)) {
            Endpoint end(team), bystander(team);
            end.connect(team.peer());
            bystander.connect(team.peer());
            Buffer data(team.nic(), 100'000);
            leave_outstanding(end, data, what);
            team.barrier();
            if (team.id() == receiver) {
                end.queue_pair().close();
                expect_flushed_by_closing(end, what);
            } else {
                expect_outstanding_ended(end, what);
            }
            check_alive(team, bystander);
            team.barrier();
        }
    });
}

TEST_P(PeerGone, queue_pair_destroyed) {
    run(2, [](Team& team) {
        for (const Outstanding what : kinds(team)) {
            Endpoint end(team), bystander(team);
            end.connect(team.peer());
            bystander.connect(team.peer());
            Buffer data(team.nic(), 100'000);
            leave_outstanding(end, data, what);
            team.barrier();
            if (team.id() == receiver) end.destroy_queue_pair();
            if (team.id() == receiver) end.expect_silence(1_ms);  // its completions went with it
            if (team.id() == sender) expect_outstanding_ended(end, what);
            check_alive(team, bystander);
            team.barrier();
        }
    });
}

/// A request to connect with a Nic that is no more ends, one way or the other.
void expect_nobody_at(Team& team, fabric::Nic& from, const fabric::Address& address) {
    Endpoint late(team, {.nic = &from});
    Status reason = late.queue_pair().connect_peer(address, 2, {}, team.host().now() + 50_ms);
    if (reason.ok()) {
        team.await([&] { return late.queue_pair().state() == fabric::ConnectionState::failed; },
                   "the request to fail");
        reason = late.queue_pair().reason();
    }
    check(reason == Code::timed_out || reason == Code::refused, "reason: " + show(reason));
}

TEST_P(PeerGone, nic_destroyed) {
    run(2, [](Team& team) {
        for (const Outstanding what : kinds(team)) {
            std::unique_ptr<fabric::Nic> nic = team.open_another();
            const std::vector<fabric::Address> addresses = team.gather(nic->address());
            const fabric::Address address = addresses[team.id() == sender ? receiver : sender];
            Endpoint bystander(team);
            bystander.connect(team.peer());
            std::optional<Endpoint> end(std::in_place, team, EndpointOptions{.nic = nic.get()});
            std::optional<Buffer> data(std::in_place, *nic, 100'000);
            end->connect(address, 1);
            leave_outstanding(*end, *data, what);
            team.barrier();
            if (team.id() == sender) {
                expect_outstanding_ended(*end, what);
            } else {
                end.reset();
                data.reset();
                nic.reset();
            }
            check_alive(team, bystander);
            team.barrier();
            if (team.id() == sender) expect_nobody_at(team, *nic, address);
            team.barrier();
        }
    });
}

TEST_P(PeerGone, with_nothing_outstanding) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        team.barrier();
        if (team.id() == receiver) end.queue_pair().close();
        if (team.id() == sender) end.expect_failed(Code::remote_closed);
        end.expect_silence(1_ms);
        team.barrier();
    });
}

/// "What was sent before still reaches the peer's posted receives."
TEST_P(PeerGone, a_send_that_completed_is_not_lost_by_closing) {
    run(2, [](Team& team) {
        for (const bool destroy : {false, true})
            for (const std::size_t n : {0, 8, 4096, 200'000}) {
                Endpoint end(team);
                end.connect(team.peer());
                Buffer out(team.nic(), n), in(team.nic(), n);
                out.fill(seed_of(team.id(), n));
                if (team.id() == receiver)
                    for (const std::uint64_t id : {1, 2, 3})
                        end.receive(id, in.slice());
                team.barrier();
                if (team.id() == sender) {
                    for (const std::uint64_t id : {1, 2, 3})
                        end.send(id, out.slice());
                    for (const std::uint64_t id : {1, 2, 3})
                        end.expect_sent(id);
                    if (destroy) end.destroy_queue_pair();
                    if (!destroy) end.queue_pair().close();
                } else {
                    team.pause(1_ms);  // the sender is gone before anyone looks
                    for (const std::uint64_t id : {1, 2, 3})
                        end.expect_received(id, n);
                    in.check(n, seed_of(sender, n), "a message of a peer that closed");
                    end.expect_failed(Code::remote_closed);
                }
                team.barrier();
            }
    });
}

TEST_P(PeerGone, a_new_queue_pair_works_after_it) {
    run(2, [](Team& team) {
        for (int turn = 0; turn < 10; ++turn) {
            Endpoint end(team);
            end.connect(team.peer());
            check_alive(team, end);
            if (team.id() == turn % 2) end.queue_pair().close();
            if (team.id() != turn % 2) end.expect_failed(Code::remote_closed);
            team.barrier();
        }
    });
}

/// A process that ends in the midst, and calls no destructor.
TEST_P(PeerGone, process_ended) {
    if (GetParam().kind != RankKind::processes) GTEST_SKIP() << "ranks are not processes here";
    run(2, [](Team& team) {
        Endpoint end(team), idle(team);
        end.connect(team.peer());
        idle.connect(team.peer());
        Buffer data(team.nic(), 100'000), local(team.nic(), 64);
        const auto remote = team.swap(data.region());
        leave_outstanding(end, data, Outstanding::sends);
        team.barrier();
        team.forgo_finish();
        if (team.id() == receiver) _exit(0);
        expect_outstanding_ended(end, Outstanding::sends);
        // One that had nothing to do with the peer at that moment: it may know already, and refuse,
        // else it hears of it when it asks.
        const fabric::Slice into = local.slice();
        const Status posted = idle.queue_pair().post({.op = fabric::Op::rdma_read,
                                                      .local = std::span(&into, 1),
                                                      .remote = Buffer::at(*remote)});
        const Status status = posted.ok() ? idle.next_sent().status : posted;
        check(status == Code::remote_closed || status == Code::flushed, show(status));
        idle.expect_failed(Code::remote_closed);
    });
}

RAILYARD_CONTRACT(PeerGone);

}  // namespace
}  // namespace railyard::contract
