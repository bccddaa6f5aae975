#pragma once
/// A process manager of the tests' own, which is no board: a map that all its ranks share.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/job/bootstrap.hpp"
#include "launch/job/helpers.hpp"

namespace railyard::job::testing {

/// Each of its ranks is in a thread of its own.
class MapManager {
  public:
    explicit MapManager(std::vector<fabric::NodeId> nodes) : nodes_(std::move(nodes)) {}
    std::unique_ptr<Bootstrap> bootstrap(int rank) { return std::make_unique<View>(*this, rank); }
    const std::vector<int>& left() const { return left_; }

  private:
    class View final : public Bootstrap {
      public:
        View(MapManager& manager, int rank) : all_(manager), rank_(rank) {}
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
        MapManager& all_;
        int rank_;
    };

    std::vector<fabric::NodeId> nodes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<int, std::string>, std::string> values_;
    int entered_ = 0;
    std::vector<int> left_;
};

}  // namespace railyard::job::testing
