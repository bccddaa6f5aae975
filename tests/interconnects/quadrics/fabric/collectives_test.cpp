// Barriers and broadcasts of the network behind the interface.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/registry.hpp"
#include "railyard/base/error.hpp"
#include "railyard/nic.hpp"

namespace railyard::quadrics {
namespace {

using namespace literals;
using fabric::NodeId;

/// A rank on each of these nodes, which does something with what the network makes for them all.
class Ranks {
  public:
    explicit Ranks(const std::vector<NodeId>& nodes, std::string_view fabric = "quadrics")
        : fabric_(interconnects::find(fabric)->open_virtual(engine_, 16)) {
        for (const NodeId node : nodes) {
            hosts_.push_back(std::make_unique<hosts::VirtualHost>(engine_));
            nics_.push_back(fabric_->adapter(node).open(*hosts_.back()));
            addresses_.push_back(nics_.back()->address());
        }
    }

    /// `work` gets what `make` gives each of them.
    template <class Make, class Work>
    void run(Make make, Work work) {
        for (std::size_t i = 0; i < nics_.size(); ++i)
            engine_.spawn("rank", [this, i, make, work] {
                auto made = make(*nics_[i], addresses_);
                engine_.sleep_until(Time() + 100_us);  // all have theirs
                work(*this, i, made.get());
                engine_.sleep_until(engine_.now() + 1_ms);  // and still have it
            });
        engine_.run();
    }
    /// Until it tells of its end.
    template <class Made>
    auto wait(std::size_t i, Made& made) {
        decltype(made.poll()) found;
        EXPECT_TRUE(hosts_[i]->wait_until(
            [&] {
                found = made.poll();
                return found.has_value();
            },
            engine_.now() + 1_s));
        return found.value();
    }
    Status meet(std::size_t i, fabric::Barrier& barrier) {
        barrier.arrive();
        return wait(i, barrier);
    }
    sim::Engine& engine() { return engine_; }
    std::size_t size() const { return nics_.size(); }
    fabric::Nic& nic(std::size_t i) { return *nics_[i]; }
    const std::vector<fabric::Address>& addresses() const { return addresses_; }

