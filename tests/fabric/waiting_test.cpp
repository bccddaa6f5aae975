/// Waiting: it ends when something comes, whatever it is and on whichever Nic, and at the deadline
/// otherwise.

#include <atomic>
#include <functional>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::CompletionQueue;
using fabric::Flags;
using fabric::Host;
using fabric::Wait;
using namespace railyard::literals;

class Waiting : public Contract {};

constexpr Wait every_wait[] = {Wait::spin, Wait::spin_then_sleep, Wait::sleep};
/// Long enough for the other side to be asleep.
constexpr Duration a_while = Duration::ms(10);

TEST_P(Waiting, ends_at_the_deadline) {
    run(1, [](Team& team) {
        Host& host = team.host();
        for (const Wait how : every_wait) {
            const Time deadline = host.now() + a_while;
            check(!host.wait_until([] { return false; }, deadline, how), "nothing came");
            check(host.now() >= deadline, "not before the deadline");
            check(host.now() - deadline < 2_s, "soon after the deadline");
            const Time past = host.now();
            check(!host.wait_until([] { return false; }, past, how), "a deadline that is past");
            check(host.wait_until([] { return true; }, past, how), "ready beats the deadline");
        }
    });
}

TEST_P(Waiting, time_goes_on_and_computing_takes_it) {
    run(1, [](Team& team) {
        Host& host = team.host();
        const Time start = host.now();
        host.compute(200_us);
        check(host.now() - start >= 200_us, "computing took its time");
        host.charge_copy(1000);
        check(host.now() - start >= 200_us, "time never goes back");
    });
}

/// What `rouse` does on one rank, after a while, ends the other one's sleep in `ready`.
void expect_roused(Team& team, const std::function<void()>& rouse,
                   const std::function<bool()>& ready, Where where = Where::current()) {
    for (const Wait how : every_wait) {
        team.barrier(where);
        const Time start = team.host().now();
        if (team.id() == sender) {
            team.pause(a_while);
            rouse();
        } else {
            team.await(ready, "being roused", where, how);
            check(team.host().now() - start < patience() / 2, "woken, not timed out", where);
        }
        team.barrier(where);
    }
}

TEST_P(Waiting, is_ended_by_a_message) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (std::uint64_t i = 0; i < 8; ++i)
            end.receive(i);
        fabric::Completion done;
        expect_roused(
            team, [&] { end.post({.flags = Flags::unsignalled}); },
            [&] { return end.received_queue().poll(done); });
    });
}

TEST_P(Waiting, is_ended_by_a_write_that_is_watched) {
    if (traits().placement != fabric::Placement::last_byte_last)
        GTEST_SKIP() << "memory cannot be watched on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory memory : memories) {
            Buffer out(team.nic(), 8), in(team.nic(), 8, memory);
            const auto remote = team.swap(in.region());
            int round = 0;
            const auto byte = [&] { return static_cast<std::byte>(1 + round); };
            expect_roused(
                team,
                [&] {
                    out.data()[7] = byte();
                    ++round;
                    end.write(1, out.slice(), Buffer::at(*remote), Flags::remote_completion);
                    end.expect_sent(1);
                },
                [&] {
                    if (!fabric::arrived(&in.data()[7], byte())) return false;
                    ++round;
                    return true;
                });
        }
    });
}

// Where memory is mapped, a store is a write; the peer is woken by hand.
TEST_P(Waiting, is_ended_by_a_nudge_after_a_store_into_mapped_memory) {
    if (!traits().maps_allocated) GTEST_SKIP() << "no memory is mapped on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer in(team.nic(), 8, Memory::nic);
        const auto remote = team.swap(in.region());
        check(remote->mapped() != nullptr, "allocated memory is mapped");
        Buffer users(team.nic(), 8, Memory::user);
        check(team.swap(users.region())->mapped() == nullptr, "the user's own is not");
        int round = 0;
        const auto byte = [&] { return static_cast<std::byte>(1 + round); };
        expect_roused(
            team,
            [&] {
                // Release: as an RDMA write's last byte, whatever else was stored is seen before.
                std::byte* last = remote->mapped() + Buffer::at(*remote).offset.count() + 7;
                std::atomic_ref(*last).store(byte(), std::memory_order_release);
                end.queue_pair().nudge();
                ++round;
            },
            [&] {
                if (!fabric::arrived(&in.data()[7], byte())) return false;
                ++round;
                return true;
            });
    });
}

