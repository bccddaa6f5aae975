/// Over a bad network (IW-4: any segmentation of the stream gives the same messages; IW-8: what TCP
/// does on the way never changes delivered data), and over one that dies.

#include "interconnects/real/iwarp/relay.hpp"

namespace railyard::iwarp {
namespace {

using fabric::ConnectionState;
using fabric::Op;
using testing::Relay;
using testing::Station;
using Mood = Relay::Mood;

class BadNetwork : public ::testing::TestWithParam<std::tuple<bool, Mood>> {
  protected:
    static constexpr std::size_t size = 100'000;
    static Settings settings() {
        Settings settings;
        settings.crc = std::get<bool>(GetParam());
        return settings;
    }
    static std::byte pattern(std::size_t seed, std::size_t i) {
        return static_cast<std::byte>(seed * 31 + i * 7 + (i >> 8));
    }
    static void fill(std::span<std::byte> to, std::size_t seed) {
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = pattern(seed, i);
    }
    static void expect_pattern(std::span<const std::byte> found, std::size_t seed) {
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_EQ(found[i], pattern(seed, i)) << "seed " << seed << ", byte " << i;
    }
    bool await(fabric::CompletionQueue& queue, fabric::Completion& done) {
        return host.wait_until([&] { return queue.poll(done); }, a.until());
    }