  private:
    sim::Engine engine_;
    std::unique_ptr<fabric::Fabric> fabric_;
    std::vector<std::unique_ptr<hosts::VirtualHost>> hosts_;
    std::vector<std::unique_ptr<fabric::Nic>> nics_;
    std::vector<fabric::Address> addresses_;
};

constexpr auto barriers = [](fabric::Nic& nic, const std::vector<fabric::Address>& members) {
    return nic.make_barrier(members);
};
constexpr auto broadcasts = [](fabric::Nic& nic, const std::vector<fabric::Address>& members) {
    return nic.make_broadcast(members);
};

const std::vector<NodeId> no_ranges[] = {{0, 2}, {1, 0}, {2, 2}, {5}, {0, 1, 2, 4}};

TEST(QuadricsBarrier, NobodyLeavesBeforeTheLastHasCome) {
    constexpr std::size_t size = 6;
    std::vector<Time> came(size);
    Ranks({3, 4, 5, 6, 7, 8})
        .run(barriers, [&](Ranks& ranks, std::size_t i, fabric::Barrier* barrier) {
            ASSERT_NE(barrier, nullptr);
            for (std::size_t round = 0; round < 5; ++round) {
                ranks.engine().sleep_until(ranks.engine().now() +
                                           Duration::us(static_cast<int>((i + round) % size * 7)));
                came[i] = ranks.engine().now();
                ASSERT_TRUE(ranks.meet(i, *barrier).ok());
                const Time last = *std::max_element(came.begin(), came.end());
                EXPECT_GE(ranks.engine().now(), last);
                EXPECT_LT(ranks.engine().now(), last + 10_us);
                ASSERT_TRUE(ranks.meet(i, *barrier).ok()) << "before anybody comes to the next";
            }
        });
}

// BC-3
TEST(QuadricsBarrier, IsOfARangeOfNodesOnly) {
    for (const std::vector<NodeId>& nodes : no_ranges)
        Ranks(nodes).run(barriers, [](Ranks&, std::size_t, fabric::Barrier* barrier) {
            EXPECT_EQ(barrier, nullptr);
        });
}

std::vector<std::byte> data_of(std::size_t size, std::size_t seed) {
    std::vector<std::byte> data(size);
    for (std::size_t i = 0; i < size; ++i)
        data[i] = static_cast<std::byte>(i * 31 + i / 253 + seed * 7);
    return data;
}

// From every member, of nothing up to many pieces, with members that come late.
TEST(QuadricsBroadcast, BringsAllBytesToAll) {
    Ranks({3, 4, 5, 6, 7})
        .run(broadcasts, [](Ranks& ranks, std::size_t i, fabric::Broadcast* broadcast) {
            ASSERT_NE(broadcast, nullptr);
            std::size_t round = 0;
            for (const std::size_t size : {0, 1, 56, 57, 320, 2040, 2041, 4096, 100'000, 1 << 20})
                for (std::size_t root = 0; root < ranks.size(); ++root, ++round) {
                    const auto data = data_of(size, round);
                    std::vector<std::byte> here(size);
                    if (i == root)
                        broadcast->send(data);
                    else
                        broadcast->receive(here);
                    const auto outcome = ranks.wait(i, *broadcast);
                    ASSERT_TRUE(outcome.status.ok());
                    EXPECT_EQ(outcome.size, Bytes(size));
                    EXPECT_TRUE(i == root || here == data) << size << " from " << root;
                    ranks.engine().sleep_until(
                        ranks.engine().now() +
                        Duration::us(static_cast<int>((i * 3 + round) % 7 * 5)));
                }
        });
}

// The sender's length is told, and the next one is right again.
TEST(QuadricsBroadcast, TellsOfALengthThatIsNotOnesOwn) {
    Ranks({0, 1, 2}).run(broadcasts, [](Ranks& ranks, std::size_t i, fabric::Broadcast* broadcast) {
        for (const std::size_t room : {0, 100, 30'000, 50'000}) {
            const auto data = data_of(30'000, room);
            std::vector<std::byte> here(room);
            if (i == 1)
                broadcast->send(data);
            else
                broadcast->receive(here);
            const auto outcome = ranks.wait(i, *broadcast);
            ASSERT_TRUE(outcome.status.ok());
            EXPECT_EQ(outcome.size, Bytes(30'000));
            const std::size_t both = std::min(room, data.size());
            EXPECT_TRUE(i == 1 || std::equal(here.begin(), here.begin() + both, data.begin()));
        }
    });
}

// Pieces follow each other: where the processors have the data in their caches, the bus is busy all
// the time.
TEST(QuadricsBroadcast, IsAsFastAsTheBus) {
    constexpr std::size_t size = 128 << 10;
    Time start;
    Time end;
    Ranks({0, 1, 2, 3})
        .run(broadcasts, [&](Ranks& ranks, std::size_t i, fabric::Broadcast* broadcast) {
            std::vector<std::byte> data(size);
            for (const Duration at : {100_us, 5_ms}) {  // the second time, they have
                ranks.engine().sleep_until(Time::at(at));
                start = ranks.engine().now();
                if (i == 0)
                    broadcast->send(data);
                else
                    broadcast->receive(data);
                EXPECT_TRUE(ranks.wait(i, *broadcast).status.ok());
            }
            end = std::max(end, ranks.engine().now());
        });
    const double rate = static_cast<double>(size) / (end - start).microseconds();
    EXPECT_GT(rate, 285);  // MB/s
    EXPECT_LT(rate, 321);
}

// BC-3
TEST(QuadricsBroadcast, IsOfARangeOfNodesOnly) {
    for (const std::vector<NodeId>& nodes : no_ranges)
        Ranks(nodes).run(broadcasts, [](Ranks&, std::size_t, fabric::Broadcast* broadcast) {
            EXPECT_EQ(broadcast, nullptr);
        });
}

TEST(QuadricsBroadcast, IsNotOfOtherFabrics) {
    Ranks({0, 1}, "infiniband-pcie")
        .run(broadcasts, [](Ranks&, std::size_t, fabric::Broadcast* broadcast) {
            EXPECT_EQ(broadcast, nullptr);
        });
}

TEST(QuadricsBroadcast, RefusesMembersThatAreNone) {
    Ranks ranks({0, 1, 2});
    const std::vector<fabric::Address> others(ranks.addresses().begin() + 1,
                                              ranks.addresses().end());
    EXPECT_THROW(ranks.nic(0).make_broadcast(others), UsageError);
    EXPECT_THROW(ranks.nic(0).make_barrier(others), UsageError);
    std::vector<fabric::Address> wrong = ranks.addresses();
    wrong.emplace_back();
    EXPECT_THROW(ranks.nic(0).make_broadcast(wrong), UsageError);
}

}  // namespace
}  // namespace railyard::quadrics
