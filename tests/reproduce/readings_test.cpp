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
            return x >= first && x < 2.5 * first ? share * x / 4 : x;
        };
    };
    const std::string id = "rashti07.mpi.bandwidth.uni.dip";
    EXPECT_TRUE(holds(id, dipping(0.5, 0.9)));
    EXPECT_FALSE(holds(id, dipping(0.5, 5)));    // iWARP has none
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
    EXPECT_FALSE(holds("rashti07.logp.or.myri", receiving(0.5)));
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

TEST(Readings, AShortQueueCostsInfiniBandMost) {
    const auto losing = [](double vapi) {
        return [vapi](const Selection& s, double) {
            const bool is_short = number(s.where, "queue") == 8;
            return !is_short ? 100.0 : s.fabric == "infiniband-pcix-liu04" ? vapi : 90.0;
        };
    };
    EXPECT_TRUE(holds("liu04.bandwidth.uni.queue_sensitivity", losing(80)));
    EXPECT_FALSE(holds("liu04.bandwidth.uni.queue_sensitivity", losing(95)));
}

TEST(Readings, QuadricsLosesLessThanHalfOfWhatOthersDoBothWays) {
    const auto losing = [](double elan) {
        return [elan](const Selection& s, double) {
            if (s.experiment == "latency-uni") return 10.0;
            return s.fabric == "quadrics-liu04" ? elan : 12.0;
        };
    };
    EXPECT_TRUE(holds("liu04.latency.bi.degradation_order", losing(10.9)));
    EXPECT_FALSE(holds("liu04.latency.bi.degradation_order", losing(11.1)));
}

TEST(Readings, MpiIsAheadOfWhatItStandsOnSomewhere) {
    const auto rates = [](double mpi_at_large) {
        return [=](const Selection& s, double x) {
            const bool mpi = s.experiment.starts_with("mpi-");
            return mpi ? (x > 65536 ? mpi_at_large : 900.0) : 1000.0;
        };
    };
    EXPECT_TRUE(holds("liu04pcie.mpi.above_vapi", rates(1010)));
    EXPECT_FALSE(holds("liu04pcie.mpi.above_vapi", rates(1000)));
}

TEST(Readings, BehavingAlikeIsTheSameCourse) {
    const std::vector<double> connections{1, 8, 64, 256};
    const auto falling = [](double iwarp_first) {
        return [=](const Selection& s, double x) {
            const bool iwarp = s.fabric == "neteffect-iwarp";
            return (iwarp ? 2 : 1) * (x == 1 ? (iwarp ? iwarp_first : 5.0) : 4.0);
        };
    };
    for (const char* id :
         {"rashti07.multiconn.latency.large", "rashti07.multiconn.throughput.large"}) {
        EXPECT_TRUE(holds(id, falling(5), connections)) << id;
        EXPECT_FALSE(holds(id, falling(6), connections)) << id;
    }
}

TEST(Readings, SomeStayAsTheyAre) {
    const auto course = [](double last) {
        return [last](const Selection&, double x) { return x >= 15 && x != 128 ? last : 10.0; };
    };
    EXPECT_TRUE(holds("rashti07.multiconn.latency.iwarp.flat", course(9.5), {128, 256}));
    EXPECT_FALSE(holds("rashti07.multiconn.latency.iwarp.flat", course(8.5), {128, 256}));
    EXPECT_TRUE(holds("petrini02.hotspot.scaling", course(9.8), {1, 4, 15}));
    EXPECT_FALSE(holds("petrini02.hotspot.scaling", course(9), {1, 4, 15}));
}

TEST(Readings, BothWaysAgainstOneWay) {
    const auto both = [](double value) {
        return [value](const Selection& s, double) {
            return s.experiment.find("-bi") != std::string::npos ? value : 10.0;
        };
    };
    EXPECT_TRUE(holds("liu04.bandwidth.bi.elan.no_gain", both(10.9)));
    EXPECT_FALSE(holds("liu04.bandwidth.bi.elan.no_gain", both(12)));
    EXPECT_TRUE(holds("petrini02.latency.bi", both(11)));
    EXPECT_FALSE(holds("petrini02.latency.bi", both(10)));
}

TEST(Readings, WritesAreAheadUpTo64KiB) {
    const auto writing = [](double at_64k) {
        return [at_64k](const Selection& s, double x) {
            return word(s.where, "op") != "rdma_write" ? 100.0 : x == 65536 ? at_64k : 110.0;
        };
    };
    const std::string id = "liu04.bandwidth.bi.vapi.rdma_gt_sr";
    EXPECT_TRUE(holds(id, writing(100)));
    EXPECT_FALSE(holds(id, writing(90)));
    EXPECT_EQ(check(id).selections[0].sizes.back(), 65536);
}

TEST(Readings, AWildcardConnectsAll) {
    const auto vis = [](double missing) {
        return [missing](const Selection&, double processes) { return processes - 1 - missing; };
    };
    EXPECT_TRUE(holds("wu02.vi.anysource", vis(0), {16, 32}));
    EXPECT_FALSE(holds("wu02.vi.anysource", vis(1), {16, 32}));
}

}  // namespace
}  // namespace railyard::reproduce