    hosts::RealHost host{{.shares_core = true}};
    Station a{host, settings(), 2 * size};
    Station b{host, settings(), 2 * size};
};

TEST_P(BadNetwork, ChangesNoByte) {
    Relay relay(b.name().at.port);
    auto [from, to] = testing::connect(a, b, relay.port());
    relay.set(std::get<Mood>(GetParam()));
    const auto out = a.region().span().first(size), back = a.region().span().subspan(size);
    const auto in = b.region().span().first(size), target = b.region().span().subspan(size);
    const auto remote = a.nic().import_region(b.region().export_blob());
    fabric::Completion done;
    std::size_t seed = 0;
    for (const std::size_t n : {1, 20, 700, 3000, 40'000}) {
        fill(out.first(n), ++seed);
        const fabric::Slice slice_in(b.region(), Bytes(0), Bytes(n));
        ASSERT_TRUE(to.receives->post({seed, std::span(&slice_in, 1)}).ok());
        const fabric::Slice slice_out(a.region(), Bytes(0), Bytes(n));
        const fabric::Slice slice_back(a.region(), Bytes(size), Bytes(n));
        fabric::WorkRequest requests[3];
        const Op ops[] = {Op::send, Op::rdma_write, Op::rdma_read};
        for (std::size_t i = 0; i < std::size(ops); ++i) {
            requests[i].id = i + 1;
            requests[i].op = ops[i];
            requests[i].local = std::span(ops[i] == Op::rdma_read ? &slice_back : &slice_out, 1);
            if (ops[i] != Op::send) requests[i].remote = {remote.get(), Bytes(size)};
        }
        ASSERT_EQ(from.queue_pair->post(requests).count, 3u);
        ASSERT_TRUE(await(*to.received, done));
        EXPECT_EQ(done.length, Bytes(n));
        for (std::uint64_t id = 1; id <= 3; ++id) {
            ASSERT_TRUE(await(*from.sent, done));
            EXPECT_EQ(done.id, id);
            EXPECT_TRUE(done.status.ok()) << done.status.name();
        }
        expect_pattern(in.first(n), seed);
        expect_pattern(target.first(n), seed);
        expect_pattern(back.first(n), seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Moods, BadNetwork,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Mood::plain, Mood::splits,
                                                              Mood::coalesces, Mood::delays,
                                                              Mood::stalls)));

TEST(DeadNetwork, AResetEndsBothSides) {
    hosts::RealHost host({.shares_core = true});
    Station a(host, {}), b(host, {});
    Relay relay(b.name().at.port);
    auto [from, to] = testing::connect(a, b, relay.port());
    ASSERT_TRUE(to.receives->post({1, {}}).ok());
    relay.set(Mood::resets);
    EXPECT_TRUE(a.wait_for(from, ConnectionState::failed));
    EXPECT_TRUE(b.wait_for(to, ConnectionState::failed));
    EXPECT_EQ(from.queue_pair->reason(), Code::remote_closed);
    fabric::Completion done;
    ASSERT_TRUE(host.wait_until([&] { return to.received->poll(done); }, a.until()));
    EXPECT_EQ(done.status, Code::flushed);
}

/// The wire is up, but nobody speaks: only asking finds that out.
TEST(DeadNetwork, SilenceIsNoticedByTheHeartbeat) {
    hosts::RealHost host({.shares_core = true});
    Settings settings;
    settings.heartbeat = Duration::ms(200);
    Station a(host, settings), b(host, settings);
    Relay relay(b.name().at.port);
    auto [from, to] = testing::connect(a, b, relay.port());
    // As long as both answer, nobody is taken for dead.
    EXPECT_FALSE(
        host.wait_until([&] { return from.queue_pair->state() != ConnectionState::connected; },
                        host.now() + Duration::ms(500), fabric::Wait::sleep));
    relay.set(Mood::silent);
    EXPECT_TRUE(a.wait_for(from, ConnectionState::failed));
    EXPECT_TRUE(b.wait_for(to, ConnectionState::failed));
    EXPECT_EQ(from.queue_pair->reason(), Code::remote_closed);
}

/// One without patience for hosts that acknowledge nothing.
Settings patient_for(Duration time) {
    Settings settings;
    settings.patience = time;
    return settings;
}

void await_deafness(const Relay& relay, bool deaf) {
    while (relay.is_deaf() != deaf)
        std::this_thread::yield();
}

/// What was sent is not acknowledged. TCP itself would go on for a quarter of an hour.
TEST(DeadNetwork, AHostThatAcknowledgesNothingIsDead) {
    hosts::RealHost host({.shares_core = true});
    Station a(host, patient_for(Duration::ms(300))), b(host, {});
    Relay relay(b.name().at.port);
    auto [from, to] = testing::connect(a, b, relay.port());
    relay.set(Mood::dead);
    await_deafness(relay, true);
    ASSERT_TRUE(from.queue_pair->post(fabric::WorkRequest{}).ok());
    EXPECT_TRUE(a.wait_for(from, ConnectionState::failed));
    EXPECT_EQ(from.queue_pair->reason(), Code::remote_closed);
}

/// Who had nothing to say for long is not taken for dead as soon as it says something.
TEST(DeadNetwork, SilenceBeforeTheQuestionDoesNotCount) {
    hosts::RealHost host({.shares_core = true});
    constexpr Duration patience = Duration::s(2);
    Station a(host, patient_for(patience)), b(host, {});
    Relay relay(b.name().at.port);
    auto [from, to] = testing::connect(a, b, relay.port());
    const auto stays_connected_for = [&](Duration time) {
        return !host.wait_until(
            [&] { return from.queue_pair->state() != ConnectionState::connected; },
            host.now() + time, fabric::Wait::sleep);
    };
    ASSERT_TRUE(stays_connected_for(patience));
    relay.set(Mood::dead);
    await_deafness(relay, true);
    ASSERT_TRUE(from.queue_pair->post(fabric::WorkRequest{}).ok());
    EXPECT_TRUE(stays_connected_for(patience / 3));  // long enough to be looked at once
    relay.set(Mood::plain);
    await_deafness(relay, false);
    ASSERT_TRUE(to.receives->post({1, {}}).ok());
    fabric::Completion done;
    ASSERT_TRUE(host.wait_until([&] { return to.received->poll(done); }, a.until()));
    EXPECT_TRUE(done.status.ok());
}

/// Nobody sends anything; the kernel asks, in whole seconds.
TEST(DeadNetwork, AnIdleConnectionToADeadHostIsNoticed) {
    if (std::getenv("RAILYARD_SLOW_TESTS") == nullptr)
        GTEST_SKIP() << "takes four seconds; RAILYARD_SLOW_TESTS=1 runs it";
    hosts::RealHost host({.shares_core = true});
    Station a(host, patient_for(Duration::s(4))), b(host, {});
    Relay relay(b.name().at.port);
    auto [from, to] = testing::connect(a, b, relay.port());
    relay.set(Mood::dead);
    await_deafness(relay, true);
    EXPECT_TRUE(host.wait_until([&] { return from.queue_pair->state() == ConnectionState::failed; },
                                a.until(), fabric::Wait::sleep));
    EXPECT_EQ(from.queue_pair->reason(), Code::remote_closed);
}

}  // namespace
}  // namespace railyard::iwarp
