#include "interconnects/virtual/model/lane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "base/rate.hpp"

namespace railyard::model {
namespace {

using namespace literals;

constexpr Rate mb_per_s(double n) {
    return Rate::bytes_per_second(n * 1e6);
}

struct Item final : Message {
    void retired() override { gone = true; }
    bool gone = false;
};

/// When each message's first packet came to the target, and when it was in memory.
struct Moments {
    Time first;
    Time done;
    friend bool operator==(const Moments&, const Moments&) = default;
};

/// Nodes with a half-duplex bus and one link each way, joined by a switch: lane i leaves node i.
class Yard {
  public:
    /// What is foreseen, from nothing at all: every packet is an event at every part.
    enum class Foreseen { nothing, links, all };

    Yard(std::size_t nodes, bool look_ahead, unsigned buffer = 4)
        : Yard(nodes, look_ahead ? Foreseen::all : Foreseen::nothing, buffer, true) {}
    /// `acknowledged`: what arrives loads the link out of where it does.
    Yard(std::size_t nodes, Foreseen foreseen, unsigned buffer, bool acknowledged)
        : acknowledged_(acknowledged),
          admits_(nodes),
          bus_(nodes),
          out_(nodes),
          in_(nodes),
          deliveries_(nodes * nodes) {
        for (std::size_t i = 0; i < nodes; ++i) {
            lanes_.push_back(
                std::make_unique<Lane>(engine_, static_cast<fabric::NodeId>(i), buffer));
            if (foreseen == Foreseen::links) lanes_.back()->never_look_ahead();
            if (foreseen == Foreseen::nothing) lanes_.back()->foresee_nothing();
        }
        for (std::size_t from = 0; from < nodes; ++from)
            for (std::size_t to = 0; to < nodes; ++to)
                for (const bool reads : {false, true})
                    routes_.push_back(make_route(from, to, reads));
    }

    /// The switch holds so much of each link, of which it takes some packets to cover the way of
    /// credit and back. Before anything is sent.
    void limit(Bytes buffer) {
        for (Fifo& link : out_)
            link.buffer = std::make_unique<InputBuffer>(engine_, buffer, 300_ns);
        for (const auto& path : paths_) {
            path->credits = static_cast<std::uint32_t>(buffer.count() / 1054);
            path->link_is_foreseen = false;
        }
    }

    /// Other devices are on all buses.
    void share(Duration period, Duration time) {
        for (Fifo& bus : bus_)
            bus.share(period, time);
    }

    /// Leaves at that time; it is admitted `patience` after the first packet is there.
    void send(Time at, std::size_t from, std::size_t to, Bytes size, Duration patience,
              std::vector<Duration> extra = {}) {
        const std::size_t number = items_.size();
        items_.push_back(std::make_unique<Item>());
        moments_.emplace_back();
        Item* const item = items_.back().get();
        item->route = routes_[(from * lanes_.size() + to) * 2 + (size > 0_B ? 1 : 0)].get();
        item->size = size;
        item->read_extra = std::move(extra);
        Lane* const lane = lanes_[from].get();
        item->first = [this, item, lane, to, number, patience] {
            moments_[number].first = engine_.now();
            admits_[to] = std::max(admits_[to], engine_.now() + patience);
            engine_.schedule(admits_[to], [lane, item] { lane->admit(item); });
        };
        item->done = [this, number] { moments_[number].done = engine_.now(); };
        const sim::Engine::As sender(engine_, static_cast<fabric::NodeId>(from));
        engine_.schedule(at, [lane, item] { lane->submit(item); });
    }

    std::vector<Moments> run() {
        engine_.run();
        for (const auto& item : items_)
            EXPECT_TRUE(item->gone);
        for (const auto& fifo : {&bus_, &out_, &in_})
            for (const Fifo& part : *fifo)
                EXPECT_EQ(part.users + part.loaders, 0U);
        return moments_;
    }
    std::uint64_t events() const { return engine_.events_run(); }
    /// For how many picoseconds each part was busy: buses, links out, links in.
    std::vector<std::int64_t> busy() const {
        std::vector<std::int64_t> all;
        for (const auto& fifo : {&bus_, &out_, &in_})
            for (const Fifo& part : *fifo)
                all.push_back(part.busy.picoseconds());
        return all;
    }

