// What connections cost, and when they can be made at all: statements of docs/mechanisms.md.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "experiments/core/exchange.hpp"
#include "experiments/core/plan.hpp"
#include "experiments/measure.hpp"
#include "experiments/user/bundle.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::experiments {
namespace {

using ::testing::HasSubstr;

/// Emits how long it takes to connect, its two buffers apart, and then half a round trip.
Experiment connecting() {
    return {.name = "connecting", .run = [](Context& context) {
                fabric::Host& host = context.rank().host();
                fabric::Nic& nic = context.rank().nic();
                const Time begin = host.now();
                const Buffer local(nic, Bytes(4096), fabric::Access::local, Memory::nic);
                const Buffer target(nic, Bytes(4096), fabric::Access::all, Memory::nic);
                const Duration buffers = host.now() - begin;
                context.rank().bootstrap().fence();
                const Time start = host.now();
                Pair pair(context.rank(), "connecting", {.buffer = Bytes(4096), .receives = 4});
                const Duration connect = host.now() - start - buffers;
                const auto times = ping_pong(pair, fabric::Op::send, Bytes(4),
                                             Sampling{.warmup = 2, .samples = 1, .batch = 4});
                context.emit({}, "connect", "us", results::single(connect.microseconds()));
                context.emit({}, "latency", "us", results::single(times[0]));
                pair.part();
            }};
}

struct Cost {
    double connect;
    double message;
};

Cost cost_on(const char* fabric, const Experiment& experiment) {
    const Outcome outcome = run({.experiments = {&experiment}, .fabrics = {fabric}}, {}, 1);
    EXPECT_EQ(outcome.failure, "");
    return {outcome.rows.at(0).value, outcome.rows.at(1).value};
}

// GM-1: there are none to be made, so that less than a message's time passes before the first.
TEST(Connections, CostNothingOnMyrinet) {
    const Experiment experiment = connecting();
    const Cost gm = cost_on("myrinet2000-gm", experiment);
    EXPECT_LT(gm.connect, gm.message);
}

// VC-8: the system's work on both sides takes longer than to send there and back, also where a
// message is slow.
TEST(Connections, TakeLongComparedWithAMessage) {
    const Experiment experiment = connecting();
    for (const char* fabric : {"clan-via", "berkeley-via", "infiniband-pcix"}) {
        const Cost cost = cost_on(fabric, experiment);
        EXPECT_GT(cost.connect, 2 * cost.message) << fabric;
    }
}

/// Every rank has to do with the next, in a circle: one side of each connection listens, the other
/// calls. `first_calls` says who calls before it listens.
Experiment circle(bool (*first_calls)(int rank)) {
    static bool (*calls)(int rank) = nullptr;
    calls = first_calls;
    return {
        .name = "circle",
        .run =
            [](Context& context) {
                job::Rank& rank = context.rank();
                fabric::Nic& nic = rank.nic();
                const auto listener = nic.listen(7);
                const fabric::Address own = nic.address();
                rank.bootstrap().put("address", std::as_bytes(std::span(&own, 1)));
                rank.bootstrap().fence();
                const auto sends = nic.create_completion_queue(4);
                const auto receives = nic.create_completion_queue(4);
                using Sharing = fabric::ReceiveQueue::Sharing;
                const auto queues = std::array{nic.create_receive_queue(4, Sharing::own),
                                               nic.create_receive_queue(4, Sharing::own)};
                fabric::QueuePairOptions options;
                options.send_completions = sends.get();
                options.receive_completions = receives.get();
                options.receives = queues[0].get();
                const auto to_next = nic.create_queue_pair(options);
                options.receives = queues[1].get();
                const auto from_last = nic.create_queue_pair(options);
                const auto connected = [&](fabric::QueuePair& end) {
                    rank.host().wait_until(
                        [&] { return end.state() == fabric::ConnectionState::connected; });
                };
                const auto call = [&] {
                    const int next = (rank.id() + 1) % rank.size();
                    const auto to = values_of<fabric::Address>(rank, next, "address").at(0);
                    EXPECT_TRUE(to_next->connect(to, 7, {}, Time::never()).ok());
                    connected(*to_next);
                };
                const auto listen = [&] {
                    std::unique_ptr<fabric::ConnectionRequest> request;
                    rank.host().wait_until([&] { return (request = listener->poll()) != nullptr; });
                    EXPECT_TRUE(from_last->accept(*request, {}).ok());
                    connected(*from_last);
                };
                if (calls(rank.id())) {
                    call();
                    listen();
                } else {
                    listen();
                    call();
                }
                context.emit({}, "connected", "us", results::single(1));
                rank.bootstrap().fence();
            },
        .most_ranks = 16};
}

// VC-4: two that both wait for the other to call, or a circle of such, wait for ever; a role that
// follows from the rank breaks every circle.
TEST(Connections, AsServersOnlyWaitForEver) {
    for (const int ranks : {2, 3, 8}) {
        const auto outcome = [&](bool (*calls)(int)) {
            const Experiment experiment = circle(calls);
            return run({.experiments = {&experiment}, .fabrics = {"clan-via"}, .ranks = ranks}, {},
                       1);
        };
        EXPECT_THAT(outcome([](int) { return false; }).failure, HasSubstr("deadlock")) << ranks;
        const Outcome fixed = outcome([](int rank) { return rank == 0; });
        EXPECT_EQ(fixed.failure, "") << ranks;
        EXPECT_EQ(fixed.rows.size(), 1U) << ranks;
    }
}

// IW-7: a pipeline takes connections as they come: more of them never make a message dearer. An
// adapter that must fetch what it knows of a connection behaves otherwise.
TEST(Connections, OfAPipelinedCardDoNotSlowEachOther) {
    const Wishes wishes{.sizes = {Bytes(4)}};
    double before = std::numeric_limits<double>::infinity();
    for (const results::Row& row : measure("multiconn-latency", "neteffect-iwarp", wishes)) {
        EXPECT_LE(row.value, before) << results::to_json_line(row);
        before = row.value;
    }
    const auto fetched = measure("multiconn-latency", "infiniband-memfree", wishes);
    EXPECT_EQ(integer(fetched.back(), results::parameter::connections), 256);
    EXPECT_GT(fetched.back().value, fetched.front().value);
}

}  // namespace
}  // namespace railyard::experiments
