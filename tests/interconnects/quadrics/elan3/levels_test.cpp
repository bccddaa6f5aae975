// What Elan3lib reaches: petrini02's figures 6, 7 and 8, from the parts and not from a table.

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;

struct Placing {
    Home source = Home::main;
    Home target = Home::main;
};
constexpr Placing main_to_main{Home::main, Home::main};
constexpr Placing main_to_elan{Home::main, Home::sdram};
constexpr Placing elan_to_main{Home::sdram, Home::main};
constexpr Placing elan_to_elan{Home::sdram, Home::sdram};

/// Two processes with a buffer each way, pages bound, ready at the same time.
class Pair {
  public:
    using Body = std::function<void(Process&, Address from, Address to, const Event&)>;

    Pair(std::uint32_t size, Placing placing, const elan::Parameters& parameters = {})
        : size_(size), placing_(placing), cluster(2, parameters) {}
    void run(const Body& body) {
        cluster.run([&](Process& process) {
            const Vpid self = process.self();
            const Address from = process.allocate(placing_.source, size_);
            to_[self] = process.allocate(placing_.target, size_);
            process.store(from, pattern(size_));
            process.store(to_[self], pattern(size_));
            const Event event = process.make_event();
            event_[self] = event.address;
            process.engine().sleep_until(Time::at(20_ms));
            body(process, from, to_[1 - self], event);
            process.engine().sleep_until(Time::at(100_ms));
        });
    }
    Address event_of(Vpid vpid) const { return event_[vpid]; }

  private:
    std::uint32_t size_;
    Placing placing_;
    std::array<Address, 2> to_{};
    std::array<Address, 2> event_{};

  public:
    Cluster cluster;
};

/// Half a round trip, in microseconds.
double ping(std::uint32_t size, Placing placing = main_to_main) {
    Pair pair(std::max(size, 64U), placing);
    double result = 0;
    pair.run([&](Process& process, Address from, Address to, const Event& event) {
        const Vpid peer = 1 - process.self();
        const Notify notify{.source = elan::null_address, .destination = pair.event_of(peer)};
        Time start;
        for (int i = 0; i < 12; ++i) {
            if (i == 2) start = process.now();
            if (process.self() == 0) process.put(peer, from, to, size, notify);
            EXPECT_TRUE(process.wait(event).ok());
            if (process.self() == 1) process.put(peer, from, to, size, notify);
            process.prime(event);
        }
        if (process.self() == 0) result = (process.now() - start).microseconds() / 20;
    });
    return result;
}

/// In MB/s, one way or each way.
double rate(Placing placing, bool both_ways, const elan::Parameters& parameters = {}) {
    constexpr std::uint32_t size = 1 << 20;
    Pair pair(size, placing, parameters);
    double result = 0;
    pair.run([&](Process& process, Address from, Address to, const Event& event) {
        if (process.self() == 1 && !both_ways) return;
        const Time start = process.now();
        process.put(1 - process.self(), from, to, size, {.source = event.address});
        EXPECT_TRUE(process.wait(event).ok());
        result = size / (process.now() - start).microseconds();
    });
    return result;
}

void expect_near(double value, double expected, double percent) {
    EXPECT_NEAR(value, expected, expected * percent / 100);
}

// petrini02.latency.0.elan3lib, petrini02.latency.upto64.elan3lib
TEST(Elan3Levels, LatencyIsThePapers) {
    expect_near(ping(0), 1.9, 2);
    expect_near(ping(1), 2.4, 2);
    EXPECT_EQ(ping(1), ping(64));
}

// petrini02.bandwidth.uni.*; HB-6: over PCI, to read is not to write.
TEST(Elan3Levels, BandwidthOneWayIsThePapers) {
    const double read = rate(main_to_elan, false);
    const double write = rate(elan_to_main, false);
    expect_near(rate(elan_to_elan, false), 335, 1);
    expect_near(read, 321, 1);
    expect_near(write, 317, 1);
    EXPECT_GT(read, write);
    const double both = rate(main_to_main, false);
    EXPECT_GE(both, 307);
    EXPECT_LE(both, 335);
}

// petrini02.bandwidth.uni.groups: a source in Elan memory spares the crossing of the bus there.
TEST(Elan3Levels, ASourceInElanMemoryIsFaster) {
    for (const std::uint32_t size : {1U, 64U, 128U, 256U, 512U})
        EXPECT_LT(ping(size, elan_to_main), ping(size, main_to_main)) << size;
}

// petrini02.bandwidth.bi.*: the internal bus, Elan memory and PCI bound them in turn.
TEST(Elan3Levels, BandwidthBothWaysIsThePapers) {
    const double best = rate(main_to_elan, true);
    expect_near(best, 280, 2);
    expect_near(rate(main_to_main, true), 160, 2);
    EXPECT_LT(rate(elan_to_elan, true), best * 0.95);
    EXPECT_LE(rate(elan_to_main, true), best);
}