  private:
    std::unique_ptr<Route> make_route(std::size_t from, std::size_t to, bool reads) {
        Way way;
        way.path.packet = 1_KiB;
        way.path.page_packets = 4;
        if (reads) way.add({.fifo = &bus_[from], .rate = mb_per_s(900), .latency = 500_ns});
        way.path.link = way.parts.size();
        way.add({.fifo = &out_[from], .rate = mb_per_s(1000), .header = 30_B, .latency = 300_ns});
        way.add({.fifo = &in_[to], .rate = mb_per_s(1000), .header = 30_B});
        way.path.target = way.parts.size();
        if (reads) way.add({.fifo = &bus_[to], .rate = mb_per_s(900)});
        way.path.visible = 200_ns;
        if (acknowledged_) way.add_load(out_[to], {.stage = way.parts.size() - 1, .fixed = 10_ns});
        way.path.link_is_foreseen = !acknowledged_;
        paths_.push_back(std::make_unique<Path>(way.path));
        auto route =
            std::make_unique<Route>(*paths_.back(), way, deliveries_[from * lanes_.size() + to]);
        route->to = static_cast<fabric::NodeId>(to);
        return route;
    }

    sim::Engine engine_;
    const bool acknowledged_;
    std::vector<Time> admits_;  ///< by node: when the last is admitted; they are in order
    std::vector<Fifo> bus_;
    std::vector<Fifo> out_;
    std::vector<Fifo> in_;
    std::vector<Deliveries> deliveries_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<std::unique_ptr<Path>> paths_;
    std::vector<std::unique_ptr<Route>> routes_;
    std::vector<std::unique_ptr<Item>> items_;
    std::vector<Moments> moments_;
};

TEST(Lane, TakesTheSlowestPartsTimeForALongMessage) {
    Yard yard(2, true);
    yard.send(Time(), 0, 1, 1_MiB, 0_ns);
    const auto moments = yard.run();
    // The bus, at 900 MB/s, or the link with its headers: 1000 * 1024 / 1054 = 971 MB/s.
    const double us = moments[0].done.since_start().microseconds();
    EXPECT_NEAR(us, 1048576 / 900.0 + 0.5 + 0.3 + 0.2, 1.5);
    // The link begins only when it will not run dry: it is 84 ns faster than the bus.
    EXPECT_NEAR(moments[0].first.since_start().nanoseconds(), 884, 1);
}

TEST(Lane, AloneNeedsFewEventsHoweverLongTheMessage) {
    Yard yard(2, true);
    yard.send(Time(), 0, 1, 4_MiB, 700_ns);
    yard.run();
    EXPECT_LE(yard.events(), 8U);
}

TEST(Lane, AnEmptyMessageDoesNotOvertake) {
    for (const bool look_ahead : {true, false}) {
        Yard yard(2, look_ahead);
        yard.send(Time(), 0, 1, 64_KiB, 100_ns);
        yard.send(Time(), 0, 1, 0_B, 100_ns);
        const auto moments = yard.run();
        EXPECT_LT(moments[0].first, moments[1].first);
        EXPECT_LE(moments[0].done, moments[1].done);
    }
}

TEST(Lane, TwoThatMeetShareWhatTheyMeetAt) {
    // Both ways over half-duplex buses: each direction gets half of the bus.
    Yard yard(2, true);
    yard.send(Time(), 0, 1, 1_MiB, 0_ns);
    yard.send(Time(), 1, 0, 1_MiB, 0_ns);
    const auto moments = yard.run();
    const double us = moments[1].done.since_start().microseconds();
    EXPECT_NEAR(us, 2 * 1048576 / 900.0, 20);
    EXPECT_NEAR(moments[0].done.since_start().microseconds(), us, 20);
}

TEST(Lane, ASmallMessageWaitsForAPacketOfAnothersNotForAllOfThem) {
    Yard yard(3, true);
    yard.send(Time(), 0, 2, 4_MiB, 0_ns);
    yard.send(Time::at(Duration::us(1000)), 1, 2, 8_B, 0_ns);
    const auto moments = yard.run();
    const Duration took = moments[1].done - Time::at(Duration::us(1000));
    EXPECT_LT(took, Duration::us(6));
    EXPECT_GT(took, Duration::us(1));
}

/// Nodes 0 and 1 send to 2, and node 0 to 3 behind that; node 4 sends to 3 as well, much later, and
/// node 1 is done. A switch without limit takes all of node 0's packets as fast as they come; else
/// they wait for those of node 1, and what is behind them waits, too.
TEST(Lane, WhatWaitsInASwitchHoldsUpWhatIsBehindIt) {
    const auto done = [](Bytes buffer, bool look_ahead) {
        Yard yard(5, look_ahead);
        if (buffer > 0_B) yard.limit(buffer);
        yard.send(Time(), 0, 2, 64_KiB, 0_ns);
        yard.send(Time(), 1, 2, 64_KiB, 0_ns);
        yard.send(Time(), 0, 3, 1_KiB, 0_ns);
        yard.send(Time::at(Duration::us(500)), 4, 3, 64_KiB, 0_ns);
        std::vector<double> us;
        for (const Moments& moments : yard.run())
            us.push_back(moments.done.since_start().microseconds());
        return us;
    };
    const auto without = done(0_B, true);
    const auto with = done(8_KiB, true);
    // 128 KiB come through one link, either way; the link from node 0 is done after half of that.
    EXPECT_NEAR(without[1], 2 * 65536 / 900.0, 15);
    EXPECT_NEAR(with[1], without[1], 3);
    EXPECT_LT(without[2], 90);
    EXPECT_GT(with[2], 110);
    EXPECT_EQ(with[3], without[3]) << "by links that nobody else uses";
    EXPECT_EQ(done(8_KiB, false), with);
}

// One packet at a time: it crosses, leaves, and the word of that comes back.
TEST(Lane, ASenderWaitsForCreditWhereABufferIsSmallerThanTheRoundTrip) {
    Yard yard(2, false);
    yard.limit(1054_B);
    yard.send(Time(), 0, 1, 100_KiB, 0_ns);
    const double us = yard.run()[0].done.since_start().microseconds();
    EXPECT_NEAR(us, 100 * (1.054 + 0.3 + 0.3), 4);
}

/// The promise of lane.hpp: looking ahead changes no time.
TEST(Lane, LookingAheadGivesTheTimesOfEveryPacketFollowed) {
    for (unsigned seed = 1; seed <= 2000; ++seed) {
        std::mt19937 random(seed);
        const std::size_t nodes = 2 + random() % 3;
        const bool alone = seed % 3 == 0;  // one lane only: nothing ever meets
        const unsigned buffer = 1 + random() % 6;
        const unsigned grain = seed % 2 == 0 ? 1 : 20'000;
        const bool acknowledged = seed % 7 < 3;
        Yard ahead(nodes, Yard::Foreseen::all, buffer, acknowledged);
        Yard links(nodes, Yard::Foreseen::links, buffer, acknowledged);
        Yard followed(nodes, Yard::Foreseen::nothing, buffer, acknowledged);
        const std::array<Yard*, 3> yards{&ahead, &links, &followed};
        if (seed % 5 == 0) {
            const Duration period = Duration::ns(500 + random() % 5000);
            const Duration time = Duration::ns(random() % 450);
            for (Yard* const yard : yards)
                yard->share(period, time);
        }
        if (seed % 4 == 0) {
            const Bytes buffer(4096 + random() % 8192);
            for (Yard* const yard : yards)
                yard->limit(buffer);
        }
        const unsigned messages = 1 + random() % 12;
        for (unsigned i = 0; i < messages; ++i) {
            // Every other time so that many begin at once.
            const Time at = Time::at(Duration::ns(random() % 60'000 / grain * grain));
            const std::size_t from = alone ? 0 : random() % nodes;
            std::size_t to = random() % nodes;
            if (to == from) to = (to + 1) % nodes;
            const Bytes size(random() % 4 == 0 ? 0 : random() % (1U << (random() % 19)));
            const Duration patience = Duration::ns(random() % 3 == 0 ? 0 : random() % 2000);
            std::vector<Duration> extra;
            if (size > 0_B && random() % 4 == 0) {
                extra.resize((size.count() + 1023) / 1024);
                if (random() % 2 == 0)
                    extra[random() % extra.size()] = Duration::ns(random() % 5000);
                else  // every page
                    for (std::size_t k = random() % 4; k < extra.size(); k += 4)
                        extra[k] = Duration::ns(900);
            }
            for (Yard* const yard : yards)
                yard->send(at, from, to, size, patience, extra);
        }
        const auto expected = followed.run();
        for (Yard* const yard : {&ahead, &links}) {
            const auto found = yard->run();
            for (unsigned i = 0; i < messages; ++i) {
                ASSERT_EQ(found[i].first.since_start().picoseconds(),
                          expected[i].first.since_start().picoseconds())
                    << "seed " << seed << ", message " << i;
                ASSERT_EQ(found[i].done.since_start().picoseconds(),
                          expected[i].done.since_start().picoseconds())
                    << "seed " << seed << ", message " << i;
            }
            ASSERT_EQ(yard->busy(), followed.busy()) << "seed " << seed;
        }
    }
}

// Where nothing loads the link out, that a packet comes to it is no event.
TEST(Lane, AForeseenLinkNeedsNoEvent) {
    const auto events = [](Yard::Foreseen foreseen) {
        Yard yard(3, foreseen, 4, false);
        yard.send(Time(), 0, 2, 256_KiB, 0_ns);
        yard.send(Time(), 1, 2, 256_KiB, 0_ns);
        yard.run();
        return yard.events();
    };
    EXPECT_LT(events(Yard::Foreseen::links) + 400, events(Yard::Foreseen::nothing));
}

// Nodes that send at the same time: whose event was scheduled first, and whatever number it has
// among all, is an accident, on which nothing may depend.
TEST(Lane, TiesAreBrokenByNodeAndNotByTheOrderOfScheduling) {
    struct Sent {
        Time at;
        std::size_t from;
        std::size_t to;
        Bytes size;
    };
    for (unsigned seed = 1; seed <= 500; ++seed) {
        std::mt19937 random(seed);
        const std::size_t nodes = 3 + random() % 3;
        std::vector<Sent> sent;
        for (unsigned i = 0; i < 20; ++i) {
            const std::size_t from = random() % nodes;
            sent.push_back({Time::at(Duration::us(random() % 3 * 20)), from,
                            (from + 1 + random() % (nodes - 1)) % nodes, Bytes(random() % 20'000)});
        }
        // The same messages node by node, the last node first.
        std::vector<std::size_t> order(sent.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater<>(),
                                 [&](std::size_t i) { return sent[i].from; });
        Yard one(nodes, true);
        Yard other(nodes, true);
        for (const Sent& message : sent)
            one.send(message.at, message.from, message.to, message.size, 0_ns);
        for (const std::size_t i : order)
            other.send(sent[i].at, sent[i].from, sent[i].to, sent[i].size, 0_ns);
        const auto a = one.run();
        const auto b = other.run();
        for (std::size_t i = 0; i < order.size(); ++i)
            ASSERT_EQ(a[order[i]], b[i]) << "seed " << seed << ", message " << order[i];
    }
}

TEST(Lane, PartsAccountForTheTimeThatTheyWereBusy) {
    for (const bool look_ahead : {true, false}) {
        Yard yard(2, look_ahead);
        yard.send(Time(), 0, 1, 2_KiB, 0_ns, {0_ns, 70_ns});
        yard.run();
        // Two packets of 1024 bytes at 900 MB/s; with 30 bytes more each at 1000 MB/s; and two
        // acknowledgments of 10 ns on the way out of the receiver.
        const std::int64_t bus = 2 * (1_KiB / mb_per_s(900)).picoseconds();
        const std::int64_t link = 2 * (1054_B / mb_per_s(1000)).picoseconds();
        EXPECT_EQ(yard.busy(),
                  (std::vector<std::int64_t>{bus + 70'000, bus, link, 20'000, 0, link}))
            << look_ahead;
    }
}

}  // namespace
}  // namespace railyard::model
