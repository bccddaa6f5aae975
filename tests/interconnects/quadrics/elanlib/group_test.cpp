// Barrier and broadcast, by the switches and by a tree, from 4 to 1,024 nodes.

#include "interconnects/quadrics/elanlib/group.hpp"

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::Home;
using elan3::pattern;
using elan3::Process;
using Address = Group::Address;

elan::Parameters of_dimension(unsigned dimension) {
    elan::Parameters parameters;
    parameters.network.dimension = dimension;
    return parameters;
}

class ElanGroup : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, ElanGroup, ::testing::Values(Way::hardware, Way::tree));

// Nobody leaves before the last has come, however often.
TEST_P(ElanGroup, ABarrierHoldsAll) {
    Cluster cluster(16);
    int inside = 0;
    cluster.run([&](Process& process) {
        Group group(process);
        process.engine().sleep_until(Time::at(100_us));
        for (int round = 1; round <= 5; ++round) {
            process.spend(1_us * ((process.self() * 7 + static_cast<unsigned>(round) * 5) % 16));
            ++inside;
            EXPECT_TRUE(group.barrier(GetParam()).ok());
            EXPECT_GE(inside, 16 * round);
            EXPECT_TRUE(group.barrier(GetParam()).ok());
        }
        process.engine().sleep_until(Time::at(2_ms));
    });
    EXPECT_EQ(inside, 80);
}

TEST_P(ElanGroup, ABroadcastReachesAll) {
    Cluster cluster(16);
    int right = 0;
    cluster.run([&](Process& process) {
        const Address data = process.allocate(Home::main, 3000);
        process.store(data, pattern(3000, process.self()));
        Group group(process);
        process.engine().sleep_until(Time::at(100_us));
        for (const Group::Vpid root : {0U, 5U, 15U}) {
            if (process.self() == root) process.store(data, pattern(3000, 100 + root));
            EXPECT_TRUE(group.broadcast(root, data, 3000, GetParam()).ok());
            std::vector<std::byte> bytes(3000);
            process.load(data, bytes);
            right += bytes == pattern(3000, 100 + root) ? 1 : 0;
            EXPECT_TRUE(group.barrier(Way::tree).ok());
        }
        process.engine().sleep_until(Time::at(2_ms));
    });
    EXPECT_EQ(right, 48);
}

// By the tree, one broadcast may follow the other, from any root: nobody's buffer is written while
// it still passes the last one on, or reads it.
TEST(ElanGroups, BroadcastsByTheTreeNeedNoBarrier) {
    constexpr std::uint32_t size = 3000;
    Cluster cluster(16);
    int right = 0;
    cluster.run([&](Process& process) {
        const Address data = process.allocate(Home::main, size);
        process.store(data, pattern(size, process.self()));
        Group group(process);
        process.engine().sleep_until(Time::at(100_us));
        for (unsigned round = 0; round < 20; ++round) {
            const Group::Vpid root = round < 8 ? 0 : round * 5 % 16;
            if (process.self() == root) process.store(data, pattern(size, 100 + round));
            EXPECT_TRUE(group.broadcast(root, data, size, Way::tree).ok());
            std::vector<std::byte> bytes(size);
            process.load(data, bytes);
            right += bytes == pattern(size, 100 + round) ? 1 : 0;
            process.spend(3_us * ((process.self() * 7 + round * 5) % 16));
        }
        process.engine().sleep_until(Time::at(10_ms));
    });
    EXPECT_EQ(right, 20 * 16);
}

// FA-8: whatever the last node's cable does to a barrier, process 0 hears of its end once.
TEST(ElanGroups, ABarrierThatFailsEndsOnce) {
    int failures = 0;
    for (int phase = 0; phase < 40; ++phase) {
        Cluster cluster(4);
        cluster.machine.network().break_part(elite::Part::cable(3),
                                             Time::at(100_us + 100_ns * phase));
        std::uint64_t most = 0;
        try {
            cluster.run([&](Process& process) {
                Group group(process);
                process.engine().sleep_until(Time::at(100_us));
                failures += group.barrier(Way::hardware).ok() ? 0 : 1;
                process.engine().sleep_until(Time::at(2_ms));
                if (process.self() != 0) return;
                for (const auto& [address, event] : process.context().events)
                    most = std::max(most, event.fired);
            });
        } catch (const Error&) {  // others may wait for what never comes
        }
        EXPECT_EQ(most, 1U) << phase;
    }
    EXPECT_GT(failures, 0);
}

TEST(ElanGroups, AGapBetweenNodesIsSaid) {
    Cluster cluster(1);
    cluster.job = cluster.machine.add_job({0, 2});
    cluster.run([&](Process& process) {
        Group group(process);
        process.engine().sleep_until(Time::at(50_us));
        EXPECT_THROW((void)group.barrier(Way::hardware), UsageError);
        EXPECT_TRUE(group.barrier(Way::tree).ok());
        process.engine().sleep_until(Time::at(500_us));
    });
}

/// From the last one's coming to the last one's leaving, in microseconds.
double barrier_time(unsigned dimension, Way way) {
    Cluster cluster(1U << 2 * dimension, of_dimension(dimension));
    Time end;
    cluster.run([&](Process& process) {
        Group group(process);
        process.engine().sleep_until(Time::at(100_us));
        EXPECT_TRUE(group.barrier(way).ok());
        process.engine().sleep_until(Time::at(500_us));
        EXPECT_TRUE(group.barrier(way).ok());
        end = std::max(end, process.now());
        process.engine().sleep_until(Time::at(2_ms));
    });
    return (end - Time::at(500_us)).microseconds();
}

double broadcast_time(unsigned dimension, Way way) {
    Cluster cluster(1U << 2 * dimension, of_dimension(dimension));
    Time end;
    cluster.run([&](Process& process) {
        const Address data = process.allocate(Home::main, 4096);
        process.store(data, pattern(4096, process.self()));
        Group group(process);
        process.engine().sleep_until(Time::at(500_us));
        EXPECT_TRUE(group.broadcast(0, data, 4096, way).ok());
        end = std::max(end, process.now());
        process.engine().sleep_until(Time::at(2_ms));
    });
    return (end - Time::at(500_us)).microseconds();
}

// The hardware's time hardly grows with the nodes; the tree's grows with its depth.
TEST(ElanGroups, HardwareScalesToAThousandNodes) {
    for (const auto& time : {barrier_time, broadcast_time}) {
        const double small = time(1, Way::hardware);
        const double large = time(5, Way::hardware);
        // Eight switches more, of 40 ns with their wires: there and back, for at most two packets.
        EXPECT_LT(large, small + 8 * 0.04 * 4);
        for (const unsigned dimension : {2U, 3U})
            EXPECT_LT(time(dimension, Way::hardware), time(dimension, Way::tree)) << dimension;
        EXPECT_LT(large * 2, time(5, Way::tree));
    }
}

}  // namespace
}  // namespace railyard::elanlib