// The same of ranks that are not connected.
TEST_P(Waiting, is_ended_by_waking_after_a_store_into_mapped_memory) {
    if (!traits().maps_allocated) GTEST_SKIP() << "no memory is mapped on this fabric";
    run(2, [](Team& team) {
        Buffer in(team.nic(), 8, Memory::nic);
        const auto remote = team.swap(in.region());
        int round = 0;
        const auto byte = [&] { return static_cast<std::byte>(1 + round); };
        expect_roused(
            team,
            [&] {
                std::byte* last = remote->mapped() + Buffer::at(*remote).offset.count() + 7;
                // Release: pairs with the acquire of arrived().
                std::atomic_ref(*last).store(byte(), std::memory_order_release);
                team.nic().wake(team.address(team.peer()));
                ++round;
            },
            [&] {
                if (!fabric::arrived(&in.data()[7], byte())) return false;
                ++round;
                return true;
            });
    });
}

TEST_P(Waiting, is_ended_by_a_completion_of_ones_own) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        fabric::Completion done;
        bool posted = false;
        // The receiver of the wake-up is the one whose send is held off until the other receives.
        expect_roused(
            team,
            [&] {
                end.receive(1);
                end.expect_received(1, 0);
            },
            [&] {
                if (!posted)
                    posted = end.queue_pair().post({.flags = Flags::remote_completion}).ok();
                if (!end.sent_queue().poll(done)) return false;
                posted = false;
                return true;
            });
    });
}

TEST_P(Waiting, is_ended_by_a_connection_request) {
    run(2, [](Team& team) {
        const auto listener = team.id() == receiver ? team.nic().listen(3) : nullptr;
        Endpoint clients[] = {Endpoint(team), Endpoint(team), Endpoint(team)};
        int next = 0;
        expect_roused(
            team,
            [&] {
                Endpoint& client = clients[next++];
                check_ok(
                    client.queue_pair().connect(team.address(receiver), 3, {}, team.deadline()),
                    "connect");
                team.await(
                    [&] { return client.queue_pair().state() == fabric::ConnectionState::failed; },
                    "the refusal");
            },
            [&] { return listener->poll() != nullptr; });  // taken, dropped, hence refused
    });
}

TEST_P(Waiting, is_ended_by_a_peers_request) {
    if (traits().connectionless) GTEST_SKIP() << "no requests on a connectionless fabric";
    run(2, [](Team& team) {
        Endpoint askers[] = {Endpoint(team), Endpoint(team), Endpoint(team)};
        int next = 0;
        expect_roused(
            team,
            [&] {
                Endpoint& asker = askers[next++];
                asker.ask(team.address(receiver), static_cast<fabric::Discriminator>(next));
            },
            [&] { return team.nic().poll_peer_request().has_value(); });
    });
}

TEST_P(Waiting, is_ended_by_the_failure_of_a_peer) {
    run(2, [](Team& team) {
        Endpoint ends[] = {Endpoint(team), Endpoint(team), Endpoint(team)};
        for (Endpoint& end : ends)
            end.connect(team.peer());
        int next = 0;
        expect_roused(
            team, [&] { ends[next++].queue_pair().close(); },
            [&] {
                const bool failed =
                    ends[next].queue_pair().state() == fabric::ConnectionState::failed;
                if (failed) ++next;
                return failed;
            });
    });
}

