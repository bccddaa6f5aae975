/// What happens when one side is faster than the other: senders held off (IB-1: with no receive
/// posted no data is lost, the sender waits), back-pressure, and messages that do not fit.

#include <algorithm>
#include <array>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Completion;
using fabric::Flags;
using fabric::Op;
using fabric::WorkRequest;
using namespace railyard::literals;

class Flow : public Contract {};

TEST_P(Flow, a_sender_is_held_off_until_a_receive_is_posted) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::size_t longest = 100'000;
        const std::size_t lengths[] = {8, longest, 0, 5000, 8};
        const std::size_t count = std::size(lengths);
        Buffer data(team.nic(), count * longest);
        data.fill(seed_of(sender, 1));
        if (team.id() == sender)
            for (std::size_t i = 0; i < count; ++i)
                end.send(i, data.slice(i * longest, lengths[i]));
        team.barrier();
        if (team.id() == receiver) {
            end.expect_silence(5_ms);  // they lie in wait, and nothing gets lost
            Buffer in(team.nic(), longest);
            for (std::size_t i = 0; i < count; ++i) {
                in.blank();
                end.receive(i, in.slice());
                end.expect_received(i, lengths[i]);
                check(
                    std::ranges::equal(in.data(0, lengths[i]), data.data(i * longest, lengths[i])),
                    "message " + std::to_string(i) + " that was held off");
            }
        } else {
            for (std::size_t i = 0; i < count; ++i)
                end.expect_sent(i);
        }
        team.barrier();
    });
}

TEST_P(Flow, a_write_with_immediate_is_held_off_too) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    if (!traits().write_immediate) GTEST_SKIP() << "no write with immediate on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer out(team.nic(), 5000), in(team.nic(), 5000);
        const auto remote = team.swap(in.region());
        out.fill(seed_of(team.id(), 1));
        end.write_imm(1, out.slice(), Buffer::at(*remote), 77, Flags::remote_completion);
        end.expect_silence(5_ms);
        team.barrier();
        end.receive(2);
        end.expect_received_imm(2, 5000, 77);
        end.expect_sent(1);
        in.check(5000, seed_of(team.peer(), 1), "data of a write with immediate");
        team.barrier();
    });
}

