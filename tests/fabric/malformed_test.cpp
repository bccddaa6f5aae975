/// Calls that are wrong in themselves: they are refused at once, and harm nothing.

#include <functional>

#include "fabric/endpoint.hpp"
#include "railyard/base/error.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using fabric::Op;
using fabric::QueuePair;
using fabric::Slice;
using fabric::WorkRequest;
using namespace railyard::literals;

class Malformed : public Contract {};

/// The request is refused with that status, alone and behind one that is right; the queue pair then
/// works as before.
void expect_refused(Team& team, Endpoint& end, const WorkRequest& wrong, Status status,
                    Where where = Where::current()) {
    const QueuePair::Posted alone = end.queue_pair().post(std::span(&wrong, 1));
    check_equal(alone.count, 0, "requests taken", where);
    check_equal(alone.status, status, "status of a malformed request", where);
    const WorkRequest both[] = {WorkRequest{.id = 1}, wrong};
    end.receive(1, where);
    team.barrier(where);
    const QueuePair::Posted second = end.queue_pair().post(both);
    check_equal(second.count, 1, "requests taken of two", where);
    check_equal(second.status, status, "status of a malformed second request", where);
    end.expect_sent(1, Code::ok, where);
    end.expect_received(1, 0, where);
    end.expect_silence({}, where);
    check_alive(team, end, where);
    team.barrier(where);
}

TEST_P(Malformed, requests_are_refused_and_the_queue_pair_goes_on) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer data(team.nic(), 64);
        const auto remote = team.swap(data.region());
        const Slice eight = data.slice(0, 8), four = data.slice(0, 4);
        Slice nowhere;
        nowhere.length = 8_B;
        const std::span<const Slice> good(&eight, 1), bad(&nowhere, 1), half(&four, 1);
        const fabric::RemoteSlice there = Buffer::at(*remote);

        expect_refused(team, end, {.local = bad}, Code::invalid);
        expect_refused(team, end, {.op = Op::receive, .local = good}, Code::invalid);
        expect_refused(team, end, {.op = Op::rdma_write, .local = good}, Code::invalid);
        const bool immediate = team.traits().write_immediate;
        expect_refused(team, end, {.op = Op::rdma_write_imm, .local = good},
                       immediate ? Code::invalid : Code::unsupported);
        expect_refused(team, end, {.op = Op::rdma_read, .local = good}, Code::invalid);
        expect_refused(team, end, {.op = Op::fetch_add, .local = good}, Code::invalid);
        // An atomic returns eight bytes, no more and no less.
        expect_refused(team, end, {.op = Op::fetch_add, .local = half, .remote = there},
                       Code::invalid);
        expect_refused(team, end, {.op = Op::compare_swap, .remote = there}, Code::invalid);
    });
}

TEST_P(Malformed, inline_requests) {
    if (traits().max_inline < 8_B) GTEST_SKIP() << "no inline data on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer data(team.nic(), 64);
        const auto remote = team.swap(data.region());
        const Slice eight = data.slice(0, 8);
        const std::span<const Slice> local(&eight, 1);
        const std::vector<std::byte> bytes(team.traits().max_inline.count() + 1);
        const std::span<const std::byte> few = std::span(bytes).first(8);

        expect_refused(team, end, {.flags = Flags::inlined, .bytes = bytes}, Code::too_long);
        expect_refused(team, end, {.flags = Flags::inlined, .local = local, .bytes = few},
                       Code::invalid);
        expect_refused(team, end, {.bytes = few}, Code::invalid);
        expect_refused(team, end,
                       {.op = Op::rdma_read,
                        .flags = Flags::inlined,
                        .bytes = few,
                        .remote = Buffer::at(*remote)},
                       Code::invalid);
    });
}

TEST_P(Malformed, more_slices_than_traits_allow) {
    if (traits().max_slices > 1'000'000) GTEST_SKIP() << "lists of any length on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer data(team.nic(), 64);
        const std::vector<Slice> many(team.traits().max_slices + 1, data.slice(0, 1));
        const QueuePair::Posted posted =
            end.queue_pair().post(std::vector<WorkRequest>{{.local = many}});
        check_equal(posted.count, 0, "requests taken");
        check(posted.status == Code::invalid || posted.status == Code::too_long,
              "a list that is too long: " + show(posted.status));
        const Status receive = end.receive_queue().post({1, many});
        check(receive == Code::invalid || receive == Code::too_long,
              "a receive whose list is too long: " + show(receive));
        check_alive(team, end);
        team.barrier();
    });
}

TEST_P(Malformed, a_message_longer_than_traits_allow) {
    const fabric::Traits& t = traits();
    if (t.max_message / t.max_slices > 128_MiB)
        GTEST_SKIP() << "messages of any length on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        const std::uint64_t most = team.traits().max_message.count();
        const std::uint64_t count = team.traits().max_slices;
        // Many times the same memory; nothing is to be moved.
        std::vector<std::byte> memory(most / count + count);
        const auto region = team.nic().register_memory(memory, fabric::Access::all);
        const auto remote = team.swap(*region);
        const std::vector<Slice> much(count, Slice(*region));
        for (const Op op : {Op::send, Op::rdma_write, Op::rdma_read})
            expect_refused(team, end, {.op = op, .local = much, .remote = {remote.get(), {}}},
                           Code::too_long);
    });
}

