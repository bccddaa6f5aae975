// A rank stands on whatever Bootstrap its process manager brings: here one that is no board.
#include "launch/job/bootstrap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "helpers.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/join.hpp"

namespace railyard::job {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// What a process manager knows: of this test, a map that the threads of all ranks share.
class Manager {
  public:
    explicit Manager(std::vector<fabric::NodeId> nodes) : nodes_(std::move(nodes)) {}
    std::unique_ptr<Bootstrap> bootstrap(int rank) { return std::make_unique<View>(*this, rank); }
    const std::vector<int>& left() const { return left_; }

  private:
    class View final : public Bootstrap {
      public:
        View(Manager& manager, int rank) : all_(manager), rank_(rank) {}
        ~View() override {
            const std::lock_guard lock(all_.mutex_);
            all_.left_.push_back(rank_);
        }
        int rank() const override { return rank_; }
        int size() const override { return static_cast<int>(all_.nodes_.size()); }
        fabric::NodeId node_of(int rank) const override {
            return all_.nodes_.at(static_cast<std::size_t>(rank));
        }
        void put(std::string_view key, std::span<const std::byte> value) override {
            const std::lock_guard lock(all_.mutex_);
            all_.values_[{rank_, std::string(key)}] = text(value);
            all_.changed_.notify_all();
        }
        std::vector<std::byte> get(int rank, std::string_view key) override {
            std::unique_lock lock(all_.mutex_);
            const std::pair where(rank, std::string(key));
            all_.changed_.wait(lock, [&] { return all_.values_.contains(where); });
            const auto found = bytes(all_.values_.at(where));
            return {found.begin(), found.end()};
        }
        void fence() override {
            std::unique_lock lock(all_.mutex_);
            const int mine = all_.entered_++ / size();
            all_.changed_.notify_all();
            all_.changed_.wait(lock, [&] { return all_.entered_ >= (mine + 1) * size(); });
        }
        void abort(int code, std::string_view why) override { throw AbortCalled(code, why); }

      private:
        Manager& all_;
        int rank_;
    };

    std::vector<fabric::NodeId> nodes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<int, std::string>, std::string> values_;
    int entered_ = 0;
    std::vector<int> left_;
};

TEST(Bootstrap, SaysWhoARankIs) {
    Manager manager({0, 0, 7});
    const auto rank = join_by(manager.bootstrap(2), "shm", true);
    EXPECT_EQ(rank->id(), 2);
    EXPECT_EQ(rank->size(), 3);
    EXPECT_EQ(rank->node(), 7u);
    EXPECT_EQ(rank->node_of(1), 0u);
    EXPECT_TRUE(rank->shares_core());
    EXPECT_EQ(rank->fabric_between_nodes(), "");
    EXPECT_EQ(rank->nic().traits().name, "shm");
    EXPECT_NO_THROW(rank->deliver("to nobody"));
}

TEST(Bootstrap, EndsTheJob) {
    Manager manager({0});
    const auto rank = join_by(manager.bootstrap(0), "shm", false);
    try {
        rank->abort(7, "enough");
        FAIL() << "it went on";
    } catch (const AbortCalled& abort) {
        EXPECT_EQ(abort.code(), 7);
        EXPECT_STREQ(abort.what(), "enough");
    }
}

TEST(Bootstrap, ARankTakesLeaveWhenItIsDestroyed) {
    Manager manager({0, 0});
    auto rank = join_by(manager.bootstrap(1), "shm", false);
    EXPECT_THAT(manager.left(), ElementsAre());
    rank.reset();
    EXPECT_THAT(manager.left(), ElementsAre(1));
}

TEST(Bootstrap, OfNoFabricThatMovesBytesIsRefused) {
    Manager manager({0});
    EXPECT_THROW(join_by(manager.bootstrap(0), "ideal", false), UsageError);
}

TEST(Bootstrap, BringsRanksOfTwoNodesTogether) {
    Manager manager({0, 1});
    const std::string fabrics = FabricPair::for_hosts("shm").text();
    const auto run = [&](int id) {
        const auto rank = join_by(manager.bootstrap(id), fabrics, false);
        EXPECT_EQ(fabrics, "shm+" + std::string(rank->fabric_between_nodes()));
        const auto nic = rank->open(rank->fabric_between_nodes());
        rank->bootstrap().put("address", nic->address().bytes);
        fabric::Address peer;
        const auto told = rank->bootstrap().get(1 - id, "address");
        ASSERT_EQ(told.size(), peer.bytes.size());
        std::copy_n(told.begin(), told.size(), peer.bytes.begin());
        EXPECT_NE(peer.bytes, nic->address().bytes);
        for (int round = 0; round < 3; ++round)
            rank->bootstrap().fence();
    };
    std::thread other(run, 1);
    run(0);
    other.join();
}

}  // namespace
}  // namespace railyard::job
