// victim-flow: what many who send to one do to a bystander. One flow beside the victim's takes half
// of their link, whatever the network. Further ones, on links of their own, matter only where
// packets that wait for the one receiver hold up what is behind them.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

struct Got {
    double bandwidth = 0;  ///< MB/s
    double latency = 0;    ///< us
};

/// By the number of senders.
std::map<std::int64_t, Got> victim_beside(const char* fabric) {
    std::map<std::int64_t, Got> got;
    for (const results::Row& row : measure("victim-flow", fabric, {})) {
        Got& one = got[integer(row, results::parameter::senders)];
        (row.metric == results::metric::bandwidth ? one.bandwidth : one.latency) = row.value;
    }
    EXPECT_EQ(got.size(), 7U);
    return got;
}

// With credits, the link stands still whenever the receiver's does not take the packet in front:
// all who send to it get their share of its link, and the victim no more than one of them.
TEST(VictimFlow, FallsWithEverySenderWhereSwitchesHoldSoMuchOnly) {
    for (const char* fabric : {"infiniband-pcie", "myrinet2000-gm", "quadrics"}) {
        SCOPED_TRACE(fabric);
        auto got = victim_beside(fabric);
        for (const int senders : {1, 2, 3, 6}) {
            EXPECT_NEAR(got[senders].bandwidth, got[0].bandwidth / (senders + 1),
                        0.06 * got[0].bandwidth);
            EXPECT_GT(got[senders].latency, 0.9 * senders * got[1].latency);
        }
    }
}

// Two who send to one bring more than its bus takes. The adapter holds so much, and then its link
// stands still: what waits for the bus waits before the victim's.
TEST(VictimFlow, SuffersFromASlowBusAtTheEndOfTheOthers) {
    auto got = victim_beside("infiniband-pcix");
    for (const int senders : {2, 3, 6})
        EXPECT_GT(got[senders].latency, 0.6 * senders * got[1].latency);
}

TEST(VictimFlow, DoesNotMindFurtherSendersWhereSwitchesTakeAll) {
    for (const char* fabric : {"ideal", "mx10g-ethernet"}) {
        SCOPED_TRACE(fabric);
        auto got = victim_beside(fabric);
        EXPECT_LT(got[1].bandwidth, 0.6 * got[0].bandwidth) << "they share the way out";
        for (const int senders : {2, 3, 6}) {
            EXPECT_GT(got[senders].bandwidth, 0.99 * got[1].bandwidth);
            EXPECT_LT(got[senders].latency, 1.01 * got[1].latency);
        }
    }
}

}  // namespace
}  // namespace railyard::experiments
