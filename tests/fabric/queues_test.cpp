/// Receive queues shared by queue pairs, completion queues shared or apart, and what happens when
/// one is too short.

#include <array>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Completion;
using fabric::CompletionQueue;
using fabric::Flags;
using fabric::ReceiveQueue;
using namespace railyard::literals;

class Queues : public Contract {};

TEST_P(Queues, a_shared_receive_queue_serves_several_queue_pairs) {
    if (!traits().shared_receives) GTEST_SKIP() << "receives are not shared on this fabric";
    run(2, [](Team& team) {
        constexpr std::size_t pairs = 4, each = 40, total = pairs * each, length = 64;
        const auto shared = team.nic().create_receive_queue(total, ReceiveQueue::Sharing::shared);
        const auto received = team.nic().create_completion_queue(2 * total);
        EndpointOptions options;
        options.receives = shared.get();
        options.received = received.get();
        std::vector<std::unique_ptr<Endpoint>> ends(pairs);
        for (auto& end : ends)
            end = std::make_unique<Endpoint>(team, options);
        for (auto& end : ends)
            end->connect(team.peer());
        Buffer out(team.nic(), total * length), in(team.nic(), total * length);
        for (std::size_t i = 0; i < total; ++i) {
            fill_pattern(out.data(i * length, length), seed_of(team.id(), i));
            ends[0]->receive(i, in.slice(i * length, length));
        }
        team.barrier();
        for (std::size_t i = 0; i < total; ++i)
            ends[i % pairs]->send(i, out.slice(i * length, length));
        // Receives are consumed in the order of posting; of each pair, messages come in order.
        std::array<std::size_t, pairs> count{};
        for (std::size_t i = 0; i < total; ++i) {
            const Completion done = ends[0]->next_received();
            check_equal(done.status, Code::ok, "status");
            check_equal(done.length, Bytes(length), "length");
            std::size_t which = 0;
            while (which < pairs && done.queue_pair != &ends[which]->queue_pair())
                ++which;
            check(which < pairs, "a completion names one of the queue pairs");
            const std::size_t message = which + pairs * count[which]++;
            check_pattern(in.data(done.id * length, length), seed_of(team.peer(), message),
                          "message " + std::to_string(message));
        }
        for (std::size_t i = 0; i < total; ++i)
            ends[i % pairs]->expect_sent(i);
        team.barrier();
    });
}

TEST_P(Queues, a_shared_receive_queue_outlives_its_queue_pairs) {
    if (!traits().shared_receives) GTEST_SKIP() << "receives are not shared on this fabric";
    run(2, [](Team& team) {
        const auto shared = team.nic().create_receive_queue(8, ReceiveQueue::Sharing::shared);
        EndpointOptions options;
        options.receives = shared.get();
        for (std::uint64_t id = 0; id < 6; ++id)
            check_ok(shared->post({id, {}}), "a receive, before there is any queue pair");
        for (std::uint64_t turn = 0; turn < 3; ++turn) {
            Endpoint end(team, options);
            end.connect(team.peer());
            for (const std::uint64_t id : {2 * turn, 2 * turn + 1}) {
                end.post({.id = id});
                end.expect_received(id, 0);
                end.expect_sent(id);
            }
            team.barrier();
        }
    });
}

TEST_P(Queues, senders_held_off_by_a_shared_receive_queue_all_get_their_turn) {
    if (!traits().shared_receives) GTEST_SKIP() << "receives are not shared on this fabric";
    run(3, [](Team& team) {
        if (team.id() == 0) {
            const auto shared = team.nic().create_receive_queue(16, ReceiveQueue::Sharing::shared);
            const auto received = team.nic().create_completion_queue(64);
            EndpointOptions options;
            options.receives = shared.get();
            options.received = received.get();
            Endpoint first(team, options), second(team, options);
            first.connect(1, 1);
            second.connect(2, 1);
            team.barrier();
            team.pause(1_ms);
            int of_first = 0;
            for (std::uint64_t i = 0; i < 20; ++i) {
                first.receive(i);
                const Completion done = first.next_received();
                check_equal(done.status, Code::ok, "status");
                check_equal(done.id, i, "id");
                if (done.queue_pair == &first.queue_pair()) ++of_first;
            }
            check_equal(of_first, 10, "messages of the first of two");
            team.barrier();
        } else {
            Endpoint end(team);
            end.connect(0, 1);
            for (std::uint64_t i = 0; i < 10; ++i)
                end.post({.id = i});
            team.barrier();
            for (std::uint64_t i = 0; i < 10; ++i)
                end.expect_sent(i);
            team.barrier();
        }
    });
}

TEST_P(Queues, a_shared_receive_queue_is_refused_where_there_is_none) {
    if (traits().shared_receives) GTEST_SKIP() << "receives are shared on this fabric";
    run(1, [](Team& team) {
        try {
            (void)team.nic().create_receive_queue(4, ReceiveQueue::Sharing::shared);
        } catch (const UsageError& error) {
            const std::string_view text = error.what();
            return check(text.find("its own") != text.npos, "the error names the remedy");
        }
        fail("a shared receive queue was made");
    });
}

