// Broadcasts by the switches with no barrier between them.

#include "interconnects/quadrics/elanlib/broadcast_channel.hpp"

#include <gtest/gtest.h>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::pattern;
using elan3::Process;

/// Looks again and again: tests have nothing better to do.
template <class Look>
auto wait_for(Process& process, Look look) {
    for (;;) {
        if (auto found = look()) return found;
        process.spend(200_ns);
    }
}

void send(Process& process, BroadcastChannel& channel, std::span<const std::byte> data,
          bool more = false) {
    wait_for(process, [&] { return channel.can_send(); });
    channel.send(data, more);
}

Status finish(Process& process, BroadcastChannel& channel) {
    return *wait_for(process, [&] { return channel.test_sent(); });
}

std::vector<std::byte> receive(Process& process, BroadcastChannel& channel) {
    const auto arrived = *wait_for(process, [&] { return channel.test_arrived(); });
    EXPECT_TRUE(arrived.status.ok());
    std::vector<std::byte> data(arrived.size);
    channel.take(data);
    return data;
}

/// Until all have made theirs, and after the last of them is through.
void until(Process& process, Duration time) {
    process.engine().sleep_until(Time::at(time));
}

// Roots at both edges and in between, slow and fast receivers, many times round the buffers.
TEST(ElanBroadcastChannel, BringsAllOfThemToAllInTheirOrder) {
    constexpr unsigned rounds = 60;
    Cluster cluster(7);
    unsigned right = 0;
    cluster.run([&](Process& process) {
        BroadcastChannel channel(process);
        until(process, 100_us);
        for (unsigned round = 0; round < rounds; ++round) {
            const std::size_t size = round * 977 % (BroadcastChannel::capacity + 1);
            const unsigned root = round < 20 ? 0 : round < 40 ? 3 : round * 5 % 7;
            if (process.self() == root) {
                send(process, channel, pattern(size, round));
                EXPECT_TRUE(finish(process, channel).ok());
            } else {
                right += receive(process, channel) == pattern(size, round) ? 1 : 0;
            }
            process.spend(2_us * ((process.self() * 7 + round * 5) % 16));
        }
        until(process, 20_ms);
    });
    EXPECT_EQ(right, rounds * 6);
}

// Nobody's buffer is written before it is empty: the sender waits for the slowest.
TEST(ElanBroadcastChannel, WaitsForThoseWhoAreLate) {
    constexpr unsigned rounds = 20;
    Cluster cluster(4);
    Time sent;
    unsigned right = 0;
    cluster.run([&](Process& process) {
        BroadcastChannel channel(process);
        until(process, 100_us);
        for (unsigned round = 0; round < rounds; ++round) {
            if (process.self() == 0) {
                send(process, channel, pattern(500, round));
                if (round + 1 < rounds) continue;
                EXPECT_TRUE(finish(process, channel).ok());
                sent = process.now();
            } else {
                if (process.self() == 2 && round == 0) until(process, 1_ms);
                right += receive(process, channel) == pattern(500, round) ? 1 : 0;
            }
        }
        until(process, 5_ms);
    });
    EXPECT_EQ(right, rounds * 3);
    EXPECT_GT(sent, Time::at(1_ms));
}

// Those that fit into the buffers wait for nobody, and are with all adapters at once.
TEST(ElanBroadcastChannel, RunsAheadAsFarAsBuffersGo) {
    Cluster cluster(4);
    Time sent;
    cluster.run([&](Process& process) {
        BroadcastChannel channel(process);
        until(process, 100_us);
        if (process.self() == 0) {
            for (unsigned i = 0; i < BroadcastChannel::buffers; ++i)
                send(process, channel, pattern(64, i));
            EXPECT_TRUE(finish(process, channel).ok());
            sent = process.now();
        }
        until(process, 1_ms);
        for (unsigned i = 0; process.self() != 0 && i < BroadcastChannel::buffers; ++i)
            EXPECT_EQ(receive(process, channel), pattern(64, i));
        until(process, 2_ms);
    });
    EXPECT_LT(sent, Time::at(120_us));
}

TEST(ElanBroadcastChannel, SaysWhetherMoreIsToCome) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        BroadcastChannel channel(process);
        until(process, 100_us);
        if (process.self() == 1) {
            send(process, channel, pattern(8), true);
            send(process, channel, {}, false);
            EXPECT_TRUE(finish(process, channel).ok());
        } else {
            const auto first = *wait_for(process, [&] { return channel.test_arrived(); });
            EXPECT_TRUE(first.more);
            channel.take({});  // nobody has to want them
            const auto second = *wait_for(process, [&] { return channel.test_arrived(); });
            EXPECT_FALSE(second.more);
            EXPECT_EQ(second.size, 0U);
            channel.take({});
        }
        until(process, 1_ms);
    });
}

// Who cannot be reached is told of at the sender.
TEST(ElanBroadcastChannel, FailsWhereACableIsDead) {
    Cluster cluster(4);
    cluster.machine.network().break_part(elite::Part::cable(3), Time::at(90_us));
    Status status;
    cluster.run([&](Process& process) {
        BroadcastChannel channel(process);
        until(process, 100_us);
        if (process.self() == 1) {
            send(process, channel, pattern(2000));
            status = finish(process, channel);
        }
        until(process, 10_ms);
    });
    EXPECT_TRUE(status.failed());
}

TEST(ElanBroadcastChannel, RefusesWhatItCannotDo) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        BroadcastChannel channel(process);
        until(process, 100_us);
        if (process.self() != 0) return;
        EXPECT_THROW(channel.send(pattern(BroadcastChannel::capacity + 1), false), UsageError);
    });
    Cluster one(1);
    one.run([](Process& process) { EXPECT_THROW(BroadcastChannel{process}, UsageError); });

    Cluster apart(1);
    apart.job = apart.machine.add_job({0, 2});
    apart.run([](Process& process) { EXPECT_THROW(BroadcastChannel{process}, UsageError); });
}

}  // namespace
}  // namespace railyard::elanlib
