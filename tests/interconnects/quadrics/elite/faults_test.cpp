// What breaks, and who is told: ES-4, RT-2, FA-1, FA-3 to FA-5, at both levels of detail.

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>

#include "interconnects/quadrics/elite/circuits.hpp"
#include "interconnects/quadrics/elite/stations.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elite {
namespace {

using namespace railyard::literals;

class EliteFaults : public ::testing::TestWithParam<Detail> {};

INSTANTIATE_TEST_SUITE_P(Levels, EliteFaults, ::testing::Values(Detail::packets, Detail::flits),
                         ::testing::PrintToStringParamName());

/// The cables of a fixed way, in order.
std::vector<CableId> cables(const FatTree& tree, const Packet& packet) {
    std::vector<CableId> all;
    LinkId link = tree.out(packet.source);
    for (unsigned i = 0;; ++i) {
        all.push_back(tree.cable(link));
        const End end = tree.far(link);
        if (end.node) return all;
        link = tree.out(end.id, static_cast<unsigned>(std::countr_zero(packet.route[i].mask())));
    }
}

// A part that many faults have at once is dead until the last of them is over.
TEST_P(EliteFaults, AnyNumberMayStrikeOnePartAtOnce) {
    for (const bool as_switch : {false, true}) {
        Stations stations(of(GetParam(), 3));
        const Packet packet = stations.packet(0, 63, 64_B, Routing::fixed);
        const CableId cable = cables(stations.tree(), packet)[1];
        const Part part = as_switch
                              ? Part::switch_of(stations.tree().far(stations.tree().up(cable)).id)
                              : Part::cable(cable);
        constexpr int faults = 512;
        for (int i = 0; i < faults; ++i)
            stations.network->break_part(part, at(Duration::us(i)), at(2_ms + Duration::us(i)));
        for (const Duration when : {255_us, 256_us, 511_us, 2_ms, 2_ms + 255_us, 2_ms + 510_us})
            stations.engine.schedule(at(when) + 1_ns, [&, when] {
                EXPECT_TRUE(stations.network->is_dead(part)) << when.seconds();
            });
        stations.send_at(at(1_ms), packet);
        stations.send_at(at(3_ms), packet);
        stations.engine.run();
        ASSERT_EQ(stations.ends.size(), 2U);
        EXPECT_EQ(stations.ends[0].outcome.kind, Outcome::Kind::failed);
        EXPECT_EQ(stations.ends[1].outcome.kind, Outcome::Kind::accepted);
        EXPECT_FALSE(stations.network->is_dead(part));
    }
}

// FA-5: the source is told which link is dead, hop by hop, and the sooner the nearer it is.
TEST_P(EliteFaults, ADeadLinkIsLocated) {
    Time last;
    for (unsigned hop = 0; hop < 6; ++hop) {
        Stations stations(of(GetParam(), 3));
        const Packet packet = stations.packet(0, 63, 64_B, Routing::fixed);
        const CableId dead = cables(stations.tree(), packet)[hop];
        stations.network->break_part(Part::cable(dead), Time());
        stations.send_at(at(1_us), packet);
        stations.engine.run();
        ASSERT_EQ(stations.ends.size(), 1U);
        const Outcome& outcome = stations.ends[0].outcome;
        EXPECT_EQ(outcome.kind, Outcome::Kind::failed);
        EXPECT_EQ(outcome.fault.kind, Fault::Kind::dead);
        EXPECT_EQ(outcome.fault.hop, hop);
        EXPECT_EQ(outcome.fault.part, Part::cable(dead));
        EXPECT_TRUE(stations.headers.empty());
        EXPECT_GT(stations.ends[0].at, last);
        // The tag has come to the switch before; from there it is so many switches back.
        const Duration to_switch = 5_ns + 40_ns * (hop - 1);
        const Duration back = 5_ns + 35_ns * (hop - 1);
        EXPECT_EQ(stations.ends[0].at, at(hop == 0 ? 1_us : 1_us + to_switch + back));
        last = stations.ends[0].at;
        EXPECT_TRUE(stations.network->is_dead(Part::cable(dead)));
    }
}

// FA-5: a dead switch is told from a dead link.
TEST_P(EliteFaults, ADeadSwitchIsNamedAsSuch) {
    Stations stations(of(GetParam(), 2));
    const SwitchId dead = stations.tree().leaf_of(15);
    stations.network->break_part(Part::switch_of(dead), Time());
    stations.send_at(at(1_us), stations.packet(0, 15, 64_B));
    stations.send_at(at(1_us), stations.packet(13, 15, 64_B));
    stations.send_at(at(1_us), stations.packet(1, 11, 64_B));
    stations.engine.run();
    ASSERT_EQ(stations.ends.size(), 3U);
    for (const auto& end : stations.ends) {
        if (end.node == 1) {
            EXPECT_EQ(end.outcome.kind, Outcome::Kind::accepted);
            continue;
        }
        EXPECT_EQ(end.outcome.fault.part, Part::switch_of(dead));
        EXPECT_EQ(end.outcome.fault.hop, end.node == 0 ? 2U : 0U);
    }
}

// RT-2: in a group, a dead link is not missed; and when it is mended it is used again.
TEST_P(EliteFaults, AGroupGoesAroundADeadLink) {
    Stations stations(of(GetParam(), 2));
    const FatTree& tree = stations.tree();
    for (unsigned port = 4; port < 7; ++port)
        stations.network->break_part(Part::cable(tree.cable(tree.out(SwitchId{0}, port))), Time(),
                                     at(10_us));
    for (NodeId from = 0; from < 3; ++from) {
        stations.send_at(at(1_us), stations.packet(from, 4 * from + 4, 64_B));
        stations.send_at(at(11_us), stations.packet(from, 4 * from + 4, 64_B));
    }
    stations.engine.run();
    EXPECT_EQ(stations.network->counters().accepted, 6U);
    const Duration alone = 35_ns * 3 + 5_ns * (3 + 39);
    EXPECT_GT(stations.arrivals[2].at, at(1_us + alone * 2));  // one after the other
    EXPECT_EQ(stations.arrivals[5].at, at(11_us + alone));     // side by side
}

// FA-4, FA-1: a link that dies under a packet: source and destination are told, once; the links are
// free again, and what waited behind goes on.
TEST_P(EliteFaults, ALinkThatDiesUnderAPacketTellsBothEnds) {
    for (unsigned hop = 0; hop < 4; ++hop) {
        Stations stations(of(GetParam(), 2));
        const Packet packet = stations.packet(0, 15, 2000_B, Routing::fixed);
        const Part part = Part::cable(cables(stations.tree(), packet)[hop]);
        stations.network->break_part(part, at(3_us), at(4_us));
        stations.send_at(Time(), packet);
        stations.send_at(Time(), packet);  // waits at the source
        stations.send_at(at(1_us), stations.packet(1, 15, 64_B, Routing::fixed));  // on the way
        stations.send_at(at(5_us), packet);
        stations.engine.run();
        const Counters& counters = stations.network->counters();
        EXPECT_EQ(counters.sent, 4U);
        EXPECT_EQ(counters.accepted + counters.failed, 4U);
        ASSERT_GE(stations.ends.size(), 1U);
        EXPECT_EQ(stations.ends[0].at, at(3_us + (hop == 0 ? 0_ns : 5_ns + 35_ns * (hop - 1))));
        EXPECT_EQ(stations.ends[0].outcome.fault.hop, hop);
        EXPECT_EQ(stations.ends[0].outcome.fault.part, part);
        ASSERT_EQ(stations.breaks.size(), 1U);
        EXPECT_EQ(stations.breaks[0].node, 15U);
        EXPECT_GE(stations.breaks[0].at, at(3_us));
        EXPECT_LE(stations.breaks[0].at, at(3_us + 5_ns + 35_ns * 3));
        EXPECT_GE(counters.accepted, 1U);
    }
}

// A token that is past the link when it dies is not lost; one that is not, is, and its report comes
// in its place: one token for each packet (FA-1).
TEST_P(EliteFaults, ATokenIsLostOnlyWithTheLinkBeforeIt) {
    for (const Duration after : {5_ns, 60_ns, 80_ns, 109_ns}) {
        Stations stations(of(GetParam(), 2));
        const Packet packet = stations.packet(0, 15, 64_B, Routing::fixed);
        const Time answered = at(35_ns * 3 + 5_ns * (3 + 39));
        // The token is past this link after 5 + 35 + 35 ns.
        const Part part = Part::cable(cables(stations.tree(), packet)[1]);
        stations.network->break_part(part, answered + after);
        stations.send_at(Time(), packet);
        stations.engine.run();
        ASSERT_EQ(stations.ends.size(), 1U);
        const bool passed = after >= 75_ns;
        EXPECT_EQ(stations.ends[0].outcome.kind,
                  passed ? Outcome::Kind::accepted : Outcome::Kind::failed);
        EXPECT_EQ(stations.breaks.size(), passed ? 0U : 1U);
    }
}

// ES-4, FA-3, FA-4: a corrupted packet is not delivered; the link behind which the CRC is wrong is
// named. All packets are accounted for, and the two levels see the same errors.
TEST(EliteErrors, CorruptedPacketsAreFoundAndLocated) {
    std::vector<std::vector<Stations::End>> ends;
    for (const Detail detail : {Detail::packets, Detail::flits}) {
        Stations stations(of(detail, 2), 11);
        const Packet packet = stations.packet(0, 15, 64_B, Routing::fixed);
        const CableId bad = cables(stations.tree(), packet)[2];
        stations.network->set_bit_errors(bad, 5e-4);
        for (int i = 0; i < 400; ++i)
            stations.send_at(at(1_us * i), packet);
        stations.engine.run();
        const Counters& counters = stations.network->counters();
        EXPECT_EQ(counters.accepted + counters.failed, 400U);
        EXPECT_EQ(counters.delivered, counters.accepted);
        // 40 flits of 16 bits: 27 of a hundred.
        EXPECT_GT(counters.failed, 70U);
        EXPECT_LT(counters.failed, 150U);
        EXPECT_GT(counters.broken, 0U);
        EXPECT_LT(counters.broken, counters.failed);  // a tag that is hit leads nowhere
        for (const auto& end : stations.ends)
            if (end.outcome.kind == Outcome::Kind::failed) {
                EXPECT_EQ(end.outcome.fault.kind, Fault::Kind::corrupted);
                EXPECT_EQ(end.outcome.fault.hop, 2U);
                EXPECT_EQ(end.outcome.fault.part, Part::cable(bad));
            }
        ends.push_back(stations.ends);
    }
    ASSERT_EQ(ends[0].size(), ends[1].size());
    for (std::size_t i = 0; i < ends[0].size(); ++i) {
        EXPECT_EQ(ends[0][i].at, ends[1][i].at);
        EXPECT_EQ(ends[0][i].outcome.kind, ends[1][i].outcome.kind);
    }
}

TEST(EliteErrors, AreAsManyAsTheRateSays) {
    BitErrors errors(sim::Random(3));
    EXPECT_EQ(errors.pass(1000, 16), BitErrors::none);
    errors.set_rate(1e-4);
    int hits = 0;
    for (int i = 0; i < 20'000; ++i)
        if (const std::uint32_t hit = errors.pass(100, 16); hit != BitErrors::none) {
            ++hits;
            EXPECT_LT(hit, 100U);
        }
    EXPECT_NEAR(hits, 20'000 * 0.1479, 200);  // 1 - exp(-0.16)
    errors.set_rate(0);
    EXPECT_EQ(errors.pass(1'000'000, 16), BitErrors::none);
}

TEST_P(EliteFaults, SaysWhatIsNoPart) {
    Stations stations(of(GetParam(), 2));
    EXPECT_THROW(stations.network->break_part(Part::cable(32), Time()), UsageError);
    EXPECT_THROW(stations.network->break_part(Part::switch_of(8), Time()), UsageError);
    EXPECT_THROW(stations.network->set_bit_errors(0, 1.5), UsageError);
}

// FA-1, under fire: cables and switches come and go at random, others have errors. Every packet
// gets exactly one token, and afterwards all links are free.
TEST_P(EliteFaults, EveryPacketIsAccountedForWhateverBreaks) {
    Stations stations(of(GetParam(), 3), 5);
    sim::Random random(5);
    const auto pick = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random.below(n)); };
    const auto moment = [&](std::int64_t n) {
        return at(Duration::ns(pick(static_cast<std::uint64_t>(n))));
    };
    for (int i = 0; i < 60; ++i) {
        const Part part = i % 4 == 0 ? Part::switch_of(pick(48)) : Part::cable(pick(192));
        const Time from = moment(40'000);
        stations.network->break_part(part, from, from + Duration::ns(1 + pick(4000)));
    }
    for (int i = 0; i < 20; ++i)
        stations.network->set_bit_errors(pick(192), 1e-4);
    constexpr unsigned packets = 3000;
    for (unsigned i = 0; i < packets; ++i) {
        const NodeId from = pick(64);
        Packet packet = stations.packet(from, (from + 1 + pick(63)) % 64, Bytes(pick(321)),
                                        pick(2) ? Routing::adaptive : Routing::fixed);
        if (pick(50) == 0)
            packet.route = *find_broadcast(stations.tree(), from, pick(32), 32 + pick(32));
        packet.channel = static_cast<std::uint8_t>(pick(2));
        packet.priority = pick(4) ? Priority::low : Priority::high;
        stations.send_at(moment(40'000), packet);
    }
    stations.engine.run();
    const Counters& counters = stations.network->counters();
    EXPECT_EQ(counters.sent, packets);
    EXPECT_EQ(counters.accepted + counters.failed, packets);
    EXPECT_EQ(stations.ends.size(), packets);
    EXPECT_GT(counters.failed, 100U);
    EXPECT_GT(counters.accepted, packets / 2);
    std::vector<std::uint64_t> sequences;
    for (const auto& end : stations.ends)
        sequences.push_back(end.id.sequence);
    std::sort(sequences.begin(), sequences.end());
    EXPECT_EQ(std::unique(sequences.begin(), sequences.end()), sequences.end());

    // Every node reaches every other on a network that forgot.
    for (CableId cable = 0; cable < 192; ++cable)
        stations.network->set_bit_errors(cable, 0);
    const std::uint64_t before = counters.accepted;
    const Time later = stations.engine.now() + 10_us;
    for (NodeId from = 0; from < 64; ++from)
        for (std::uint8_t vc = 0; vc < 2; ++vc)
            for (NodeId by = 1; by < 64; by += 6) {
                Packet packet = stations.packet(from, (from + by) % 64, 64_B, Routing::fixed);
                packet.channel = vc;
                stations.send_at(later, packet);
            }
    stations.engine.run();
    EXPECT_EQ(counters.accepted - before, 64U * 2 * 11);
}

}  // namespace
}  // namespace railyard::elite
