// From records to what is measured for them.

#include "reproduce/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "railyard/base/error.hpp"
#include "reproduce/rows.hpp"
#include "reproduce/wanted.hpp"

namespace railyard::reproduce {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Unchecked unchecked(const std::string& id) {
    return std::get<Unchecked>(check_of(paper(id), papers()));
}

Series line(std::initializer_list<Point> points) {
    return {"", points};
}

TEST(Systems, AreOneFabricEach) {
    EXPECT_EQ(find_system("liu04", "infiniband-pcix/vapi")->fabric, "infiniband-pcix-liu04");
    EXPECT_EQ(find_system("liu04pcie", "infiniband-pcix/vapi")->fabric, "infiniband-pcix");
    EXPECT_EQ(find_system("rashti07", "infiniband-pcie/openfabrics")->fabric, "infiniband-memfree");
    EXPECT_EQ(find_system("liu04", "quadrics/mpi"), nullptr);
    EXPECT_EQ(find_system("rashti07", "infiniband-pcie/mpi")->fabric, "infiniband-memfree");
    EXPECT_EQ(find_system("wu02", "bvia-myrinet/mvich")->fabric, "berkeley-via");
    const Record& record = paper("liu04.hotspot.send.similar");
    EXPECT_THAT(systems_of(record, "all"), SizeIs(3));
    EXPECT_THAT(systems_of(record, "infiniband-pcix/vapi,myrinet2000/gm"), SizeIs(2));
    EXPECT_THAT(systems_of(record, "quadrics/mpi"), IsEmpty());
}

// One word, two meanings: the libraries of the level at which the experiment runs.
TEST(Systems, AllAreThoseOfTheLevel) {
    const auto all = [](const char* id) { return systems_of(paper(id), "all"); };
    for (const System* system : all("rashti07.multiconn.latency.ib"))
        EXPECT_FALSE(is_mpi(system->slug)) << system->slug;
    ASSERT_THAT(all("rashti07.recvq.order"), SizeIs(4));
    for (const System* system : all("rashti07.recvq.order")) {
        EXPECT_TRUE(is_mpi(system->slug)) << system->slug;
        EXPECT_EQ(below(*system).fabric, system->fabric);
        EXPECT_FALSE(is_mpi(below(*system).slug));
    }
    EXPECT_THAT(systems_of(paper("rashti07.recvq.order"), "mx10g/mpi"), SizeIs(2));
    EXPECT_THROW(below(*find_system("wu02", "clan-via/mvich")), Error);
}

TEST(Checks, LeaveOutWhatIsNoResultOfOurs) {
    EXPECT_EQ(unchecked("wu02.table1.sppm.64"), Unchecked::not_measured);
    EXPECT_EQ(unchecked("liu04.bandwidth.uni.bottleneck.vapi"), Unchecked::in_words);
    EXPECT_EQ(unchecked("rashti07.param.iwarp.bus_rate"), Unchecked::not_a_result);
}

// Every relation of the user level that has a form is evaluated, and every value is measured.
TEST(Checks, CoverTheUserLevel) {
    std::size_t values = 0, relations = 0;
    for (const Record& record : papers()) {
        const bool result = record.kind != Kind::parameter && record.kind != Kind::context;
        if (!result || !is_user_level(record.experiment) || is_mpi(record.system)) continue;
        const auto found = check_of(record, papers());
        if (record.kind == Kind::relation && !record.check) continue;
        ASSERT_TRUE(std::holds_alternative<Check>(found)) << record.id;
        EXPECT_THAT(std::get<Check>(found).selections, Not(IsEmpty())) << record.id;
        ++(record.kind == Kind::relation ? relations : values);
    }
    EXPECT_EQ(values, 83U);
    EXPECT_EQ(relations, 50U);
}

// The same of MPI; and ten relations in words have a form that is ours.
TEST(Checks, CoverMpi) {
    std::size_t values = 0, relations = 0, in_words = 0;
    for (const Record& record : papers()) {
        const bool result = record.kind != Kind::parameter && record.kind != Kind::context;
        const bool mpi = is_mpi_level(record.experiment) || is_mpi(record.system);
        if (!result || !mpi || of_other_programs(record)) continue;
        const auto found = check_of(record, papers());
        if (std::holds_alternative<Unchecked>(found)) {
            EXPECT_EQ(std::get<Unchecked>(found), Unchecked::in_words) << record.id;
            EXPECT_FALSE(record.check) << record.id;
            ++in_words;
            continue;
        }
        EXPECT_THAT(std::get<Check>(found).selections, Not(IsEmpty())) << record.id;
        ++(record.kind == Kind::relation ? relations : values);
    }
    EXPECT_EQ(values, 140U);
    EXPECT_EQ(relations, 36U);
    EXPECT_EQ(in_words, 3U);
}

TEST(Checks, MeasureOnlyWhatThereIs) {
    std::set<std::string> fabrics;
    for (const System& system : systems())
        fabrics.insert(std::string(system.fabric));
    for (const Record& record : papers()) {
        const auto found = check_of(record, papers());
        if (const auto* checked = std::get_if<Check>(&found))
            for (const Selection& selection : checked->selections) {
                EXPECT_TRUE(fabrics.contains(selection.fabric)) << record.id;
                EXPECT_TRUE(is_user_level(selection.experiment) ||
                            is_mpi_level(selection.experiment))
                    << record.id << ": " << selection.experiment;
                EXPECT_FALSE(selection.sizes.empty()) << record.id;
            }
    }
}

TEST(Checks, OfAValueTakeItsParameters) {
    const Check bandwidth = check("liu04.bandwidth.uni.peak.gm");
    ASSERT_THAT(bandwidth.selections, SizeIs(1));
    const Selection& one = bandwidth.selections[0];
    EXPECT_EQ(one.fabric, "myrinet2000-gm");
    EXPECT_EQ(one.metric, "bandwidth");
    EXPECT_THAT(one.sizes, ElementsAre(1 << 20));
    EXPECT_EQ(number(one.where, "queue"), 100);
    EXPECT_EQ(word(one.where, "op"), "send_recv");
    EXPECT_EQ(bandwidth.judge(std::vector{line({{1 << 20, 240}})}).ours, 240);

    // A write is what both libraries are told of here, whatever they use elsewhere.
    EXPECT_EQ(word(check("liu04.completion.poll.gm.low").selections[0].where, "op"), "rdma_write");
    // All sizes below the limit; the worst counts.
    const Check small = check("petrini02.latency.upto64.elan3lib");
    EXPECT_THAT(small.selections[0].sizes, ElementsAre(4, 64));
    EXPECT_TRUE(small.judge(std::vector{line({{4, 2.3}, {64, 2.5}})}).right);
    EXPECT_FALSE(small.judge(std::vector{line({{4, 1.9}, {64, 2.4}})}).right);
}

TEST(Checks, OfARatioAreMadeOfTwoMeasurements) {
    const Check factor = check("liu04pcie.bandwidth.uni.ratio");
    ASSERT_THAT(factor.selections, SizeIs(2));
    EXPECT_EQ(factor.selections[0].fabric, "infiniband-pcie");
    EXPECT_EQ(factor.selections[1].fabric, "infiniband-pcix");
    const auto judge = [](const Check& c, double a, double b) {
        return c.judge(std::vector{line({{1, a}}), line({{1, b}})});
    };
    EXPECT_NEAR(*judge(factor, 968, 778).ours, 1.244, 1e-3);
    EXPECT_TRUE(judge(factor, 968, 778).right);
    EXPECT_FALSE(judge(factor, 968, 968).right);

    const Check gain = check("liu04pcie.bandwidth.bi.pcix_gain");
    EXPECT_EQ(gain.selections[1].experiment, "bandwidth-uni-window");
    EXPECT_EQ(gain.selections[1].metric, "bandwidth");
    EXPECT_NEAR(*judge(gain, 946, 778).ours, 21.6, 0.1);

    const Check share = check("rashti07.user.bandwidth.iwarp.share");
    EXPECT_NEAR(*share.judge(std::vector{line({{1, 880}})}).ours, 82.7, 0.1);

    // Lower for each operation by 20 to 30 %.
    const Check reduction = check("liu04pcie.latency.improvement.low");
    ASSERT_THAT(reduction.selections, SizeIs(4));
    const auto all = [&](double write, double send) {
        return reduction.judge(
            std::vector{line({{4, write}}), line({{4, 5.0}}), line({{4, send}}), line({{4, 7.1}})});
    };
    EXPECT_TRUE(all(3.8, 5.2).right);
    EXPECT_FALSE(all(3.8, 6.9).right);
}

TEST(Checks, CompareVariants) {
    const Check ports = check("liu04pcie.bandwidth.uni2p.pcix_below_1p");
    ASSERT_THAT(ports.selections, SizeIs(2));
    EXPECT_EQ(ports.selections[0].experiment, "bandwidth-uni-two-port");
    EXPECT_EQ(ports.selections[1].experiment, "bandwidth-uni-window");
    EXPECT_FALSE(ports.selections[1].where.contains("mode"));

    const Check atomics = check("liu04pcie.latency.atomic");
    ASSERT_THAT(atomics.selections, SizeIs(8));  // two buses, two operations, each beside a read
    EXPECT_EQ(word(atomics.selections[2].where, "op"), "compare_swap");
    EXPECT_EQ(atomics.selections[3].experiment, "latency-rdma-read");

    const Check hotspot = check("liu04.hotspot.send.similar");
    EXPECT_EQ(hotspot.selections[0].over, "slaves");
    EXPECT_EQ(word(hotspot.selections[0].where, "op"), "send_recv");
    EXPECT_EQ(word(hotspot.selections[1].where, "op"), "rdma_write");

    const Check placements = check("petrini02.bandwidth.bi.below_uni");
    EXPECT_THAT(placements.selections, SizeIs(8));
    EXPECT_EQ(placements.selections[0].metric, "bandwidth_per_direction");
    EXPECT_EQ(placements.selections[1].metric, "bandwidth");
}

TEST(Checks, PutGroupsInOrder) {
    const Check groups = check("petrini02.bandwidth.uni.groups");
    ASSERT_THAT(groups.selections, SizeIs(6));  // two placements, two placements, Tports and MPI
    EXPECT_EQ(groups.selections[0].metric, "latency");
    EXPECT_EQ(word(groups.selections[4].where, "op"), "tagged");
    EXPECT_EQ(groups.selections[5].experiment, "mpi-latency");
    EXPECT_EQ(groups.selections[5].sizes, groups.selections[4].sizes);
    std::vector<Series> found;
    for (const double y : {2.0, 2.1, 2.5, 2.6, 4.4, 5.0})
        found.push_back(line({{4, y}, {256, y + 1}, {1024, y + 2}}));
    EXPECT_TRUE(groups.judge(found).right);
    std::swap(found[1], found[2]);
    EXPECT_FALSE(groups.judge(found).right);
}

TEST(Checks, RankTheStrengthsOfTrends) {
    const Check medium = check("liu04.reuse.percent.bandwidth.vapi");
    ASSERT_THAT(medium.selections, SizeIs(2));  // its own, and the strong one
    EXPECT_EQ(medium.selections[1].fabric, "quadrics-liu04");
    const Series strong = line({{0, 100}, {100, 300}});
    EXPECT_TRUE(medium.judge(std::vector{line({{0, 700}, {100, 800}}), strong}).right);
    EXPECT_FALSE(medium.judge(std::vector{line({{0, 100}, {100, 800}}), strong}).right);
    EXPECT_FALSE(medium.judge(std::vector{line({{0, 800}, {100, 800}}), strong}).right);
}

TEST(Checks, FindTheLeastSensitive) {
    const Check least = check("liu04.reuse.percent.overall");
    ASSERT_THAT(least.selections, SizeIs(6));  // latency and bandwidth of three
    const auto loses = [](double share) { return line({{0, 100 * (1 - share)}, {100, 100}}); };
    const auto judge = [&](double gm_latency) {
        // In the papers' order: VAPI, GM, Elan.
        return least.judge(std::vector{loses(0.1), loses(0.2), loses(gm_latency), loses(0.01),
                                       loses(0.5), loses(0.6)});
    };
    EXPECT_TRUE(judge(0.05).right);
    EXPECT_FALSE(judge(0.3).right);
}

TEST(Checks, AreDescribedInAFewWords) {
    EXPECT_EQ(describe(*paper("liu04.reuse.fifo.vapi").check), "knee over buffers after 10");
    EXPECT_EQ(describe(*paper("liu04.reuse.fifo.gm").check), "flat over buffers 1 to 25");
    EXPECT_EQ(describe(*paper("liu04.reuse.percent.latency.elan").check),
              "decreasing, strong over reuse_percent");
    EXPECT_EQ(describe(*paper("liu04.latency.vapi.sr_gt_rdma").check), "send_recv > rdma_write");
    EXPECT_EQ(describe(*paper("liu04.completion.block.order").check),
              "order: myrinet2000/gm < quadrics/elanlib < infiniband-pcix/vapi");
    EXPECT_EQ(describe(*paper("liu04.bandwidth.uni.queue8_peak").check), "peak with queue 8");
    EXPECT_EQ(describe(*paper("rashti07.logp.or.jump").check),
              "jump over message_bytes at rendezvous_switch_bytes");
    EXPECT_EQ(describe(*paper("wu02.vi.static_formula").check),
              "one less than there are processes");
}

}  // namespace
}  // namespace railyard::reproduce
