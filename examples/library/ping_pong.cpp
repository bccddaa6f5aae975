/// Two ranks send each other a message, to and fro, and print how long one takes: what a queue pair
/// needs, and how a rank waits.
///
///     ping_pong [FABRIC]        shm, iwarp, quadrics, a profile of your own, ...

#include <array>
#include <cstdio>

#include "railyard/library/job.hpp"

using namespace railyard;
using namespace railyard::fabric;

namespace {

void ping_pong(Rank& rank) {
    Nic& nic = rank.nic();
    Host& host = rank.host();
    const int peer = 1 - rank.id();

    // Memory that the Nic allocates; memory of one's own would be registered instead.
    const auto memory = nic.allocate(Bytes(16), Access::local);
    const Slice out(*memory, Bytes(0), Bytes(8));
    const Slice in(*memory, Bytes(8), Bytes(8));

    const auto sent = nic.create_completion_queue(16);
    const auto received = nic.create_completion_queue(16);
    const auto receives = nic.create_receive_queue(16);
    const auto pair = nic.create_queue_pair({.send_completions = sent.get(),
                                             .receive_completions = received.get(),
                                             .receives = receives.get()});

    // A receive is posted before the peer sends: here, before the two are connected.
    const std::array<Slice, 1> into{in};
    if (!receives->post({.id = 0, .local = into}).ok()) throw Error("the receive was refused");

    // Addresses travel through the job; both sides ask, and get one connection.
    const auto addresses = rank.gather("address", nic.address());
    const auto asked = pair->connect_peer(addresses[static_cast<std::size_t>(peer)], 1, {},
                                          host.now() + Duration::s(10));
    if (!asked.ok()) throw Error("cannot connect");
    host.wait_until([&] { return pair->state() != ConnectionState::connecting; });
    if (pair->state() != ConnectionState::connected)
        throw Error("cannot connect: " + std::string(pair->reason().name()));

    const std::array<Slice, 1> from{out};
    const auto send = [&] {
        if (!pair->post({.id = 1, .op = Op::send, .local = from}).ok()) throw Error("send refused");
        Completion done;
        host.wait_until([&] { return sent->poll(done); }, Time::never(), Wait::spin);
        if (!done.status.ok()) throw Error("send: " + std::string(done.status.name()));
    };
    const auto receive = [&] {
        Completion done;
        host.wait_until([&] { return received->poll(done); }, Time::never(), Wait::spin);
        if (!done.status.ok()) throw Error("receive: " + std::string(done.status.name()));
        // The next one, before the answer that will bring it.
        if (!receives->post({.id = 0, .local = into}).ok()) throw Error("receive refused");
    };

    constexpr int rounds = 1000;
    const Time start = host.now();
    for (int i = 0; i < rounds; ++i) {
        if (rank.id() == 0) send();
        receive();
        if (rank.id() == 1) send();
    }
    const double us = (host.now() - start).microseconds() / (2 * rounds);
    if (rank.id() == 0) std::printf("%s: %.3f us\n", nic.traits().name.c_str(), us);
    rank.fence();  // Nobody closes while the other still waits.
}

}  // namespace

int main(int argc, char** argv) try {
    const JobResult result = run({.fabric = argc > 1 ? argv[1] : "shm", .ranks = 2}, ping_pong);
    if (!result.ok) std::fprintf(stderr, "%s\n", result.failure.c_str());
    return result.exit_code;
} catch (const Error& error) {  // such as a fabric that is not there
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
