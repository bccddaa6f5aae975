// Trying again and going another way: FA-6 and FA-7.

#include "interconnects/quadrics/elite/retransmitter.hpp"

#include <gmock/gmock.h>

#include "interconnects/quadrics/elite/stations.hpp"

namespace railyard::elite {
namespace {

using namespace railyard::literals;

class EliteRetransmitter : public ::testing::TestWithParam<Detail> {
  protected:
    EliteRetransmitter() : stations(of(GetParam(), 2)), table(stations.tree(), 0, Routing::fixed) {
        stations.on_end = [this](PacketId id, const Outcome& outcome) {
            const Retransmitter::Report report = retransmitter.settled(id, outcome);
            if (report.result != Retransmitter::Result::none) reports.push_back(report);
        };
        packet.payload = 64_B;
        packet.cookie = 7;
    }
    void send(RoutingTable::Processor to) {
        stations.engine.schedule(at(1_us),
                                 [this, to] { EXPECT_TRUE(retransmitter.send(to, packet)); });
        stations.engine.run();
    }

    Stations stations;
    RoutingTable table;
    Retransmitter retransmitter{*stations.network, table};
    std::vector<Retransmitter::Report> reports;
    Packet packet;
};

INSTANTIATE_TEST_SUITE_P(Levels, EliteRetransmitter,
                         ::testing::Values(Detail::packets, Detail::flits),
                         ::testing::PrintToStringParamName());

// FA-6: three more times; a part that is back by then costs no more than that.
TEST_P(EliteRetransmitter, TriesAgain) {
    stations.network->break_part(Part::switch_of(stations.tree().switch_at(2, 3)), Time(),
                                 at(1_us + 20_ns));
    send(15);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].result, Retransmitter::Result::accepted);
    EXPECT_EQ(reports[0].cookie, 7U);
    EXPECT_GT(reports[0].attempts, 1U);
    EXPECT_LE(reports[0].attempts, 4U);
    EXPECT_TRUE(table.avoided().empty());
    EXPECT_EQ(stations.arrivals.size(), 1U);
}

// FA-7: then the table changes, and traffic flows again.
TEST_P(EliteRetransmitter, GoesAnotherWay) {
    const Part dead = Part::switch_of(stations.tree().switch_at(2, 3));
    stations.network->break_part(dead, Time());
    send(15);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].result, Retransmitter::Result::accepted);
    EXPECT_EQ(reports[0].attempts, 5U);
    ASSERT_EQ(table.avoided().size(), 1U);
    EXPECT_EQ(table.avoided()[0], dead);
    EXPECT_EQ(stations.arrivals.size(), 1U);
    reports.clear();
    send(15);
    EXPECT_EQ(reports.at(0).attempts, 1U);
}

// Where there is no other way, that is said.
TEST_P(EliteRetransmitter, SaysThatANodeIsOutOfReach) {
    stations.network->break_part(Part::cable(15), Time());
    send(15);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].result, Retransmitter::Result::unreachable);
    EXPECT_FALSE(retransmitter.send(15, packet));
    reports.clear();
    send(14);
    EXPECT_EQ(reports.at(0).result, Retransmitter::Result::accepted);
}

TEST_P(EliteRetransmitter, TakesARefusalForAnAnswer) {
    stations.on_arrival = [this](const Delivery& delivery) {
        stations.network->answer(delivery, Answer::refuse);
    };
    send(15);
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports[0].result, Retransmitter::Result::refused);
    EXPECT_EQ(reports[0].attempts, 1U);
}

}  // namespace
}  // namespace railyard::elite
