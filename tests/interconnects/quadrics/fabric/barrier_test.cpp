// Barriers of the network behind the interface.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/registry.hpp"
#include "railyard/nic.hpp"

namespace railyard::quadrics {
namespace {

using namespace literals;
using fabric::NodeId;

/// A rank on each of these nodes, which does something with its barrier, if it has one.
class Ranks {
  public:
    explicit Ranks(const std::vector<NodeId>& nodes)
        : fabric_(interconnects::find("quadrics")->open_virtual(engine_, 16)) {
        for (const NodeId node : nodes) {
            hosts_.push_back(std::make_unique<hosts::VirtualHost>(engine_));
            nics_.push_back(fabric_->adapter(node).open(*hosts_.back()));
            addresses_.push_back(nics_.back()->address());
        }
    }

    template <class Work>
    void run(Work work) {
        for (std::size_t i = 0; i < nics_.size(); ++i)
            engine_.spawn("rank", [this, i, work] {
                std::unique_ptr<fabric::Barrier> barrier = nics_[i]->make_barrier(addresses_);
                engine_.sleep_until(Time() + 100_us);  // all have theirs
                work(*this, i, barrier.get());
            });
        engine_.run();
    }
    Status meet(std::size_t i, fabric::Barrier& barrier) {
        barrier.arrive();
        std::optional<Status> status;
        EXPECT_TRUE(hosts_[i]->wait_until(
            [&] {
                status = barrier.poll();
                return status.has_value();
            },
            engine_.now() + 1_s));
        return status.value_or(Code::timed_out);
    }
    sim::Engine& engine() { return engine_; }

  private:
    sim::Engine engine_;
    std::unique_ptr<fabric::Fabric> fabric_;
    std::vector<std::unique_ptr<hosts::VirtualHost>> hosts_;
    std::vector<std::unique_ptr<fabric::Nic>> nics_;
    std::vector<fabric::Address> addresses_;
};

TEST(QuadricsBarrier, NobodyLeavesBeforeTheLastHasCome) {
    constexpr std::size_t size = 6;
    std::vector<Time> came(size);
    Ranks({3, 4, 5, 6, 7, 8}).run([&](Ranks& ranks, std::size_t i, fabric::Barrier* barrier) {
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
    for (const std::vector<NodeId>& nodes :
         {std::vector<NodeId>{0, 2}, {1, 0}, {2, 2}, {5}, {0, 1, 2, 4}})
        Ranks(nodes).run(
            [](Ranks&, std::size_t, fabric::Barrier* barrier) { EXPECT_EQ(barrier, nullptr); });
}

}  // namespace
}  // namespace railyard::quadrics