TEST_P(Queues, one_completion_queue_for_everything) {
    run(2, [](Team& team) {
        const auto all = team.nic().create_completion_queue(256);
        EndpointOptions options;
        options.sent = all.get();
        options.received = all.get();
        Endpoint first(team, options), second(team, options);
        first.connect(team.peer());
        second.connect(team.peer());
        for (std::uint64_t i = 0; i < 10; ++i) {
            first.receive(100 + i);
            second.receive(200 + i);
        }
        team.barrier();
        for (std::uint64_t i = 0; i < 10; ++i) {
            first.post({.id = i});
            second.post({.id = 50 + i});
        }
        // Four rows of ten, mixed anyhow; each in its order.
        std::array<std::uint64_t, 4> next = {0, 100, 50, 200};
        for (int i = 0; i < 40; ++i) {
            const Completion done = first.next_sent();
            check_equal(done.status, Code::ok, "status");
            const bool is_first = done.queue_pair == &first.queue_pair();
            check(is_first || done.queue_pair == &second.queue_pair(), "one of the two");
            const bool is_receive = done.op == fabric::Op::receive;
            check_equal(done.id, next[(is_first ? 0u : 2u) + (is_receive ? 1u : 0u)]++, "id");
        }
        team.barrier();
    });
}

TEST_P(Queues, completion_queues_are_apart) {
    run(2, [](Team& team) {
        Endpoint first(team), second(team);
        first.connect(team.peer());
        second.connect(team.peer());
        for (std::uint64_t i = 0; i < 20; ++i)
            first.receive(i);
        for (std::uint64_t i = 0; i < 20; ++i)
            second.receive(100 + i);
        team.barrier();
        for (std::uint64_t i = 0; i < 20; ++i) {
            first.post({.id = i});
            second.post({.id = 100 + i});
        }
        for (std::uint64_t i = 0; i < 20; ++i)
            second.expect_received(100 + i, 0);
        for (std::uint64_t i = 0; i < 20; ++i)
            second.expect_sent(100 + i);
        for (std::uint64_t i = 0; i < 20; ++i)
            first.expect_sent(i);
        for (std::uint64_t i = 0; i < 20; ++i)
            first.expect_received(i, 0);
        team.barrier();
    });
}

TEST_P(Queues, completions_of_a_destroyed_queue_pair_are_discarded) {
    run(2, [](Team& team) {
        const auto sent = team.nic().create_completion_queue(64);
        const auto received = team.nic().create_completion_queue(64);
        EndpointOptions options;
        options.sent = sent.get();
        options.received = received.get();
        Endpoint doomed(team, options), other(team, options);
        doomed.connect(team.peer());
        other.connect(team.peer());
        for (std::uint64_t i = 0; i < 8; ++i) {
            doomed.receive(i);
            other.receive(100 + i);
        }
        team.barrier();
        for (std::uint64_t i = 0; i < 4; ++i) {
            doomed.post({.id = i, .flags = Flags::remote_completion});
            other.post({.id = 100 + i, .flags = Flags::remote_completion});
        }
        team.pause(5_ms);  // all are complete by now, and none is polled
        team.barrier();
        doomed.destroy_queue_pair();
        for (std::uint64_t i = 0; i < 4; ++i)
            other.expect_sent(100 + i);
        for (std::uint64_t i = 0; i < 4; ++i)
            other.expect_received(100 + i, 0);
        other.expect_silence(1_ms);
        team.barrier();
    });
}

/// A completion queue may hold more than it was asked to. One that does not says so: what fitted is
/// there, in order, and the queue pair has failed as `overrun`. Nothing is dropped in silence.
TEST_P(Queues, a_completion_queue_that_is_too_short) {
    run(2, [](Team& team) {
        constexpr std::uint32_t depth = 4;
        constexpr std::uint64_t count = 64;
        const auto shallow = team.nic().create_completion_queue(depth);
        EndpointOptions options;
        if (team.id() == receiver) options.received = shallow.get();
        Endpoint end(team, options), bystander(team);
        end.connect(team.peer());
        bystander.connect(team.peer());
        for (std::uint64_t i = 0; team.id() == receiver && i < count; ++i)
            end.receive(i);
        team.barrier();
        std::uint64_t sent = 0;
        for (; team.id() == sender && sent < count; ++sent)
            if (!end.queue_pair().post({.id = sent, .flags = Flags::unsignalled}).ok())
                break;  // the receiver has overrun, or holds us off
        team.pause(5_ms);
        sent = team.gather(sent)[sender];
        if (team.id() == receiver) {
            std::uint64_t next = 0;
            while (const auto done = poll_for(team, *shallow, 5_ms)) {
                if (!done->status.ok()) break;
                check_equal(done->id, next++, "id");
            }
            check(next >= depth, "as many completions as the depth says");
            if (next < sent) end.expect_failed(Code::overrun);
        }
        check_alive(team, bystander);
        team.barrier();
    });
}

RAILYARD_CONTRACT(Queues);

}  // namespace
}  // namespace railyard::contract
