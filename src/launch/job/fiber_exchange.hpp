#pragma once
/// The exchange of small values among ranks that are fibers of one simulation.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "launch/job/bootstrap.hpp"
#include "railyard/fabric.hpp"
#include "sim/engine.hpp"

namespace railyard::job {

/// Plain maps, and waits that take no virtual time. It behaves as Board does.
class FiberExchange {
  public:
    FiberExchange(sim::Engine& engine, int ranks);

    int ranks() const { return static_cast<int>(slots_.size()); }

    void put(int rank, std::string_view key, std::span<const std::byte> value);
    std::vector<std::byte> get(int rank, std::string_view key);
    void fence(int rank);
    /// The same, and `meanwhile` is called whenever something has arrived at the rank's host.
    void fence_while(int rank, hosts::VirtualHost& host, const std::function<void()>& meanwhile);
    /// The rank has ended well: nobody waits for it any more.
    void leave(int rank);
    bool has_left(int rank) const { return slots_[static_cast<std::size_t>(rank)].left; }

  private:
    using Waiters = std::vector<sim::Fiber*>;
    struct Slot {
        std::map<std::string, std::vector<std::byte>, std::less<>> values;
        std::size_t used = 0;
        Waiters waiters;
        bool left = false;
        bool in_fence = false;
    };

    Slot& slot(int rank);
    /// True if it was the last: the fence is done.
    bool enter_fence(int rank);
    void wake_fence();
    void expect_all_in_fence(int rank) const;
    std::optional<int> absent_from_fence() const;
    std::string describe_fence() const;
    void wait_among(Waiters& waiters, const sim::Reason& waits_for);
    void wake(Waiters& waiters);

    sim::Engine& engine_;
    std::vector<Slot> slots_;
    Waiters fence_waiters_;
    class AtFence;
    std::vector<AtFence*> at_fence_;  ///< those that wait for arrivals as well
    std::size_t in_fence_ = 0;
    std::size_t left_ = 0;
    std::uint64_t fences_done_ = 0;
};

/// One rank's view of it.
class FiberBootstrap final : public Bootstrap {
  public:
    /// Nodes, one a rank, outlive it, and so does the rank's host.
    FiberBootstrap(FiberExchange& exchange, int rank, std::span<const fabric::NodeId> nodes,
                   hosts::VirtualHost& host)
        : exchange_(exchange), rank_(rank), nodes_(nodes), host_(host) {}

    int rank() const override { return rank_; }
    int size() const override { return exchange_.ranks(); }
    fabric::NodeId node_of(int rank) const override {
        return nodes_[static_cast<std::size_t>(rank)];
    }

    void put(std::string_view key, std::span<const std::byte> value) override {
        exchange_.put(rank_, key, value);
    }
    std::vector<std::byte> get(int rank, std::string_view key) override {
        return exchange_.get(rank, key);
    }
    void fence() override { exchange_.fence(rank_); }
    void fence_while(const std::function<void()>& meanwhile) override {
        exchange_.fence_while(rank_, host_, meanwhile);
    }
    void abort(int code, std::string_view why) override { throw AbortCalled(code, why); }

  private:
    FiberExchange& exchange_;
    int rank_;
    std::span<const fabric::NodeId> nodes_;
    hosts::VirtualHost& host_;
};

}  // namespace railyard::job
