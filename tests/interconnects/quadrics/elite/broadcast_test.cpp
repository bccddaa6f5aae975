// Broadcasts: BC-1 and BC-2, at both levels of detail.

#include <gmock/gmock.h>

#include <set>

#include "interconnects/quadrics/elite/stations.hpp"

namespace railyard::elite {
namespace {

using namespace railyard::literals;

class EliteBroadcast : public ::testing::TestWithParam<Detail> {
  protected:
    static Packet broadcast(const Stations& stations, NodeId from, NodeId first, NodeId last,
                            Bytes payload) {
        Packet packet;
        packet.source = from;
        packet.payload = payload;
        packet.route = *find_broadcast(stations.tree(), from, first, last);
        return packet;
    }
};

INSTANTIATE_TEST_SUITE_P(Levels, EliteBroadcast, ::testing::Values(Detail::packets, Detail::flits),
                         ::testing::PrintToStringParamName());

// BC-1: exactly the range, once each, and all at the time of one.
TEST_P(EliteBroadcast, ReachesExactlyARange) {
    for (const NodeId from : {0U, 37U})
        for (NodeId first = 0; first < 64; first += 7)
            for (NodeId last = first; last < 64; last += 5) {
                Stations stations(of(GetParam(), 3));
                const Packet packet = broadcast(stations, from, first, last, 64_B);
                stations.network->send(packet);
                stations.engine.run();
                std::set<NodeId> had;
                for (const auto& arrival : stations.arrivals) {
                    EXPECT_TRUE(had.insert(arrival.node).second);
                    EXPECT_TRUE(arrival.delivery.broadcast);
                    const unsigned hops = packet.route.size();
                    EXPECT_EQ(arrival.at, at(35_ns * hops + 5_ns * (hops + 39)));
                }
                ASSERT_EQ(had.size(), last - first + 1);
                EXPECT_EQ(*had.begin(), first);
                EXPECT_EQ(*had.rbegin(), last);
                ASSERT_EQ(stations.ends.size(), 1U);
                EXPECT_EQ(stations.ends[0].outcome.kind, Outcome::Kind::accepted);
            }
}

// BC-1: all, in a tree of 256; as long as one packet to the farthest node.
TEST_P(EliteBroadcast, ReachesAll) {
    Stations stations(of(GetParam(), 4));
    stations.network->send(broadcast(stations, 100, 0, 255, 320_B));
    stations.engine.run();
    EXPECT_EQ(stations.arrivals.size(), 256U);
    ASSERT_EQ(stations.ends.size(), 1U);
    EXPECT_EQ(stations.ends[0].at, at(35_ns * 7 + 5_ns * (7 + 167) + 35_ns * 7 + 5_ns));
}

// BC-2: the token waits for the last, and one refusal is the whole broadcast's.
TEST_P(EliteBroadcast, OneRefusalFailsIt) {
    for (const bool refuse : {false, true}) {
        Stations stations(of(GetParam(), 2));
        stations.on_arrival = [&](const Delivery& delivery) {
            const bool late = delivery.node == 9;
            stations.answer_at(late ? at(5_us) : stations.engine.now(), delivery,
                               late && refuse ? Answer::refuse : Answer::accept);
        };
        stations.network->send(broadcast(stations, 2, 0, 15, 64_B));
        stations.engine.run();
        EXPECT_EQ(stations.arrivals.size(), 16U);
        ASSERT_EQ(stations.ends.size(), 1U);
        EXPECT_EQ(stations.ends[0].at, at(5_us + 35_ns * 3 + 5_ns));
        EXPECT_EQ(stations.ends[0].outcome.kind,
                  refuse ? Outcome::Kind::refused : Outcome::Kind::accepted);
    }
}

// BC-2: so is one loss.
TEST_P(EliteBroadcast, OneLossFailsIt) {
    Stations stations(of(GetParam(), 2));
    stations.network->break_part(Part::cable(9), Time());
    stations.send_at(at(1_us), broadcast(stations, 2, 0, 15, 64_B));
    stations.send_at(at(5_us), broadcast(stations, 2, 10, 15, 64_B));
    stations.engine.run();
    ASSERT_EQ(stations.ends.size(), 2U);
    EXPECT_EQ(stations.ends[0].outcome.kind, Outcome::Kind::failed);
    EXPECT_EQ(stations.ends[0].outcome.fault.part, Part::cable(9));
    EXPECT_EQ(stations.ends[0].outcome.fault.hop, 3U);
    EXPECT_EQ(stations.ends[1].outcome.kind, Outcome::Kind::accepted);
    // Those whose header had come are told.
    EXPECT_EQ(stations.breaks.size() + 6, stations.headers.size());
}

// Broadcasts from all nodes, of all, of parts, among other packets, on both channels: none waits
// for ever, none is lost.
TEST_P(EliteBroadcast, ManyAtOnceDoNotLock) {
    Stations stations(of(GetParam(), 3));
    std::uint64_t expected = 0;
    std::uint64_t sent = 0;
    sim::Random random(7);
    for (NodeId from = 0; from < 64; ++from)
        for (std::uint8_t vc = 0; vc < 2; ++vc) {
            const auto first = static_cast<NodeId>(random.below(64));
            const auto last = static_cast<NodeId>(first + random.below(64 - first));
            Packet packet = broadcast(stations, from, first, last, 320_B);
            packet.channel = vc;
            stations.send_at(at(Duration::ns(static_cast<std::int64_t>(random.below(2000)))),
                             packet);
            expected += last - first + 1;
            packet = stations.packet(from, (from + 1 + static_cast<NodeId>(random.below(63))) % 64,
                                     320_B);
            packet.channel = vc;
            stations.send_at(at(Duration::ns(static_cast<std::int64_t>(random.below(2000)))),
                             packet);
            ++expected;
            sent += 2;
        }
    stations.engine.run();
    EXPECT_EQ(stations.network->counters().accepted, sent);
    EXPECT_EQ(stations.network->counters().delivered, expected);
}

}  // namespace
}  // namespace railyard::elite