/// A receive that leaves its region is refused when posted, or fails when a message takes it.
TEST_P(Malformed, receive_out_of_bounds) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer data(team.nic(), 64), out(team.nic(), 64);
        const std::size_t size = data.region().size().count();
        const Slice beyond(data.region(), Bytes(size - 8), 64_B);
        int refused = 0;  // as a number, for gather()
        if (team.id() == receiver) {
            const Status status = end.receive_queue().post({1, std::span(&beyond, 1)});
            refused = status.ok() ? 0 : 1;
            if (refused == 1) check_equal(status, Code::out_of_bounds, "a receive out of bounds");
        }
        refused = team.gather(refused)[receiver];
        if (refused == 1) {
            check_alive(team, end);
        } else if (team.id() == sender) {
            end.send(1, out.slice(), Flags::remote_completion);
            check(end.next_sent().status.failed(), "the message cannot be received");
        } else {
            check_equal(end.next_received().status, Code::out_of_bounds, "the receive");
            end.expect_failed(Code::out_of_bounds);
        }
        team.barrier();
        data.check_blank(64, "memory of the receive");
        team.barrier();
    });
}

/// VC-1: a send on a VI without connection is discarded. Here it is refused, which loses nothing.
TEST_P(Malformed, post_without_a_connection) {
    run(2, [](Team& team) {
        Endpoint end(team);
        const auto expect_not_connected = [&] {
            const QueuePair::Posted posted =
                end.queue_pair().post(std::vector<WorkRequest>(3, WorkRequest{}));
            check_equal(posted.count, 0, "requests taken");
            check_equal(posted.status, Code::not_connected, "post without a connection");
        };
        check_equal(end.queue_pair().state(), fabric::ConnectionState::idle, "state at first");
        expect_not_connected();
        team.barrier();
        if (team.id() == sender) {
            end.ask(team.address(receiver), 1);
            if (end.queue_pair().state() == fabric::ConnectionState::connecting)
                expect_not_connected();
        }
        team.barrier();
        if (team.id() == receiver) end.ask(team.address(sender), 1);
        end.await_connected();
        end.expect_silence(1_ms);  // nothing of what was refused comes after all
        check_alive(team, end);
        team.barrier();
    });
}

TEST_P(Malformed, connecting_twice) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer(), 1);
        const Time deadline = team.deadline();
        fabric::QueuePair& queue_pair = end.queue_pair();
        check_equal(queue_pair.connect_peer(team.address(team.peer()), 2, {}, deadline),
                    Code::invalid, "connect_peer when connected");
        check_equal(queue_pair.connect(team.address(team.peer()), 2, {}, deadline), Code::invalid,
                    "connect when connected");
        check_alive(team, end);
        team.barrier();
    });
}

template <class Call>
void expect_error(std::string_view what, Call&& call, Where where = Where::current()) {
    try {
        call();
    } catch (const Error& error) {
        return check(error.what()[0] != '\0', "an error says what is wrong", where);
    }
    fail(std::string(what) + " was let through", where);
}

TEST_P(Malformed, what_cannot_be_built_throws) {
    run(1, [](Team& team) {
        fabric::Nic& nic = team.nic();
        const auto queue = nic.create_completion_queue(16);
        const auto receives = nic.create_receive_queue(16);
        const auto with = [&](auto change) {
            return [&nic, &queue, &receives, change] {
                fabric::QueuePairOptions options;
                options.send_completions = queue.get();
                options.receive_completions = queue.get();
                options.receives = receives.get();
                change(options);
                nic.create_queue_pair(options);
            };
        };
        with([](auto&) {})();
        expect_error("a port that is not there",
                     with([&](auto& options) { options.port = nic.traits().ports; }));
        expect_error("no completion queue for sends",
                     with([](auto& options) { options.send_completions = nullptr; }));
        expect_error("no completion queue for receives",
                     with([](auto& options) { options.receive_completions = nullptr; }));
        expect_error("a queue of no depth", [&] { nic.create_completion_queue(0); });
        expect_error("a queue of no depth", [&] { nic.create_receive_queue(0); });
        expect_error("a queue of no depth", with([](auto& options) { options.send_depth = 0; }));
        const std::uint32_t most = nic.traits().max_send_depth;
        if (most < ~std::uint32_t{0})
            expect_error("a queue deeper than Traits allow",
                         with([most](auto& options) { options.send_depth = most + 1; }));
        if (!nic.traits().adapter_memory)
            expect_error("memory of an adapter that has none",
                         [&] { nic.allocate(4096_B, fabric::Access::all, fabric::Home::adapter); });
    });
}

TEST_P(Malformed, an_own_receive_queue_serves_one_queue_pair) {
    run(1, [](Team& team) {
        Endpoint first(team);
        EndpointOptions options;
        options.receives = &first.receive_queue();
        expect_error("a second queue pair on an own receive queue",
                     [&] { Endpoint second(team, options); });
    });
}

RAILYARD_CONTRACT(Malformed);

}  // namespace
}  // namespace railyard::contract
