// One packet, and few: ES-1 to ES-3, RT-1 to RT-5, EL-8, FT-3, FT-5, FA-1, FA-2; at both levels of
// detail.

#include "interconnects/quadrics/elite/network.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "interconnects/quadrics/elite/stations.hpp"
#include "railyard/base/error.hpp"
#include "sim/trace.hpp"

namespace railyard::elite {
namespace {

using namespace railyard::literals;

class EliteNetwork : public ::testing::TestWithParam<Detail> {};

INSTANTIATE_TEST_SUITE_P(Levels, EliteNetwork, ::testing::Values(Detail::packets, Detail::flits),
                         ::testing::PrintToStringParamName());

// ES-1, RT-3, FT-3: hops times the switch delay plus length over rate; the header's own way alike.
TEST_P(EliteNetwork, LatencyIsASumAndNotAProduct) {
    for (const NodeId to : {1U, 5U, 63U})
        for (const Bytes payload : {0_B, 1_B, 64_B, 320_B, 4096_B}) {
            Stations stations(of(GetParam(), 3));
            stations.send(0, to, payload);
            stations.engine.run();
            const std::int64_t hops = FatTree::distance(0, to);
            const std::int64_t flits =
                hops + (14 + static_cast<std::int64_t>(payload.count()) + 1) / 2;
            ASSERT_EQ(stations.arrivals.size(), 1U);
            EXPECT_EQ(stations.headers[0].at, at(35_ns * hops + 5_ns * (hops + 1)));
            EXPECT_EQ(stations.arrivals[0].at, at(35_ns * hops + 5_ns * flits));
            EXPECT_EQ(stations.arrivals[0].node, to);
        }
}

// RT-4, FA-1, FA-2: one token back, then the end of the packet; the source's channel is taken until
// then, and the other one is free all the while.
TEST_P(EliteNetwork, AChannelIsHeldUntilTheAcknowledgmentIsBack) {
    Stations stations(of(GetParam(), 2));
    stations.send(0, 15, 64_B);
    stations.send(0, 15, 64_B);
    Packet other = stations.packet(0, 12, 64_B);
    other.channel = 1;
    stations.send_at(at(400_ns), other);
    stations.on_arrival = [&](const Delivery& delivery) {
        stations.answer_at(stations.engine.now() + 1_us, delivery);
    };
    stations.engine.run();
    const Duration one_way = 35_ns * 3 + 5_ns * (3 + 39);
    const Duration back = 35_ns * 3 + 5_ns;
    ASSERT_EQ(stations.arrivals.size(), 3U);
    ASSERT_EQ(stations.ends.size(), 3U);
    EXPECT_EQ(stations.arrivals[0].at, at(one_way));
    EXPECT_EQ(stations.ends[0].at, at(one_way + 1_us + back));
    EXPECT_EQ(stations.arrivals[1].at, at(400_ns + one_way));  // on the other channel
    EXPECT_EQ(stations.arrivals[2].at, at(one_way + 1_us + back + 5_ns + one_way));
    EXPECT_EQ(stations.network->counters().accepted, 3U);
}

TEST_P(EliteNetwork, ARefusalComesBackAsOne) {
    Stations stations(of(GetParam(), 2));
    stations.on_header = [&](const Delivery& delivery) {
        if (delivery.node == 3) stations.network->answer(delivery, Answer::refuse);
    };
    stations.on_arrival = [&](const Delivery& delivery) {
        stations.network->answer(delivery, Answer::refuse);
        EXPECT_THROW(stations.network->answer(delivery, Answer::refuse), UsageError);
    };
    stations.send(0, 15, 64_B);  // refused when all is there
    stations.send(2, 3, 320_B);  // refused at the header: nothing more is heard
    stations.engine.run();
    ASSERT_EQ(stations.arrivals.size(), 1U);
    ASSERT_EQ(stations.ends.size(), 2U);
    for (const auto& end : stations.ends)
        EXPECT_EQ(end.outcome.kind, Outcome::Kind::refused);
    EXPECT_EQ(stations.network->counters().refused, 2U);
}

// FA-2.
TEST_P(EliteNetwork, OnlyTheLastTransactionIsAcknowledged) {
    Stations stations(of(GetParam(), 1));
    stations.on_header = [&](const Delivery& delivery) {
        EXPECT_THROW(stations.network->answer(delivery, Answer::accept), UsageError);
    };
    stations.send(0, 1, 64_B);
    stations.engine.run();
    EXPECT_EQ(stations.network->counters().accepted, 1U);
}

// RT-1: a tag a switch; one too few or too many leads nowhere, and the hop is named.
TEST_P(EliteNetwork, EverySwitchTakesOneTagOff) {
    Stations stations(of(GetParam(), 2));
    Packet packet = stations.packet(0, 15, 64_B);
    EXPECT_EQ(packet.route.size(), 3U);
    packet.route = {};
    packet.route.add(Tag::link(4));
    stations.network->send(packet);  // ends in a switch
    packet.route.add(Tag::link(3));
    packet.route.add(Tag::link(3));
    packet.route.add(Tag::link(0));  // a node finds a tag
    packet.source = 1;
    stations.network->send(packet);
    packet.route = {};
    packet.route.add(Tag::link(4));
    packet.route.add(Tag::link(4));  // above the top
    packet.source = 4;
    stations.network->send(packet);
    stations.engine.run();
    EXPECT_TRUE(stations.headers.empty());
    ASSERT_EQ(stations.ends.size(), 3U);
    unsigned hops = 0;
    for (const auto& end : stations.ends) {
        EXPECT_EQ(end.outcome.kind, Outcome::Kind::failed);
        EXPECT_EQ(end.outcome.fault.kind, Fault::Kind::bad_route);
        hops += end.outcome.fault.hop;
    }
    EXPECT_EQ(hops, 1U + 3U + 2U);
}

// RT-2: four packets of one switch's nodes to four switches find four links up; with tags that name
// one and the same link, they go one after the other.
TEST_P(EliteNetwork, AGroupUsesAnyLinkThatIsFree) {
    for (const bool group : {true, false}) {
        Stations stations(of(GetParam(), 2));
        for (NodeId from = 0; from < 4; ++from) {
            Packet packet = stations.packet(from, 4 * from % 12 + 4, 320_B);
            Route route;
            route.add(group ? Tag::group(0xf0) : Tag::link(5));
            for (unsigned i = 1; i < packet.route.size(); ++i)
                route.add(packet.route[i]);
            packet.route = route;
            if (from < 3) stations.network->send(packet);
        }
        stations.engine.run();
        ASSERT_EQ(stations.arrivals.size(), 3U);
        const Duration alone = 35_ns * 3 + 5_ns * (3 + 167);
        EXPECT_EQ(stations.arrivals[0].at, at(alone));
        if (group) {
            EXPECT_EQ(stations.arrivals[2].at, at(alone));
        } else {
            EXPECT_GE(stations.arrivals[2].at, at(alone * 3));
        }
    }
}

// ES-2: a blocked packet on one channel does not stop the other channel of the same links.
TEST_P(EliteNetwork, ABlockedChannelDoesNotStopTheOther) {
    Stations stations(of(GetParam(), 2));
    stations.on_arrival = [&](const Delivery& delivery) {
        if (delivery.source != 1) stations.network->answer(delivery, Answer::accept);
        // Node 1's packet is not answered: its way stays taken.
    };
    stations.send(1, 15, 64_B);
    Packet blocked = stations.packet(0, 15, 64_B, Routing::fixed);
    stations.send_at(at(2_us), blocked);
    Packet passing = blocked;
    passing.channel = 1;
    stations.send_at(at(3_us), passing);
    stations.engine.run();
    ASSERT_EQ(stations.arrivals.size(), 2U);
    EXPECT_EQ(stations.arrivals[1].at, at(3_us + 35_ns * 3 + 5_ns * (3 + 39)));
    EXPECT_EQ(stations.network->counters().accepted, 1U);
}

// ES-3: of those that wait for an output, the higher priority goes first, and then the older.
TEST_P(EliteNetwork, PriorityGoesBeforeAgeAndAgeBeforeYouth) {
    Stations stations(of(GetParam(), 1));
    stations.send(0, 3, 320_B);
    stations.send_at(at(100_ns), stations.packet(1, 3, 64_B));
    Packet urgent = stations.packet(2, 3, 64_B);
    urgent.priority = Priority::high;
    stations.send_at(at(200_ns), urgent);
    stations.engine.run();
    ASSERT_EQ(stations.arrivals.size(), 3U);
    EXPECT_EQ(stations.arrivals[1].delivery.source, 2U);
    EXPECT_EQ(stations.arrivals[2].delivery.source, 1U);

    // Three that send without end: each gets its third.
    Stations fair(of(GetParam(), 1));
    int left = 297;
    const auto next = [&](NodeId from) {
        if (left-- > 0) fair.send(from, 3, 64_B);
    };
    for (NodeId from = 0; from < 3; ++from)
        next(from);
    fair.on_arrival = [&](const Delivery& delivery) {
        fair.network->answer(delivery, Answer::accept);
        next(delivery.source);
    };
    fair.engine.run();
    std::array<int, 3> had{};
    for (const auto& arrival : fair.arrivals)
        ++had[arrival.delivery.source];
    EXPECT_THAT(had, ::testing::Each(::testing::AllOf(::testing::Ge(98), ::testing::Le(100))));
}

// At the source, too.
TEST_P(EliteNetwork, UrgentPacketsPassThoseThatWaitAtTheSource) {
    Stations stations(of(GetParam(), 1));
    for (int i = 0; i < 3; ++i)
        stations.send(0, 1, 64_B);
    Packet urgent = stations.packet(0, 2, 64_B);
    urgent.priority = Priority::high;
    stations.network->send(urgent);
    stations.engine.run();
    ASSERT_EQ(stations.arrivals.size(), 4U);
    EXPECT_EQ(stations.arrivals[1].node, 2U);
}

// EL-8: back-pressure reaches the source, and no FIFO ever holds more than it has room for.
TEST(EliteFlits, NoFifoIsOverrun) {
    Stations stations(of(Detail::flits, 2));
    stations.on_arrival = [&](const Delivery& delivery) {
        if (delivery.source != 1) return stations.network->answer(delivery, Answer::accept);
        stations.answer_at(at(20_us), delivery);
    };
    stations.send(1, 15, 64_B);
    stations.send_at(at(1_us), stations.packet(0, 15, 8192_B, Routing::fixed));
    std::uint64_t moved = 0;
    stations.engine.schedule(at(19_us), [&] { moved = stations.network->counters().flit_hops; });
    stations.engine.run();
    // Blocked at the last switch: three FIFOs are full, and what is in them has crossed one, two
    // and three links. The first packet crossed four.
    const std::uint64_t first = 42 + 41 + 40 + 39;
    EXPECT_EQ(moved - first, 128U * 3 + 128 * 2 + 128 + 1 + 2);  // and the tags that were taken off
    EXPECT_EQ(stations.network->counters().fullest, 128U);
    ASSERT_EQ(stations.arrivals.size(), 2U);
    EXPECT_EQ(stations.network->counters().accepted, 2U);
}

// FT-5: permutations go through, all at once, without deadlock.
TEST_P(EliteNetwork, EveryPermutationGoesThrough) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Stations stations(of(GetParam(), 3), seed);
        std::vector<NodeId> to(64);
        std::iota(to.begin(), to.end(), 0U);
        sim::Random random(seed);
        for (std::size_t i = to.size(); i > 1; --i)
            std::swap(to[i - 1], to[random.below(i)]);
        std::uint64_t sent = 0;
        for (NodeId from = 0; from < 64; ++from)
            for (std::uint8_t vc = 0; vc < 2 && to[from] != from; ++vc)
                for (int i = 0; i < 4; ++i, ++sent) {
                    Packet packet = stations.packet(from, to[from], 320_B,
                                                    seed % 2 ? Routing::adaptive : Routing::fixed);
                    packet.channel = vc;
                    stations.network->send(packet);
                }
        stations.engine.run();
        EXPECT_EQ(stations.network->counters().accepted, sent);
        for (const auto& arrival : stations.arrivals)
            EXPECT_EQ(arrival.delivery.cookie, arrival.node);
    }
}

