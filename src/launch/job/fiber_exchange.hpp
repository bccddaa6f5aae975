#pragma once
/// The exchange behind Bootstrap for ranks that are fibers of one simulation: plain maps, and waits
/// that take no virtual time. It behaves as Board does.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job/rank.hpp"
#include "sim/engine.hpp"

namespace railyard::job {

class FiberExchange {
  public:
    FiberExchange(sim::Engine& engine, int ranks);

    void put(int rank, std::string_view key, std::span<const std::byte> value);
    std::vector<std::byte> get(int rank, std::string_view key);
    void fence(int rank);
    /// The rank has ended well: nobody waits for it any more.
    void leave(int rank);

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
    std::optional<int> absent_from_fence() const;
    std::string describe_fence() const;
    void wait_among(Waiters& waiters, const sim::Reason& waits_for);
    void wake(Waiters& waiters);

    sim::Engine& engine_;
    std::vector<Slot> slots_;
    Waiters fence_waiters_;
    std::size_t in_fence_ = 0;
    std::size_t left_ = 0;
    std::uint64_t fences_done_ = 0;
};

/// One rank's view of it.
class FiberBootstrap final : public Bootstrap {
  public:
    FiberBootstrap(FiberExchange& exchange, int rank) : exchange_(exchange), rank_(rank) {}

    void put(std::string_view key, std::span<const std::byte> value) override {
        exchange_.put(rank_, key, value);
    }
    std::vector<std::byte> get(int rank, std::string_view key) override {
        return exchange_.get(rank, key);
    }
    void fence() override { exchange_.fence(rank_); }

  private:
    FiberExchange& exchange_;
    int rank_;
};

}  // namespace railyard::job
