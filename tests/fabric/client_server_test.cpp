/// Connections between a client and a server: listen, connect, accept or reject.

#include <optional>

#include "fabric/endpoint.hpp"
#include "railyard/base/error.hpp"

namespace railyard::contract {
namespace {

using fabric::ConnectionRequest;
using fabric::ConnectionState;
using fabric::Listener;
using fabric::PrivateData;
using fabric::Service;
using namespace railyard::literals;

class ClientServer : public Contract {};

constexpr int client = 0;
constexpr int server = 1;

std::unique_ptr<ConnectionRequest> await_request(Team& team, Listener& listener,
                                                 Where where = Where::current()) {
    std::unique_ptr<ConnectionRequest> request;
    team.await([&] { return (request = listener.poll()) != nullptr; }, "a connection request",
               where);
    return request;
}

void start(Team& team, Endpoint& end, Service service, const PrivateData& data = {},
           std::optional<Duration> time = {}, Where where = Where::current()) {
    const Time deadline = team.host().now() + time.value_or(patience());
    check_ok(end.queue_pair().connect(team.address(server), service, data, deadline), "connect",
             where);
}

void expect_unconnected(Team& team, Endpoint& end, Status reason, Where where = Where::current()) {
    team.await([&] { return end.queue_pair().state() == ConnectionState::failed; },
               "the connection to fail", where);
    check_equal(end.queue_pair().reason(), reason, "reason", where);
    check(end.queue_pair().post(fabric::WorkRequest{}).failed(), "no requests are taken", where);
}

/// Letters that tell the sides and the lengths apart.
std::string letter(std::size_t n, char first) {
    std::string text(n, ' ');
    for (std::size_t i = 0; i < n; ++i)
        text[i] = static_cast<char>(first + i % 23);
    return text;
}

TEST_P(ClientServer, accept_with_private_data_of_all_lengths) {
    run(2, [](Team& team) {
        const auto listener = team.id() == server ? team.nic().listen(7) : nullptr;
        team.barrier();
        for (const std::size_t there : {0, 1, 196})
            for (const std::size_t back : {0, 1, 196}) {
                Endpoint end(team);
                if (team.id() == client) {
                    start(team, end, 7, PrivateData(letter(there, 'a')));
                    end.await_connected();
                    check_equal(end.queue_pair().peer_data().text(),
                                std::string_view(letter(back, 'A')), "data with the answer");
                } else {
                    const auto request = await_request(team, *listener);
                    check(request->from() == team.address(client), "the request names its sender");
                    check_equal(request->private_data().text(),
                                std::string_view(letter(there, 'a')), "data with the request");
                    check_ok(end.queue_pair().accept(*request, PrivateData(letter(back, 'A'))),
                             "accept");
                    end.await_connected();
                    check_equal(end.queue_pair().peer_data().text(),
                                std::string_view(letter(there, 'a')), "data, once connected");
                }
                check_alive(team, end);
                team.barrier();
            }
    });
}

TEST_P(ClientServer, reject_with_a_reason) {
    run(2, [](Team& team) {
        const auto listener = team.id() == server ? team.nic().listen(7) : nullptr;
        team.barrier();
        for (const std::size_t n : {0, 1, 196}) {
            Endpoint end(team);
            if (team.id() == client) {
                start(team, end, 7, PrivateData("please"));
                expect_unconnected(team, end, Code::refused);
                check_equal(end.queue_pair().peer_data().text(), std::string_view(letter(n, 'R')),
                            "the reason");
            } else {
                await_request(team, *listener)->reject(PrivateData(letter(n, 'R')));
            }
            team.barrier();
            // A queue pair that was refused may try again.
            if (team.id() == client) {
                start(team, end, 7);
            } else {
                const auto request = await_request(team, *listener);
                check_ok(end.queue_pair().accept(*request, {}), "accept");
            }
            end.await_connected();
            check_alive(team, end);
            team.barrier();
        }
    });
}

TEST_P(ClientServer, a_request_that_is_dropped_is_refused) {
    run(2, [](Team& team) {
        auto listener = team.id() == server ? team.nic().listen(7) : nullptr;
        team.barrier();
        Endpoint taken(team), pending(team);
        if (team.id() == client) {
            start(team, taken, 7);
            expect_unconnected(team, taken, Code::refused);
        } else {
            await_request(team, *listener).reset();
        }
        team.barrier();
        // And so is one that nobody took when the listener ends.
        if (team.id() == client) start(team, pending, 7);
        team.barrier();
        team.pause(1_ms);
        listener.reset();
        if (team.id() == client) expect_unconnected(team, pending, Code::refused);
        team.barrier();
    });
}

TEST_P(ClientServer, refused_where_nobody_listens) {
    run(2, [](Team& team) {
        const auto listener = team.id() == server ? team.nic().listen(7) : nullptr;
        team.barrier();
        if (team.id() == client) {
            Endpoint end(team);
            const Time began = team.host().now();
            start(team, end, 8);
            expect_unconnected(team, end, Code::refused);
            check(team.host().now() - began < patience() / 2, "long before the deadline");
        }
        team.barrier();
        if (team.id() == server) check(listener->poll() == nullptr, "service 7 hears nothing of 8");
        team.barrier();
    });
}

TEST_P(ClientServer, timed_out_when_the_server_does_not_answer) {
    run(2, [](Team& team) {
        const auto listener = team.id() == server ? team.nic().listen(7) : nullptr;
        team.barrier();
        Endpoint end(team);
        if (team.id() == client) {
            const Time began = team.host().now();
            start(team, end, 7, {}, 20_ms);
            expect_unconnected(team, end, Code::timed_out);
            check(team.host().now() - began >= 20_ms, "not before the deadline");
        }
        team.barrier();
        // The server wakes up too late. It may still find the request, but no connection.
        if (team.id() == server) {
            std::unique_ptr<ConnectionRequest> request;
            team.host().wait_until([&] { return (request = listener->poll()) != nullptr; },
                                   team.host().now() + 5_ms);
            if (request != nullptr && end.queue_pair().accept(*request, {}).ok())
                team.await([&] { return end.queue_pair().state() == ConnectionState::failed; },
                           "a late answer to fail");
        }
        team.barrier();
        // A queue pair whose time was up may try again.
        Endpoint fresh(team);
        if (team.id() == client) {
            start(team, end, 7);
            end.await_connected();
            check_alive(team, end);
        } else {
            const auto request = await_request(team, *listener);
            check_ok(fresh.queue_pair().accept(*request, {}), "accept");
            fresh.await_connected();
            check_alive(team, fresh);
        }
        team.barrier();
    });
}

TEST_P(ClientServer, requests_are_given_in_the_order_of_arrival) {
    run(2, [](Team& team) {
        const auto listener = team.id() == server ? team.nic().listen(7) : nullptr;
        team.barrier();
        constexpr std::size_t count = 8;
        std::vector<std::unique_ptr<Endpoint>> ends;
        for (std::size_t i = 0; i < count; ++i) {
            ends.push_back(std::make_unique<Endpoint>(team));
            if (team.id() == client) start(team, *ends[i], 7, PrivateData(std::to_string(i)));
        }
        std::vector<std::unique_ptr<ConnectionRequest>> requests;
        for (std::size_t i = 0; team.id() == server && i < count; ++i) {
            requests.push_back(await_request(team, *listener));
            check_equal(requests[i]->private_data().text(), std::to_string(i), "whose request");
        }
        // Answered in the other order.
        for (std::size_t i = requests.size(); i-- > 0;)
            check_ok(ends[i]->queue_pair().accept(*requests[i], {}), "accept");
        for (const auto& end : ends)
            end->await_connected();
        for (const auto& end : ends)
            check_alive(team, *end);
        team.barrier();
    });
}

TEST_P(ClientServer, services_are_told_apart) {
    run(3, [](Team& team) {
        const Service services[] = {1, 2, ~Service{0}};
        std::vector<std::unique_ptr<Listener>> listeners;
        if (team.id() == server)
            for (const Service service : services)
                listeners.push_back(team.nic().listen(service));
        team.barrier();
        // Two clients; each asks for every service.
        std::vector<std::unique_ptr<Endpoint>> ends;
        for (std::size_t i = 0; team.id() != server && i < std::size(services); ++i) {
            ends.push_back(std::make_unique<Endpoint>(team));
            start(team, *ends[i], services[i], PrivateData("service " + std::to_string(i)));
        }
        for (std::size_t i = 0; i < listeners.size(); ++i)
            for (int asks = 0; asks < 2; ++asks) {
                const auto request = await_request(team, *listeners[i]);
                check_equal(request->private_data().text(), "service " + std::to_string(i),
                            "which service");
                ends.push_back(std::make_unique<Endpoint>(team));
                check_ok(ends.back()->queue_pair().accept(*request, {}), "accept");
            }
        for (const auto& end : ends)
            end->await_connected();
        for (const auto& listener : listeners)
            check(listener->poll() == nullptr, "no request is given twice");
        team.barrier();
    });
}

TEST_P(ClientServer, one_listener_a_service) {
    run(1, [](Team& team) {
        auto first = team.nic().listen(7);
        bool thrown = false;
        try {
            const auto second = team.nic().listen(7);
        } catch (const Error&) {
            thrown = true;
        }
        check(thrown, "a second listener for the same service is refused");
        const auto other = team.nic().listen(8);
        first.reset();
        const auto again = team.nic().listen(7);
    });
}

/// A server need not have looked at its listener before the client comes, nor the client have
/// polled before the server sends.
TEST_P(ClientServer, the_server_may_send_as_soon_as_it_is_connected) {
    run(2, [](Team& team) {
        const auto listener = team.id() == server ? team.nic().listen(7) : nullptr;
        team.barrier();
        for (int turn = 0; turn < 20; ++turn) {
            Endpoint end(team);
            if (team.id() == client) {
                end.receive(1);
                start(team, end, 7);
                end.expect_received(1, 0);  // before it ever asked for its state
                end.await_connected();
            } else {
                const auto request = await_request(team, *listener);
                check_ok(end.queue_pair().accept(*request, {}), "accept");
                end.await_connected();
                end.post({.id = 1});
                end.expect_sent(1);
            }
            team.barrier();
        }
    });
}

RAILYARD_CONTRACT(ClientServer);

}  // namespace
}  // namespace railyard::contract
