// What bounds a rate, and what a bus adds to a latency: statements of docs/mechanisms.md on the
// models of liu04pcie's and rashti07's adapters. The limits are the papers'.

#include <gtest/gtest.h>

#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

constexpr const char* behind_pcie = "infiniband-pcie";
constexpr const char* behind_pcix = "infiniband-pcix";
constexpr const char* iwarp_card = "neteffect-iwarp";

/// MB/s of messages of 1 MiB.
double rate_of(const char* experiment, const char* fabric) {
    return measure(experiment, fabric, {.sizes = {Bytes(1 << 20)}, .ops = {fabric::Op::rdma_write}})
        .front()
        .value;
}
double one_way_rate(const char* fabric) {
    return rate_of("bandwidth-uni-window", fabric);
}
double both_ways_rate(const char* fabric) {
    return rate_of("bandwidth-bi-window", fabric);
}

// IB-9, MP-8: 8 of a 4X link's 10 Gbit/s are payload, each way, and that is a port's ceiling.
// Nothing else bounds one port behind PCI Express, so headers are all that is missing.
TEST(Links, CarryEightOfTenGigabits) {
    constexpr double payload = 1000;
    EXPECT_LE(one_way_rate(behind_pcie), payload);
    EXPECT_GT(one_way_rate(behind_pcie), 0.95 * payload);
    EXPECT_LE(both_ways_rate(behind_pcie), 2 * payload);
    EXPECT_GT(both_ways_rate(behind_pcie), 0.95 * 2 * payload);
}

/// The last row of two processes: each has a port of its own.
double bound_rate(const char* experiment, const char* fabric) {
    const auto rows = measure(experiment, fabric, {.sizes = {Bytes(256 << 10)}});
    EXPECT_EQ(text(rows.back(), results::parameter::mode), "binding");
    return rows.back().value;
}

// MP-8: with two ports it is the bus. PCI-X has about 1 GB/s for both ways together, PCI Express x8
// 2 GB/s each way.
TEST(Buses, AreTheCeilingOfTwoPorts) {
    const double one_port = one_way_rate(behind_pcie);
    const double one_way = bound_rate("bandwidth-uni-two-process", behind_pcie);
    const double both_ways = bound_rate("bandwidth-bi-two-process", behind_pcie);
    const double shared = bound_rate("bandwidth-bi-two-process", behind_pcix);
    EXPECT_GT(one_way, 1.4 * one_port);
    EXPECT_LE(one_way, 2000);
    EXPECT_GT(both_ways, 2000) << "each way has its own";
    EXPECT_LE(both_ways, 4000);
    EXPECT_LE(shared, 1064);
    EXPECT_GT(shared, 850);
    EXPECT_LT(bound_rate("bandwidth-uni-two-process", behind_pcix), one_port);
}

// HB-5: the slowest part decides. One way it is the link behind PCI Express, and the bus behind
// PCI-X. The other way doubles the links and PCI Express, and gives the bus of PCI-X little more.
TEST(Buses, DecideWhereTheyAreSlowerThanLinks) {
    EXPECT_LT(one_way_rate(behind_pcix), 0.9 * one_way_rate(behind_pcie));
    EXPECT_GT(both_ways_rate(behind_pcie), 1.9 * one_way_rate(behind_pcie));
    EXPECT_GT(both_ways_rate(behind_pcix), 1.1 * one_way_rate(behind_pcix));
    EXPECT_LT(both_ways_rate(behind_pcix), 1.3 * one_way_rate(behind_pcix));
}

// HB-3: the same adapter, and one bridge more.
TEST(Buses, ABridgeMoreCostsSmallMessagesAFifthToAThird) {
    for (const fabric::Op op : {fabric::Op::send, fabric::Op::rdma_write}) {
        const Wishes wishes{.sizes = {Bytes(4)}, .ops = {op}};
        const double without = measure("latency-uni", behind_pcie, wishes).front().value;
        const double with = measure("latency-uni", behind_pcix, wishes).front().value;
        EXPECT_GE(1 - without / with, 0.2) << fabric::name(op);
        EXPECT_LE(1 - without / with, 0.3) << fabric::name(op);
    }
}

// IW-6: the card's inner bus has 1064 MB/s at most for both ways together, though its link and its
// slot have more than that each way.
TEST(Buses, InsideACardAreSharedByBothWays) {
    EXPECT_LE(both_ways_rate(iwarp_card), 1064);
    EXPECT_LT(both_ways_rate(iwarp_card), 1.2 * one_way_rate(iwarp_card));
}

}  // namespace
}  // namespace railyard::experiments
