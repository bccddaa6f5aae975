// The small parts, each on its own.

#include <gtest/gtest.h>

#include <set>

#include "interconnects/virtual/model/adapter.hpp"
#include "interconnects/virtual/model/topology.hpp"
#include "railyard/base/error.hpp"

namespace railyard::model {
namespace {

using namespace literals;

TEST(Cache, ASetThatFitsNeverMissesAgainAndOneMoreInACircleAlwaysDoes) {  // EL-2
    Cache cache(16);
    for (std::uint64_t key = 0; key < 16; ++key)
        EXPECT_TRUE(cache.misses(key));
    for (int round = 0; round < 3; ++round)
        for (std::uint64_t key = 0; key < 16; ++key)
            EXPECT_FALSE(cache.misses(key));
    for (int round = 0; round < 3; ++round)
        for (std::uint64_t key = 100; key < 117; ++key)
            EXPECT_TRUE(cache.misses(key));
}

TEST(Cache, TheLeastRecentlyUsedGoesFirst) {
    Cache cache(2);
    cache.misses(1);
    cache.misses(2);
    cache.misses(1);
    EXPECT_TRUE(cache.misses(3));
    EXPECT_FALSE(cache.misses(1));
    EXPECT_TRUE(cache.misses(2));
    cache.forget(1);
    EXPECT_FALSE(cache.misses(2));
    EXPECT_TRUE(cache.misses(1));
}

TEST(Cache, WithoutASizeItHoldsEverything) {
    Cache cache(0);
    EXPECT_FALSE(cache.misses(1));
    EXPECT_FALSE(cache.misses(2));
}

TEST(Processor, DoesOneThingAfterTheOther) {
    sim::Engine engine;
    Processor processor(engine, 0, "node 0", "engine");
    EXPECT_EQ(processor.run_from(Time(), 3_us, 1_us, "send", 0), Time::at(3_us));
    EXPECT_EQ(processor.run_from(Time(), 2_us, 0_us, "send", 1), Time::at(6_us));
    EXPECT_EQ(processor.run_from(Time::at(9_us), 2_us, 0_us, "send", 2), Time::at(11_us));
}

TEST(Processor, ChoresWaitUntilNothingElseIsLeftAndThoseOfAPeerGoTogether) {
    sim::Engine engine;
    Processor processor(engine, 0, "node 0", "engine");
    std::vector<std::pair<int, Time>> done;
    const auto note = [&](int what) {
        return [&, what] { done.emplace_back(what, engine.now()); };
    };
    engine.schedule(Time(), [&] {
        processor.run_from(engine.now(), 4_us, 0_us, "send", 0);
        processor.acknowledge(engine.now(), 1, 10_us, note(1), Processor::Hearing::event);
        processor.acknowledge(engine.now(), 2, 10_us, note(2), Processor::Hearing::event);
        processor.acknowledge(engine.now(), 1, 10_us, note(3), Processor::Hearing::event);
    });
    engine.schedule(Time::at(2_us),
                    [&] { processor.run_from(engine.now(), 4_us, 0_us, "send", 1); });
    // Not pre-empted once begun.
    engine.schedule(Time::at(9_us), [&] {
        EXPECT_EQ(processor.run_from(engine.now(), 1_us, 0_us, "send", 2), Time::at(19_us));
    });
    engine.run();
    const std::vector<std::pair<int, Time>> expected = {
        {1, Time::at(18_us)}, {3, Time::at(18_us)}, {2, Time::at(29_us)}};
    EXPECT_EQ(done, expected);
}

// Used by others every 10 us for 3 us, from the beginning.
TEST(Fifo, OthersTakeTheirTurnsHoweverLongNobodyLooks) {
    Fifo bus;
    bus.share(10_us, 3_us);
    bus.merge(Time(), true);
    EXPECT_EQ(bus.free_at, Time()) << "a turn of that very moment comes after";
    bus.merge(Time::at(1_us), true);
    EXPECT_EQ(bus.free_at, Time::at(3_us));
    bus.free_at = Time::at(34_us);  // while we use it, three turns come
    bus.merge(Time::at(34_us), true);
    EXPECT_EQ(bus.free_at, Time::at(43_us));
    const Fifo::State before = bus.state();
    bus.merge(Time::at(Duration::s(1)) + 1_ns, false);
    EXPECT_EQ(bus.free_at, Time::at(Duration::s(1)) + 3_us);
    bus.restore(before);
    bus.merge(Time::at(44_us), true);
    EXPECT_EQ(bus.free_at, Time::at(46_us));
    bus.merge(Time::at(44_us), true);
    EXPECT_EQ(bus.free_at, Time::at(46_us)) << "each once";
}

class FatTree : public ::testing::Test {
  protected:
    FatTree() {
        parameters.name = "tree";
        parameters.link.rate = Rate::bytes_per_second(400e6);
        parameters.link.packet = 320_B;
        parameters.network = {.topology = hardware::Topology::fat_tree,
                              .latency = 300_ns,
                              .hop = 35_ns,
                              .dimension = 3};
    }
    std::vector<Fifo*> way(fabric::NodeId from, fabric::NodeId to) {
        Way way;
        way.path.packet = parameters.link.packet;
        switches.add_way(way, {from, 0}, {to, 0});
        return way.parts;
    }
    sim::Engine engine;
    hardware::Parameters parameters;
    Switches switches{engine, parameters};
};

TEST_F(FatTree, NodesOfLevelLAreTwiceLLessOneSwitchesApart) {  // FT-3
    EXPECT_EQ(way(0, 1).size(), 2U);                           // links: one more than switches
    EXPECT_EQ(way(0, 5).size(), 4U);
    EXPECT_EQ(way(0, 63).size(), 6U);
    EXPECT_EQ(switches.latency(0, 1), 300_ns);
    EXPECT_EQ(switches.latency(0, 5), 300_ns + 2 * 35_ns);
    EXPECT_EQ(switches.latency(0, 63), 300_ns + 4 * 35_ns);
}

TEST_F(FatTree, APermutationCanBeRoutedWithoutTwoWaysMeeting) {  // FT-5
    for (const unsigned shift : {1U, 4U, 16U, 21U, 32U}) {
        std::set<Fifo*> used;
        std::size_t links = 0;
        for (fabric::NodeId node = 0; node < 64; ++node)
            for (Fifo* const part : way(node, (node + shift) % 64)) {
                used.insert(part);
                ++links;
            }
        EXPECT_EQ(used.size(), links) << "shift " << shift;
    }
}

// A larger machine of the same kind: one level more, and the ways of the nodes before are the same.
TEST_F(FatTree, GrowsForNodesBeyondItsDimension) {
    const std::size_t within = way(0, 63).size();
    EXPECT_EQ(way(0, 64).size(), within + 2);
    EXPECT_EQ(way(0, 255).size(), within + 2);
    EXPECT_EQ(way(64, 127).size(), within);
}

TEST(PageTable, ChargesThePacketThatTouchesThePageFirst) {
    PageTable pages({.entries = 8, .page = 4_KiB, .miss = 1_us, .first_use = 10_us});
    const virtual_time::Extent extent{1, 2_KiB, 8_KiB, fabric::Home::host};
    std::vector<Duration> extra;
    pages.use(0, {&extent, 1}, 1_KiB, extra);
    ASSERT_EQ(extra.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(extra[i], i == 0 || i == 2 || i == 6 ? 11_us : 0_us) << i;
    extra.clear();
    pages.use(0, {&extent, 1}, 1_KiB, extra);
    EXPECT_TRUE(extra.empty());
    // Another Nic's region of the same number is another region.
    pages.use(1, {&extent, 1}, 1_KiB, extra);
    EXPECT_FALSE(extra.empty());
    extra.clear();
    const virtual_time::Extent inside{1, 2_KiB, 8_KiB, fabric::Home::adapter};
    pages.use(2, {&inside, 1}, 1_KiB, extra);
    EXPECT_TRUE(extra.empty()) << "the adapter's own memory needs no translation";
}

}  // namespace
}  // namespace railyard::model
