// Relations in words, and the form that we give them: each holds, and each can fail.

#include "reproduce/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reproduce/rows.hpp"

namespace railyard::reproduce {
namespace {

using ::testing::HasSubstr;

TEST(Readings, AreOfRecordsInWordsOnly) {
    const Record dip = with_reading(paper("rashti07.mpi.bandwidth.uni.dip"));
    ASSERT_TRUE(dip.check);
    EXPECT_THAT(describe(*dip.check), HasSubstr("(our reading)"));
    EXPECT_FALSE(paper("rashti07.mpi.bandwidth.uni.dip").check);
    // A check that is published stays, and what nobody can check stays in words.
    EXPECT_EQ(with_reading(paper("rashti07.recvq.order")).check->type, "order");
    EXPECT_FALSE(with_reading(paper("rashti07.queue.overall")).check);
}

// PR-2: Tports, and the MPI on it, carry 288 bytes with the envelope.
TEST(Readings, LatencyOfQuadricsJumpsAt288) {
    const std::string id = "petrini02.latency.noise256";
    EXPECT_EQ(check(id).selections[0].experiment, "quadrics-ping-uni");
    EXPECT_EQ(check(id).selections[1].experiment, "mpi-latency");
    const auto jumping = [](double mpi) {
        return [mpi](const Selection& s, double x) {
            return 5 + x / 1000 + (x < 288 ? 0 : s.experiment == "mpi-latency" ? mpi : 4.5);
        };
    };
    EXPECT_TRUE(holds(id, jumping(4.5)));
    EXPECT_FALSE(holds(id, jumping(0)));
}

// PR-3 on all networks, and one of them steepest.
TEST(Readings, EveryNetworkDipsAtItsSwitch) {
    const auto dipping = [](double infiniband, double iwarp) {
        return [=](const Selection& s, double x) {
            const double share = s.fabric == "infiniband-memfree" ? infiniband
                                 : s.fabric == "neteffect-iwarp"  ? iwarp
                                                                  : 0.9;
            const double first = first_rendezvous(s);
            return x >= first && x < 1.5 * first ? share * x / 2 : x;
        };
    };
    const std::string id = "rashti07.mpi.bandwidth.uni.dip";
    EXPECT_TRUE(holds(id, dipping(0.5, 0.9)));
    EXPECT_FALSE(holds(id, dipping(0.5, 3)));    // iWARP has none
    EXPECT_FALSE(holds(id, dipping(0.9, 0.5)));  // iWARP has the steepest
}

TEST(Readings, SenderOverheadStaysLow) {
    const auto sending = [](double beyond) {
        return [beyond](const Selection& s, double x) {
            return x < first_rendezvous(s) ? 1 + x / 10000 : beyond;
        };
    };
    EXPECT_TRUE(holds("rashti07.logp.os.low", sending(1.2)));
    EXPECT_FALSE(holds("rashti07.logp.os.low", sending(30)));
}

// PR-7 does not hold where a thread drives the rendezvous.
TEST(Readings, ReceiverOverheadOfMyrinetHasNoJump) {
    const auto receiving = [](double factor) {
        return [factor](const Selection& s, double x) {
            return (1 + x / 1000) * (x < first_rendezvous(s) ? 1 : factor);
        };
    };
    EXPECT_TRUE(holds("rashti07.logp.or.myri", receiving(1)));
    EXPECT_TRUE(holds("rashti07.logp.or.myri", receiving(0.5)));
    EXPECT_FALSE(holds("rashti07.logp.or.myri", receiving(2)));
}

TEST(Readings, UnexpectedMessagesCostSmallOnesMuchAndLargeOnesLittle) {
    const auto all = [](double ratio) {
        return [ratio](const Selection&, double) { return ratio; };
    };
    EXPECT_TRUE(holds("rashti07.unexpected.small", all(1.5)));
    EXPECT_FALSE(holds("rashti07.unexpected.small", all(1.05)));
    EXPECT_TRUE(holds("rashti07.unexpected.large", all(1.05)));
    EXPECT_FALSE(holds("rashti07.unexpected.large", all(1.2)));
}

TEST(Readings, OtherCollectivesAreAsAllreduce) {
    const auto better = [](double on_clan, double on_berkeley, std::string but = "alltoall") {
        return [=](const Selection& s, double) {
            const auto collective = word(s.where, "collective");
            if (!on_demand(s) || collective == but || collective == "alltoall") return 100.0;
            return 100 * (1 - (s.fabric == "clan-via" ? on_clan : on_berkeley));
        };
    };
    EXPECT_TRUE(holds("wu02.collectives.other", better(0.01, 0.15)));
    EXPECT_FALSE(holds("wu02.collectives.other", better(0.1, 0.15)));
    EXPECT_FALSE(holds("wu02.collectives.other", better(0.01, -0.1)));
    EXPECT_FALSE(holds("wu02.collectives.other", better(0.01, 0.15, "bcast")));
}

TEST(Readings, StaticUseFallsWithProcesses) {
    const auto use = [](double ring_partners_grow) {
        return [=](const Selection& s, double processes) {
            const bool ring = word(s.where, "application") == "Ring";
            return 2 * (ring ? 1 + ring_partners_grow * processes : 1) / processes;
        };
    };
    EXPECT_TRUE(holds("wu02.vi.scaling", use(0), {16, 32}));
    EXPECT_FALSE(holds("wu02.vi.scaling", use(1e6), {16, 32}));
}

}  // namespace
}  // namespace railyard::reproduce