TEST_P(Flow, receiver_not_ready_ends_the_sender_after_its_time) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    run(2, [](Team& team) {
        Buffer data(team.nic(), 100'000);
        for (const std::size_t n : {0, 8, 100'000}) {
            EndpointOptions options;
            options.receiver_not_ready_timeout = 30_ms;
            Endpoint end(team, options);
            end.connect(team.peer());
            team.barrier();
            if (team.id() == sender) {
                end.receive(9);
                const Time start = team.host().now();
                end.send(1, data.slice(0, n), Flags::remote_completion);
                end.send(2, data.slice(0, n), Flags::unsignalled);
                end.expect_sent(1, Code::receiver_not_ready);
                check(team.host().now() - start >= 30_ms, "the sender waited as long as it said");
                end.expect_sent(2, Code::flushed);
                end.expect_receives_flushed(std::array<std::uint64_t, 1>{9});
                end.expect_failed(Code::receiver_not_ready);
            } else {
                end.expect_failed(Code::remote_closed);
            }
            team.barrier();
        }
    });
}

/// VIA's reliable delivery: no descriptor for a message is an error of the connection, of both
/// sides and of no other.
TEST_P(Flow, a_message_without_a_receive_breaks_the_connection) {
    if (traits().waits_for_receives) GTEST_SKIP() << "messages wait for receives here";
    run(2, [](Team& team) {
        Buffer data(team.nic(), 100'000), in(team.nic(), 8);
        for (const std::size_t n : {0, 8, 100'000}) {
            Endpoint end(team), bystander(team);
            end.connect(team.peer());
            bystander.connect(team.peer());
            if (team.id() == receiver) end.receive(1, in.slice());
            team.barrier();
            if (team.id() == sender) {
                end.receive(9);
                const Time start = team.host().now();
                end.send(1, data.slice(0, 8));
                end.send(2, data.slice(0, n));
                end.send(3, data.slice(0, n));
                end.expect_sent(1);
                end.expect_sent(2, Code::receiver_not_ready);
                check(team.host().now() - start < 1_ms, "at once");
                end.expect_sent(3, Code::flushed);
                end.expect_receives_flushed(std::array<std::uint64_t, 1>{9});
                end.expect_failed(Code::receiver_not_ready);
            } else {
                end.expect_received(1, 8);
                end.expect_failed(Code::remote_closed);
            }
            check_alive(team, bystander);
            team.barrier();
        }
    });
}

/// Completion when the buffer is free may come before it is known that nobody wants the message: it
/// is then the queue pair that tells.
TEST_P(Flow, receiver_not_ready_is_told_without_remote_completion_as_well) {
    run(2, [](Team& team) {
        EndpointOptions options;
        options.receiver_not_ready_timeout = 30_ms;
        Endpoint end(team, options);
        end.connect(team.peer());
        Buffer data(team.nic(), 8);
        team.barrier();
        if (team.id() == sender) {
            end.send(1, data.slice());
            const Completion done = end.next_sent();
            if (!done.status.ok())
                check_equal(done.status, Code::receiver_not_ready, "status of the send");
            end.expect_failed(Code::receiver_not_ready);
        } else {
            end.expect_failed(Code::remote_closed);
        }
        team.barrier();
    });
}

TEST_P(Flow, a_receive_posted_in_time_saves_the_sender) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    run(2, [](Team& team) {
        EndpointOptions options;
        options.receiver_not_ready_timeout = patience();
        Endpoint end(team, options);
        end.connect(team.peer());
        if (team.id() == sender) {
            end.post({.id = 1, .flags = Flags::remote_completion});
            end.expect_silence(5_ms);
            team.barrier();
            end.expect_sent(1);
        } else {
            team.barrier();
            end.receive(1);
            end.expect_received(1, 0);
        }
        team.barrier();
    });
}

TEST_P(Flow, more_than_the_send_depth_is_back_pressure_and_passes) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    run(2, [](Team& team) {
        constexpr std::uint32_t depth = 16;
        EndpointOptions options;
        options.send_depth = depth;
        Endpoint end(team, options);
        end.connect(team.peer());
        if (team.id() == sender) {
            // Nobody receives yet, so none of these can be done at the peer.
            std::vector<WorkRequest> requests(3 * depth);
            for (std::size_t i = 0; i < requests.size(); ++i) {
                requests[i].id = i;
                requests[i].flags = Flags::remote_completion;
            }
            const fabric::QueuePair::Posted posted = end.queue_pair().post(requests);
            check_equal(posted.status, Code::again, "status of a post that does not fit");
            check(posted.count >= depth, "as many are taken as the depth says");
            check(posted.count <= 2 * depth, "and not many more");
            check_equal(end.queue_pair().post(requests[posted.count]), Code::again, "once more");
            end.expect_silence(2_ms);
            team.barrier();
            for (std::size_t i = posted.count; i < requests.size(); ++i)
                end.post(requests[i]);
            for (std::size_t i = 0; i < requests.size(); ++i)
                end.expect_sent(i);
        } else {
            team.barrier();
            for (std::uint64_t i = 0; i < 3 * depth; ++i)
                end.receive(i);
            for (std::uint64_t i = 0; i < 3 * depth; ++i)
                end.expect_received(i, 0);
        }
        team.barrier();
    });
}

/// Those behind a large message come while it does, and are done with it. Whoever counts what may
/// be under way must count them then, too: nobody posts a receive any more, or sends the other way.
TEST_P(Flow, many_small_messages_behind_a_large_one_all_arrive) {
    run(2, [](Team& team) {
        constexpr std::uint64_t count = 300;
        EndpointOptions options;
        options.send_depth = options.receive_depth = count + 1;
        options.completion_depth = 2 * count;
        Buffer data(team.nic(), 4 << 20);
        for (const std::size_t size : {17 << 10, 100'000, 1 << 20, 4 << 20}) {
            Endpoint end(team, options);
            end.connect(team.peer());
            if (team.id() == receiver) {
                end.receive(0, data.slice(0, size));
                for (std::uint64_t i = 1; i <= count; ++i)
                    end.receive(i);
            }
            team.barrier();
            if (team.id() == sender) {
                end.send(0, data.slice(0, size));
                for (std::uint64_t i = 1; i <= count; ++i)
                    end.post({.id = i});
            }
            for (std::uint64_t i = 0; i <= count; ++i) {
                if (team.id() == sender)
                    end.expect_sent(i);
                else
                    end.expect_received(i, i == 0 ? size : 0);
            }
            team.barrier();
        }
    });
}

TEST_P(Flow, a_full_receive_queue_is_back_pressure_and_passes) {
    run(2, [](Team& team) {
        constexpr std::uint32_t depth = 16;
        EndpointOptions options;
        options.receive_depth = depth;
        Endpoint end(team, options);
        end.connect(team.peer());
        if (team.id() == receiver) {
            std::uint64_t posted = 0;
            Status status;
            while (posted <= 2 * depth && status.ok()) {
                status = end.receive_queue().post({posted, {}});
                if (status.ok()) ++posted;
            }
            check_equal(status, Code::again, "a receive that does not fit");
            check(posted >= depth, "as many are taken as the depth says");
            team.barrier();
            end.expect_received(0, 0);
            end.receive(posted);
            check_equal(end.receive_queue().post({posted + 1, {}}), Code::again, "full again");
            team.barrier();
            end.expect_received(1, 0);
        } else {
            team.barrier();
            end.post({.id = 1});
            end.expect_sent(1);
            team.barrier();
            end.post({.id = 2});
            end.expect_sent(2);
        }
        team.barrier();
    });
}

TEST_P(Flow, a_message_longer_than_its_receive_fails_both) {
    run(2, [](Team& team) {
        constexpr std::size_t size = 100'000;
        Buffer data(team.nic(), size), in(team.nic(), size);
        for (const std::size_t room : {0, 8, 4096, 99'999})
            for (const std::size_t n : {room + 1, size}) {
                Endpoint end(team);
                end.connect(team.peer());
                in.blank();
                if (team.id() == sender) {
                    end.receive(7);
                    team.barrier();
                    end.send(1, data.slice(0, n), Flags::remote_completion);
                    // Where a thread makes progress, the first may have failed by now.
                    const Status behind = end.queue_pair().post(fabric::WorkRequest{.id = 2});
                    if (!behind.ok())
                        check_equal(behind, Code::flushed, "why one behind it was refused");
                    end.expect_sent(1, Code::too_long);
                    if (behind.ok()) end.expect_sent(2, Code::flushed);
                    end.expect_receives_flushed(std::array<std::uint64_t, 1>{7});
                    end.expect_failed(Code::too_long);
                } else {
                    end.receive(1, in.slice(0, room));
                    end.receive(2, in.slice());
                    team.barrier();
                    const Completion done = end.next_received();
                    check_equal(done.id, 1, "id of the receive that was too short");
                    check_equal(done.status, Code::too_long, "its status");
                    check_equal(done.op, Op::receive, "its operation");
                    end.expect_receives_flushed(std::array<std::uint64_t, 1>{2});
                    end.expect_failed(Code::too_long);
                    // Some of the room may have been used, but nothing behind it.
                    check(std::ranges::all_of(in.data().subspan(room),
                                              [](std::byte b) { return b == Buffer::untouched; }),
                          "bytes behind the receive are untouched");
                }
                team.barrier();
            }
    });
}

TEST_P(Flow, messages_before_one_that_is_too_long_are_received) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer data(team.nic(), 64);
        data.fill(seed_of(sender, 1));
        if (team.id() == sender) {
            team.barrier();
            end.send(1, data.slice());
            end.send(2, data.slice());
            end.send(3, data.slice(), Flags::remote_completion);
            end.expect_sent(1);
            end.expect_sent(2);
            end.expect_sent(3, Code::too_long);
        } else {
            Buffer in(team.nic(), 128);
            end.receive(1, in.slice(0, 64));
            end.receive(2, in.slice(64, 64));
            end.receive(3, in.slice(0, 63));
            team.barrier();
            end.expect_received(1, 64);
            end.expect_received(2, 64);
            check_equal(end.next_received().status, Code::too_long, "the third");
        }
        team.barrier();
    });
}

RAILYARD_CONTRACT(Flow);

}  // namespace
}  // namespace railyard::contract
