// From records of MPI libraries to rows: experiments, metrics, sizes and parameters.

#include "reproduce/wanted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "railyard/base/error.hpp"
#include "reproduce/check.hpp"
#include "reproduce/rows.hpp"

namespace railyard::reproduce {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Le;
using ::testing::SizeIs;

Selection only(const std::string& id) {
    const Check found = check(id);
    EXPECT_THAT(found.selections, SizeIs(1)) << id;
    return found.selections.front();
}

Judgement judged(const std::string& id, const std::vector<Points>& points) {
    std::vector<Series> series;
    for (const Points& one : points)
        series.push_back({"", one});
    return check(id).judge(series);
}

TEST(MpiValues, TakeTheirParameters) {
    const Selection one = only("wu02.allreduce.1024.static.bvia");
    EXPECT_EQ(one.experiment, "allreduce-latency");
    EXPECT_EQ(one.fabric, "berkeley-via");
    EXPECT_EQ(one.metric, "latency");
    EXPECT_THAT(one.sizes, ElementsAre(1024));
    EXPECT_EQ(word(one.where, "collective"), "allreduce");
    EXPECT_EQ(word(one.where, "mode"), "static");
    EXPECT_EQ(number(one.where, "processes"), 8);
    EXPECT_EQ(word(one.where, "mpi"), "paper");
    EXPECT_FALSE(one.where.contains("op"));

    const Selection vis = only("wu02.table2.ring.32.ondemand.vis");
    EXPECT_EQ(vis.fabric, "clan-via");
    EXPECT_EQ(word(vis.where, "application"), "Ring");
    EXPECT_EQ(only("rashti07.logp.gap.1.ib").sizes, std::vector<std::int64_t>{1});
    EXPECT_EQ(only("rashti07.logp.os.short.ib").sizes, std::vector<std::int64_t>{1});
}

// The paper lists its MPI beside the libraries below it.
TEST(MpiValues, OfQuadricsAreOfOurExperiments) {
    EXPECT_EQ(only("petrini02.latency.small.mpi").experiment, "mpi-latency");
    EXPECT_EQ(only("petrini02.bandwidth.uni.mpi").experiment, "mpi-bandwidth-uni");
    const Selection both = only("petrini02.bandwidth.bi.main_main.mpi");
    EXPECT_EQ(both.experiment, "mpi-bandwidth-bothway");
    EXPECT_EQ(both.metric, "bandwidth_aggregate");
    EXPECT_EQ(judged("petrini02.bandwidth.bi.main_main.mpi", {{{1 << 20, 320}}}).ours, 160);
}

TEST(MpiValues, OfMyrinetAreOfBothSwitches) {
    const Check gap = check("rashti07.logp.gap.1.myri");
    ASSERT_THAT(gap.selections, SizeIs(2));
    EXPECT_EQ(gap.selections[0].fabric, "mx10g-myrinet");
    EXPECT_EQ(gap.selections[1].fabric, "mx10g-ethernet");
    EXPECT_TRUE(judged("rashti07.logp.gap.1.myri", {{{1, 2}}, {{1, 2.05}}}).right);
    EXPECT_FALSE(judged("rashti07.logp.gap.1.myri", {{{1, 2}}, {{1, 2.3}}}).right);
}

TEST(MpiValues, HaveBaselinesWithPorts) {
    const Check over_pcix = check("liu04pcie.mpi.bandwidth.uni.gain_over_pcix");
    ASSERT_THAT(over_pcix.selections, SizeIs(2));
    EXPECT_EQ(number(over_pcix.selections[0].where, "ports"), 2);
    EXPECT_EQ(over_pcix.selections[1].fabric, "infiniband-pcix");
    EXPECT_EQ(number(over_pcix.selections[1].where, "ports"), 1);
    const auto gain =
        judged("liu04pcie.mpi.bandwidth.uni.gain_over_pcix", {{{1 << 20, 1497}}, {{1 << 20, 830}}});
    EXPECT_NEAR(*gain.ours, 80.4, 0.1);
    EXPECT_TRUE(gain.right);
    EXPECT_FALSE(
        judged("liu04pcie.mpi.bandwidth.uni.gain_over_pcix", {{{1 << 20, 1497}}, {{1 << 20, 760}}})
            .right);
    // One port, where the baseline does not say.
    EXPECT_EQ(number(check("liu04pcie.mpi.bandwidth.bi.ratio").selections[1].where, "ports"), 1);
}

TEST(MpiValues, OfReuseAreFactorsAndChanges) {
    const Check small = check("rashti07.reuse.small");
    ASSERT_THAT(small.selections, SizeIs(4));
    EXPECT_THAT(small.selections[0].sizes, ElementsAre(4, 64, 256));
    EXPECT_EQ(small.selections[0].metric, "latency_ratio_noreuse_to_reuse");
    EXPECT_EQ(word(small.selections[0].where, "registration_cache"), "yes");
    const Points fine{{4, 1.01}, {64, 1.02}, {256, 1.09}};
    const Points worse{{4, 1.01}, {64, 1.02}, {256, 1.11}};
    EXPECT_TRUE(judged("rashti07.reuse.small", {fine, fine, fine, fine}).right);
    const auto off = judged("rashti07.reuse.small", {fine, worse, fine, fine});
    EXPECT_FALSE(off.right);
    EXPECT_NEAR(*off.ours, 11, 1e-9);

    // Every size that the protocol sends, the worst of them counts.
    EXPECT_THAT(only("rashti07.reuse.eager.ib").sizes, ElementsAre(4, 64, 256, 1024, 4096));
    EXPECT_THAT(only("rashti07.reuse.eager.iwarp").sizes, Each(Le(65536)));
    EXPECT_TRUE(judged("rashti07.reuse.eager.ib", {{{4, 1}, {4096, 1.54}}}).right);
    EXPECT_FALSE(judged("rashti07.reuse.eager.ib", {{{4, 1.56}, {4096, 1}}}).right);

    const Check uncached = check("rashti07.reuse.nocache.myri");
    EXPECT_EQ(word(uncached.selections[0].where, "registration_cache"), "no");
    EXPECT_EQ(uncached.selections[0].sizes.back(), 1 << 20);
}

TEST(MpiValues, OfQueuesAreQuotientsOfWhatTheFigureShows) {
    const Check twice = check("rashti07.recvq.ib_vs_iwarp");
    ASSERT_THAT(twice.selections, SizeIs(2));
    EXPECT_EQ(twice.selections[0].fabric, "infiniband-memfree");
    EXPECT_EQ(twice.selections[1].fabric, "neteffect-iwarp");
    EXPECT_EQ(number(twice.selections[0].where, "queue"), 1000);
    EXPECT_TRUE(judged("rashti07.recvq.ib_vs_iwarp", {{{4, 5.1}}, {{4, 2.5}}}).right);
    EXPECT_FALSE(judged("rashti07.recvq.ib_vs_iwarp", {{{4, 4.9}}, {{4, 2.5}}}).right);
    // The largest of all sizes.
    EXPECT_GT(only("rashti07.recvq.iwarp.max").sizes.size(), 3U);
}

// wu02's fig. 3: the average over kernels and classes, whichever way each one goes.
TEST(MpiValues, ChangesOfKernelsAreAveraged) {
    const Check change = check("wu02.npb.clan.change");
    ASSERT_THAT(change.selections, SizeIs(5 * 3 * 2));
    EXPECT_EQ(word(change.selections[0].where, "class"), "A");
    EXPECT_EQ(word(change.selections[4].where, "class"), "C");
    EXPECT_EQ(word(change.selections[0].where, "application"), "MG");
    EXPECT_EQ(word(change.selections[0].where, "mode"), "on-demand");
    EXPECT_EQ(word(change.selections[1].where, "mode"), "static");
    EXPECT_EQ(change.selections[0].metric, "cpu_time");
    EXPECT_EQ(change.selections[0].over, "processes");
    const Points one{{16, 100}};
    std::vector<Points> series(5 * 3 * 2, one);
    series[0] = {{16, 115}};
    series[2] = {{16, 88}};
    const auto fine = judged("wu02.npb.clan.change", series);
    EXPECT_TRUE(fine.right);
    EXPECT_NEAR(*fine.ours, 1.8, 1e-9);
    series[4] = {{16, 94}};
    EXPECT_FALSE(judged("wu02.npb.clan.change", series).right);
}

TEST(MpiValues, SharesAreRightAsPrinted) {
    EXPECT_TRUE(judged("wu02.table2.ring.32.static.util", {{{4, 2.0 / 31}}}).right);
    EXPECT_FALSE(judged("wu02.table2.ring.32.static.util", {{{4, 3.0 / 31}}}).right);
    EXPECT_FALSE(judged("wu02.table2.ring.32.ondemand.util", {{{4, 0.9}}}).right);
}

// PR-2: what the papers say of where protocols switch, exactly or not.
TEST(Switches, AreWhereThePaperSays) {
    const auto of = [](const char* slug) {
        return protocol_switch(*find_system("rashti07", slug));
    };
    const Switch ib = of("infiniband-pcie/mpi");
    EXPECT_TRUE(ib.between(4096, 8192));
    EXPECT_FALSE(ib.between(2048, 4096));
    EXPECT_FALSE(ib.between(8192, 16384));
    const Switch iwarp = of("iwarp-netEffect/mpi");  // "at": that size may be either
    EXPECT_TRUE(iwarp.between(65536, 131072));
    EXPECT_TRUE(iwarp.between(131072, 262144));
    EXPECT_FALSE(iwarp.between(262144, 524288));
    const Switch myrinet = of("mx10g-ethernet/mpi");  // "after"
    EXPECT_TRUE(myrinet.between(32768, 65536));
    EXPECT_FALSE(myrinet.between(16384, 32768));
    EXPECT_FALSE(myrinet.between(65536, 131072));
    EXPECT_THROW(protocol_switch(*find_system("petrini02", "quadrics/mpi")), Error);
}

TEST(Variants, OfMpiAreModesPortsAndExperiments) {
    const Selection base = only("rashti07.mpi.bandwidth.pingpong.ib");
    EXPECT_EQ(mpi_variant(base, "mpi-bandwidth-bothway").metric, "bandwidth_aggregate");
    EXPECT_EQ(number(mpi_variant(base, "ports=2").where, "ports"), 2);
    EXPECT_EQ(word(mpi_variant(base, "static peer-to-peer").where, "mode"), "static peer-to-peer");
    EXPECT_THROW(mpi_variant(base, "hourglass"), Error);
}

}  // namespace
}  // namespace railyard::reproduce