/// The three steps one by one: what comes after prepare_wait() ends the wait, even if it comes
/// before wait().
TEST_P(Waiting, no_arrival_is_missed_between_looking_and_sleeping) {
    const int turns = rounds(300);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Host& host = team.host();
        for (std::uint64_t i = 0; i < 8; ++i)
            end.receive(i);
        for (int turn = 0; turn < turns; ++turn) {
            // Ping-pong; every wait is a bare sleep.
            if (team.id() == sender) end.post({.flags = Flags::unsignalled});
            fabric::Completion done;
            const Time deadline = team.deadline();
            for (;;) {
                const Host::Ticket ticket = host.prepare_wait();
                if (end.received_queue().poll(done)) {
                    host.cancel_wait();
                    break;
                }
                check(host.wait(ticket, deadline, Wait::sleep), "a message that was missed");
            }
            check_equal(done.status, Code::ok, "status");
            end.receive(0);
            if (team.id() == receiver) end.post({.flags = Flags::unsignalled});
        }
        team.barrier();
    });
}

TEST_P(Waiting, a_solicited_arrival_and_an_error_end_the_sleep) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        end.received_queue().wake_for(CompletionQueue::WakeFor::solicited);
        for (std::uint64_t i = 0; i < 8; ++i)
            end.receive(i);
        fabric::Completion done;
        expect_roused(
            team, [&] { end.post({.flags = Flags::unsignalled | Flags::solicited}); },
            [&] { return end.received_queue().poll(done); });
        team.barrier();
        if (team.id() == sender) {
            team.pause(a_while);
            end.queue_pair().close();
        } else {
            team.await([&] { return end.received_queue().poll(done); }, "the error",
                       Where::current(), Wait::sleep);
            check_equal(done.status, Code::flushed, "status");
        }
        team.barrier();
    });
}

/// A wake-up for another reason is allowed, but not every time.
TEST_P(Waiting, an_unsolicited_arrival_is_slept_through) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (std::uint64_t i = 0; i < 8; ++i)
            end.receive(i);
        bool slept = false;
        for (int turn = 0; turn < 5; ++turn) {
            team.barrier();
            if (team.id() == sender) {
                team.pause(a_while);
                end.post({.flags = Flags::unsignalled});
                team.pause(3 * a_while);
            } else {
                Host& host = team.host();
                end.received_queue().wake_for(CompletionQueue::WakeFor::solicited);
                const Host::Ticket ticket = host.prepare_wait();
                slept |= !host.wait(ticket, host.now() + 3 * a_while, Wait::sleep);
                // On a busy machine it may be late, and who waits for it then wants to be woken.
                end.received_queue().wake_for(CompletionQueue::WakeFor::every);
                check_equal(end.next_received().status, Code::ok, "it is there all the same");
            }
            team.barrier();
        }
        check(slept || team.id() == sender, "at least one of five was slept through");
    });
}

/// Requests that tell nothing when they are done make room all the same.
TEST_P(Waiting, for_room_in_the_send_queue_ends_with_unsignalled_requests) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    run(2, [](Team& team) {
        constexpr std::uint64_t count = 24;
        EndpointOptions options;
        options.send_depth = 4;
        Endpoint end(team, options);
        end.connect(team.peer());
        team.barrier();
        for (std::uint64_t i = 1; i <= count; ++i) {
            if (team.id() == receiver) {
                team.pause(2_ms);  // the sender has long gone to sleep
                end.receive(i);
                continue;
            }
            fabric::WorkRequest request{.id = i, .flags = Flags::remote_completion};
            if (i < count) request.flags = request.flags | Flags::unsignalled;
            team.await([&] { return end.queue_pair().post(request).ok(); },
                       "room in the send queue", Where::current(), fabric::Wait::sleep);
        }
        if (team.id() == sender)
            end.expect_sent(count);
        else
            for (std::uint64_t i = 1; i <= count; ++i)
                end.expect_received(i, 0);
        team.barrier();
    });
}

RAILYARD_CONTRACT(Waiting);

}  // namespace
}  // namespace railyard::contract
