#include "launch/job/fiber_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "launch/job/board.hpp"

namespace railyard::job {

FiberExchange::FiberExchange(sim::Engine& engine, int ranks)
    : engine_(engine), slots_(static_cast<std::size_t>(ranks)) {}

void FiberExchange::put(int rank, std::string_view key, std::span<const std::byte> value) {
    Slot& mine = slot(rank);
    if (mine.values.contains(key)) throw bootstrap_put_twice(rank, key);
    // Memory is no reason here, but what runs in virtual time is to run for real as well.
    const std::size_t size = Board::record_size(key, value);
    const std::size_t room = Board::capacity_per_rank.count() - mine.used;
    if (size > room) throw bootstrap_full(rank, room, key, value.size());
    mine.used += size;
    mine.values.emplace(key, std::vector(value.begin(), value.end()));
    wake(mine.waiters);
}

std::vector<std::byte> FiberExchange::get(int rank, std::string_view key) {
    Slot& theirs = slot(rank);
    for (;;) {
        if (const auto found = theirs.values.find(key); found != theirs.values.end())
            return found->second;
        if (theirs.left) throw bootstrap_never_put(rank, key);
        wait_among(theirs.waiters, [&] { return fmt::format("'{}' of rank {}", key, rank); });
    }
}

bool FiberExchange::enter_fence(int rank) {
    slot(rank).in_fence = true;
    if (++in_fence_ != slots_.size()) return false;
    in_fence_ = 0;
    for (Slot& each : slots_)
        each.in_fence = false;
    ++fences_done_;
    wake_fence();
    return true;
}

/// A rank that waits for a fence, and for arrivals at its host.
class FiberExchange::AtFence {
  public:
    AtFence(FiberExchange& exchange, hosts::VirtualHost& host) : exchange_(exchange), host_(host) {
        expect_wake();
    }
    ~AtFence() {  // by an unwinding, too
        if (is_listed_) std::erase(exchange_.at_fence_, this);
    }
    AtFence(const AtFence&) = delete;
    AtFence& operator=(const AtFence&) = delete;

    void wait(hosts::VirtualHost::Ticket ticket) {
        expect_wake();
        host_.wait_while(ticket, [this] { return exchange_.describe_fence(); });
    }
    /// It is not in the list any more.
    void wake() {
        is_listed_ = false;
        host_.end_wait();
    }

  private:
    void expect_wake() {
        if (!std::exchange(is_listed_, true)) exchange_.at_fence_.push_back(this);
    }

    FiberExchange& exchange_;
    hosts::VirtualHost& host_;
    bool is_listed_ = false;
};

void FiberExchange::wake_fence() {
    wake(fence_waiters_);
    // Whoever is woken waits again if it must. Of many, each finds the list empty as it leaves.
    for (AtFence* rank : std::exchange(at_fence_, {}))
        rank->wake();
}

void FiberExchange::expect_all_in_fence(int rank) const {
    if (const auto absent = absent_from_fence()) throw bootstrap_outside_fence(*absent, rank);
}

void FiberExchange::fence(int rank) {
    if (enter_fence(rank)) return;
    for (const std::uint64_t before = fences_done_; fences_done_ == before;) {
        expect_all_in_fence(rank);
        wait_among(fence_waiters_, [this] { return describe_fence(); });
    }
}

void FiberExchange::fence_while(int rank, hosts::VirtualHost& host,
                                const std::function<void()>& meanwhile) {
    if (enter_fence(rank)) return;
    AtFence waiting(*this, host);
    for (const std::uint64_t before = fences_done_; fences_done_ == before;) {
        expect_all_in_fence(rank);
        const auto ticket = host.prepare_wait();
        meanwhile();
        if (fences_done_ == before) waiting.wait(ticket);
    }
}

std::optional<int> FiberExchange::absent_from_fence() const {
    if (left_ == 0) return std::nullopt;  // As a rule, and thousands may ask.
    const auto absent =
        std::ranges::find_if(slots_, [](const Slot& each) { return each.left && !each.in_fence; });
    if (absent == slots_.end()) return std::nullopt;
    return static_cast<int>(absent - slots_.begin());
}

void FiberExchange::leave(int rank) {
    slot(rank).left = true;
    ++left_;
    wake(slot(rank).waiters);
    wake_fence();
}

FiberExchange::Slot& FiberExchange::slot(int rank) {
    const int ranks = static_cast<int>(slots_.size());
    if (rank < 0 || rank >= ranks) throw bootstrap_no_such_rank(rank, ranks);
    return slots_[static_cast<std::size_t>(rank)];
}

std::string FiberExchange::describe_fence() const {
    const auto missing = std::ranges::find(slots_, false, &Slot::in_fence);
    return fmt::format("all ranks to enter the fence; {} of {} have not, rank {} first",
                       slots_.size() - in_fence_, slots_.size(), missing - slots_.begin());
}

void FiberExchange::wait_among(Waiters& waiters, const sim::Reason& waits_for) {
    waiters.push_back(engine_.current());
    engine_.suspend(waits_for);
}

void FiberExchange::wake(Waiters& waiters) {
    // Whoever is woken looks again, and waits again if it must.
    for (sim::Fiber* fiber : std::exchange(waiters, {}))
        engine_.resume(*fiber);
}

}  // namespace railyard::job