// RT-5, with a table that names one way and then another.
TEST_P(EliteNetwork, AnotherTableIsAnotherWay) {
    sim::Trace trace;
    sim::Engine engine;
    engine.record(&trace);
    const std::unique_ptr<Network> network = make_network(engine, of(GetParam(), 2));
    RoutingTable table(network->tree(), 0, Routing::fixed);
    Packet packet;
    packet.route = *table.to(15);
    network->send(packet);
    Route other;
    other.add(Tag::link(4));
    other.add(Tag::link(3));
    other.add(Tag::link(3));
    table.set(15, other);
    packet.route = *table.to(15);
    network->send(packet);
    engine.run();
    std::ostringstream out;
    trace.write(out);
    EXPECT_THAT(out.str(), ::testing::HasSubstr("port 7 of switch 0 of level 1"));
    EXPECT_THAT(out.str(), ::testing::HasSubstr("port 4 of switch 0 of level 1"));
    EXPECT_EQ(network->counters().refused, 2U);  // nobody is there
}

TEST_P(EliteNetwork, SaysWhatIsWrongWithAPacket) {
    Stations stations(of(GetParam(), 1));
    Packet packet = stations.packet(0, 1, 64_B);
    packet.channel = 2;
    EXPECT_THROW(stations.network->send(packet), UsageError);
    packet = {};
    EXPECT_THROW(stations.network->send(packet), UsageError);
    EXPECT_THROW(stations.network->attach(4, nullptr), UsageError);
}

}  // namespace
}  // namespace railyard::elite