// petrini02.bandwidth.bi.below_uni
TEST(Elan3Levels, BothWaysIsSlowerThanOneWay) {
    for (const Placing placing : {main_to_main, main_to_elan, elan_to_main, elan_to_elan})
        EXPECT_LT(rate(placing, true), rate(placing, false));
}

// The same at flit level: the circuits are the same ones.
TEST(Elan3Levels, FlitsAgree) {
    elan::Parameters flits;
    flits.network.detail = elite::Detail::flits;
    expect_near(rate(elan_to_elan, false, flits), rate(elan_to_elan, false), 2);
    expect_near(rate(main_to_main, false, flits), rate(main_to_main, false), 1);
}

/// What all accessors of one place reach together, in MB/s.
double hot_spot(std::uint32_t accessors, bool reading) {
    constexpr std::uint32_t size = 1 << 17;
    Cluster cluster(accessors + 1);
    Address place = 0;
    Time begin = Time::at(20_ms);
    Time end;
    cluster.run([&](Process& process) {
        const Address mine = process.allocate(Home::main, size);
        process.store(mine, pattern(size));
        const Event event = process.make_event();
        if (process.self() == 0) place = mine;
        process.engine().sleep_until(begin);
        if (process.self() != 0) {
            if (reading)
                process.get(0, place, mine, size,
                            {.source = elan::null_address, .destination = event.address});
            else
                process.put(0, mine, place, size, {.source = event.address});
            EXPECT_TRUE(process.wait(event).ok());
            end = std::max(end, process.now());
        }
        process.engine().sleep_until(Time::at(60_ms));
    });
    return accessors * double{size} / (end - begin).microseconds();
}

// petrini02.hotspot.*: 314 and 307 MB/s, however many there are.
TEST(Elan3Levels, AHotSpotIsFlat) {
    for (const std::uint32_t accessors : {1U, 2U, 4U, 8U, 15U}) {
        expect_near(hot_spot(accessors, true), 314, 4);
        expect_near(hot_spot(accessors, false), 307, 4);
    }
}

/// The time of a message, in microseconds: half a round trip, or a round in which both send at
/// once. Each round has an event of its own, made before the clock starts: to prime one takes the
/// processor time that is no message's.
double message_time(std::uint32_t size, Placing placing, bool both_ways) {
    constexpr int warm = 2;
    constexpr int rounds = 10;
    Pair pair(std::max(size, 64U), placing);
    std::array<std::array<Event, warm + rounds>, 2> events;
    double result = 0;
    pair.run([&](Process& process, Address from, Address to, const Event&) {
        const Vpid self = process.self();
        for (Event& event : events[self])
            event = process.make_event();
        process.engine().sleep_until(Time::at(21_ms));
        const auto send = [&](int round) {
            const Address there = events[1 - self][static_cast<std::size_t>(round)].address;
            process.put(1 - self, from, to, size,
                        {.source = elan::null_address, .destination = there});
        };
        Time start;
        for (int i = 0; i < warm + rounds; ++i) {
            if (i == warm) start = process.now();
            if (both_ways || self == 0) send(i);
            EXPECT_TRUE(process.wait(events[self][static_cast<std::size_t>(i)]).ok());
            if (!both_ways && self == 1) send(i);
        }
        const double messages = both_ways ? rounds : 2 * rounds;
        if (self == 0) result = (process.now() - start).microseconds() / messages;
    });
    return result;
}

// petrini02.latency.bi: the paper has both ways slower. Here small messages meet nowhere in the
// machine, and are as fast as alone.
TEST(Elan3Levels, SmallMessagesThatCrossDoNotMeet) {
    for (const std::uint32_t size : {0U, 4U, 64U, 256U})
        for (const Placing placing : {main_to_main, main_to_elan, elan_to_main, elan_to_elan})
            expect_near(message_time(size, placing, true), message_time(size, placing, false), 1);
}

// Larger ones do, on the bus: what one node reads and what it writes take turns there.
TEST(Elan3Levels, LargeMessagesThatCrossMeetOnTheBus) {
    const auto slower = [](std::uint32_t size, Placing placing) {
        return message_time(size, placing, true) / message_time(size, placing, false);
    };
    EXPECT_GT(slower(1024, main_to_main), 1.1);
    EXPECT_GT(slower(4096, main_to_main), 1.5);
    EXPECT_LT(slower(4096, main_to_elan), 1.1) << "only read over it";
    EXPECT_LT(slower(4096, elan_to_main), 1.1) << "only written over it";
}

}  // namespace
}  // namespace railyard::elan3
