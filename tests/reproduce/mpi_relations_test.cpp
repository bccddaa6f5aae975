// Relations of MPI libraries, on curves made up for them: each holds, and each can fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reproduce/check.hpp"
#include "reproduce/rows.hpp"

namespace railyard::reproduce {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(MpiCompare, TwoWaysOfConnectingWithinTwoPercent) {
    const auto slower = [](double share) {
        return [share](const Selection& s, double x) {
            return (10 + x / 100) * (on_demand(s) ? 1 + share : 1);
        };
    };
    EXPECT_TRUE(holds("wu02.latency.clan", slower(0.015)));
    EXPECT_FALSE(holds("wu02.latency.clan", slower(0.03)));
    EXPECT_TRUE(holds("wu02.allreduce.clan", slower(-0.015)));
    EXPECT_FALSE(holds("wu02.allreduce.clan", slower(-0.03)));
    EXPECT_TRUE(holds("wu02.allreduce.bvia", slower(-0.15)));
    EXPECT_FALSE(holds("wu02.allreduce.bvia", slower(0)));
    EXPECT_EQ(check("wu02.allreduce.bvia").selections[0].over, "processes");
    // With two processes there is one VI either way: alike there, better beyond.
    EXPECT_TRUE(holds("wu02.allreduce.bvia", [](const Selection& s, double x) {
        return 100.0 + (on_demand(s) ? 0 : x - 2);
    }));
}

TEST(MpiCompare, PortsAndExperiments) {
    const auto two_ports = [](double us) {
        return
            [us](const Selection& s, double) { return number(s.where, "ports") == 2 ? us : 4.6; };
    };
    EXPECT_TRUE(holds("liu04pcie.mpi.latency.striping_neutral", two_ports(4.8)));
    EXPECT_FALSE(holds("liu04pcie.mpi.latency.striping_neutral", two_ports(5.3)));
    const auto windowed = [](double factor) {
        return [factor](const Selection& s, double x) {
            return s.experiment == "mpi-bandwidth-uni" ? factor * x : x;
        };
    };
    EXPECT_TRUE(holds("rashti07.mpi.bandwidth.pingpong.small", windowed(3)));
    EXPECT_FALSE(holds("rashti07.mpi.bandwidth.pingpong.small", windowed(0.9)));
}

TEST(MpiBest, IsOfAllLibrariesAndOfBothSwitches) {
    const auto unexpected = [](double over_ethernet) {
        return [=](const Selection& s, double) {
            if (s.fabric == "mx10g-myrinet") return 1.5;
            return s.fabric == "mx10g-ethernet" ? over_ethernet : 3.0;
        };
    };
    EXPECT_TRUE(holds("rashti07.unexpected.best", unexpected(1.6)));
    EXPECT_FALSE(holds("rashti07.unexpected.best", unexpected(3.1)));
    const auto order = [](double ib) {
        return [=](const Selection& s, double) {
            if (s.fabric == "neteffect-iwarp") return 2.5;
            return s.fabric == "infiniband-memfree" ? ib : 8.0;
        };
    };
    EXPECT_TRUE(holds("rashti07.recvq.order", order(5)));
    EXPECT_FALSE(holds("rashti07.recvq.order", order(9)));
    EXPECT_FALSE(holds("rashti07.recvq.order", order(2)));
}

TEST(MpiBest, OverheadIsOverTheLibraryBelow) {
    const Check overhead = check("rashti07.mpi.overhead.order");
    ASSERT_THAT(overhead.selections, SizeIs(8));
    EXPECT_EQ(overhead.selections[0].experiment, "mpi-latency");
    EXPECT_EQ(overhead.selections[1].experiment, "user-pingpong");
    EXPECT_EQ(overhead.selections[0].fabric, overhead.selections[1].fabric);
    EXPECT_EQ(overhead.selections[0].sizes, overhead.selections[1].sizes);
    // Slower below, and yet less on top.
    const auto adding = [](double mx) {
        return [mx](const Selection& s, double) {
            const bool myrinet = s.fabric.starts_with("mx10g");
            const double below = myrinet ? 10 : 3;
            return s.experiment == "user-pingpong" ? below : below + (myrinet ? mx : 0.3);
        };
    };
    EXPECT_TRUE(holds("rashti07.mpi.overhead.order", adding(0.15)));
    EXPECT_FALSE(holds("rashti07.mpi.overhead.order", adding(0.35)));
}

TEST(MpiBest, InfinibandWinsAllThreeBandwidthTests) {
    const auto losing = [](std::string test) {
        return [test](const Selection& s, double) {
            if (s.fabric != "infiniband-memfree") return 900.0;
            return s.experiment == test ? 800.0 : 1000.0;
        };
    };
    EXPECT_TRUE(holds("rashti07.mpi.bandwidth.winner", losing("")));
    for (const char* test :
         {"mpi-bandwidth-uni", "mpi-bandwidth-pingpong", "mpi-bandwidth-bothway"})
        EXPECT_FALSE(holds("rashti07.mpi.bandwidth.winner", losing(test))) << test;
}

TEST(MpiOrder, OfInitialisationIsAtEveryNumberOfProcesses) {
    const Check clan = check("wu02.init.clan");
    ASSERT_THAT(clan.selections, SizeIs(3));
    EXPECT_EQ(word(clan.selections[2].where, "mode"), "static client-server");
    EXPECT_THAT(check("wu02.init.bvia").selections, SizeIs(2));
    const auto init = [](double serialised) {
        return [serialised](const Selection& s, double processes) {
            if (on_demand(s)) return 100.0;
            const bool serial = word(s.where, "mode") == "static client-server";
            return 100 + processes * (serial ? serialised : 50);
        };
    };
    EXPECT_TRUE(holds("wu02.init.clan", init(60)));
    EXPECT_FALSE(holds("wu02.init.clan", init(40)));
    EXPECT_TRUE(holds("wu02.init.bvia", init(0)));
}

TEST(MpiTrends, OfTheGapAndOfIdleVis) {
    EXPECT_TRUE(holds("rashti07.logp.gap.grows", [](const Selection&, double x) { return 2 + x; }));
    EXPECT_FALSE(holds("rashti07.logp.gap.grows", [](const Selection& s, double x) {
        return s.fabric == "mx10g-ethernet" && x > 10000 ? 3 : 2 + x;
    }));
    // VIs are what each way of connecting has counted.
    const Check penalty = check("wu02.vi.bvia_penalty");
    ASSERT_THAT(penalty.selections, SizeIs(4));
    const auto latencies = [&](double few, double many) {
        return [=](const Selection& s, double) {
            if (s.metric == "vis_per_process") return on_demand(s) ? 3.0 : 7.0;
            return on_demand(s) ? few : many;
        };
    };
    EXPECT_TRUE(holds("wu02.vi.bvia_penalty", latencies(440, 515)));
    EXPECT_FALSE(holds("wu02.vi.bvia_penalty", latencies(515, 440)));
    EXPECT_FALSE(holds("wu02.vi.bvia_penalty", latencies(440, 440)));
}

TEST(MpiFormula, IsOneLessThanProcesses) {
    const auto vis = [](double alltoall_more) {
        return [=](const Selection& s, double processes) {
            return processes - 1 + (word(s.where, "application") == "Alltoall" ? alltoall_more : 0);
        };
    };
    EXPECT_TRUE(holds("wu02.vi.static_formula", vis(0), {16, 32}));
    EXPECT_FALSE(holds("wu02.vi.static_formula", vis(1), {16, 32}));
    EXPECT_THAT(check("wu02.vi.static_formula").selections, SizeIs(6));
}

// PR-3: the bandwidth dips where the protocol changes, and not elsewhere.
TEST(MpiDips, AreAtTheSwitch) {
    const auto falling_at = [](double bytes) {
        return [bytes](const Selection&, double x) {
            return x < bytes ? x / 10 : x < 2 * bytes ? x / 40 : x;
        };
    };
    EXPECT_TRUE(holds("rashti07.mpi.switch.ib", falling_at(4608)));
    EXPECT_TRUE(holds("rashti07.mpi.switch.ib", falling_at(8192)));
    EXPECT_FALSE(holds("rashti07.mpi.switch.ib", falling_at(32768)));
    EXPECT_FALSE(holds("rashti07.mpi.switch.ib", [](const Selection&, double x) { return x; }));
    EXPECT_TRUE(holds("liu04pcie.mpi.bandwidth.dip8k", falling_at(8193)));
    EXPECT_FALSE(holds("liu04pcie.mpi.bandwidth.dip8k", falling_at(32768)));
    EXPECT_EQ(number(check("liu04pcie.mpi.bandwidth.dip8k").selections[0].where, "ports"), 2);
}

// PR-7: without a thread for it the receiver drives the rendezvous.
TEST(MpiJumps, AreAtTheSwitch) {
    const auto receiving = [](double jump) {
        return [jump](const Selection& s, double x) {
            return (1 + x / 1000) * (x >= first_rendezvous(s) ? jump : 1);
        };
    };
    EXPECT_TRUE(holds("rashti07.logp.or.jump", receiving(4)));
    EXPECT_FALSE(holds("rashti07.logp.or.jump", receiving(1)));
    EXPECT_FALSE(holds("rashti07.logp.or.jump", [](const Selection&, double x) {
        return (1 + x / 1000) * (x >= 32768 ? 4 : 1);
    }));
    // PR-2: MVICH switches at 5000 bytes; both ways of connecting have the step.
    EXPECT_THAT(check("wu02.bandwidth.clan").selections, SizeIs(2));
    EXPECT_THAT(check("wu02.bandwidth.clan").selections[0].sizes,
                ElementsAre(3000, 4000, 5000, 6000, 7000));
    const auto rate = [](double jump) {
        return [jump](const Selection& s, double x) {
            return x / (50 + x / 100) * (x > 5000 && !on_demand(s) ? jump : x > 5000 ? 1.2 : 1);
        };
    };
    EXPECT_TRUE(holds("wu02.bandwidth.clan", rate(1.2)));
    EXPECT_FALSE(holds("wu02.bandwidth.clan", rate(1)));
}

}  // namespace
}  // namespace railyard::reproduce
