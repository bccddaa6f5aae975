/// A rank that only polls, as a program does that calls nothing but MPI_Test: it never waits, and
/// its Host is never given the floor. What takes time happens all the same. In virtual time none
/// passes then, so this is about real fabrics.

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::ConnectionState;
using fabric::Discriminator;
using namespace railyard::literals;

class Polling : public Contract {};

template <class Ready>
void poll_until(Team& team, Ready&& ready, std::string_view what, Where where = Where::current()) {
    const Time deadline = team.deadline();
    while (!ready())
        if (team.host().now() >= deadline)
            fail("polled " + show(patience()) + " in vain for " + std::string(what), where);
}

/// `first` asks. The other knows of nothing, sees the request, and answers.
void connect_by_polling(Team& team, int first) {
    Endpoint end(team);
    const Discriminator discriminator = team.fresh();
    team.barrier();
    if (team.id() != first)
        poll_until(
            team, [&] { return team.nic().poll_peer_request().has_value(); }, "a peer's request");
    end.ask(team.address(team.peer()), discriminator);
    poll_until(
        team, [&] { return end.queue_pair().state() == ConnectionState::connected; },
        "the connection");
    check_alive(team, end);
    team.barrier();
}

TEST_P(Polling, connects_whoever_asks_first) {
    if (!real()) GTEST_SKIP() << "no time passes while one polls";
    run(2, [](Team& team) {
        for (int turn = 0; turn < 6; ++turn)
            connect_by_polling(team, turn % 2);
    });
}

TEST_P(Polling, is_told_that_nobody_answers) {
    if (!real()) GTEST_SKIP() << "no time passes while one polls";
    run(2, [](Team& team) {
        Endpoint end(team);
        if (team.id() == sender) {
            const Time deadline = team.host().now() + 20_ms;
            check_ok(end.queue_pair().connect_peer(team.address(receiver), 1, {}, deadline),
                     "connect_peer");
            poll_until(
                team, [&] { return end.queue_pair().state() == ConnectionState::failed; },
                "the time to be up");
            check_equal(end.queue_pair().reason(), Code::timed_out, "reason");
        }
        team.barrier();
        end.connect(team.peer());  // the same queue pair, once more
        check_alive(team, end);
        team.barrier();
    });
}

TEST_P(Polling, of_both_sides_ends_a_sender_whom_nobody_receives) {
    if (!real()) GTEST_SKIP() << "no time passes while one polls";
    run(2, [](Team& team) {
        EndpointOptions options;
        options.receiver_not_ready_timeout = 20_ms;
        Endpoint end(team, options);
        end.connect(team.peer());
        team.barrier();
        if (team.id() == sender) end.post({.id = 1, .flags = fabric::Flags::remote_completion});
        fabric::CompletionQueue& queue = end.sent_queue();
        fabric::Completion done;
        if (team.id() == sender)
            poll_until(
                team, [&] { return queue.poll(done); }, "the end of a send");
        else
            poll_until(
                team,
                [&] {
                    queue.poll(done);
                    return end.queue_pair().state() == ConnectionState::failed;
                },
                "the end of a connection");
        if (team.id() == sender)
            check_equal(done.status, Code::receiver_not_ready, "status of the send");
        team.barrier();
    });
}

RAILYARD_CONTRACT(Polling);

}  // namespace
}  // namespace railyard::contract
