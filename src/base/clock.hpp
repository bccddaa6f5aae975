#pragma once
/// Time of the machine itself, for code that is no rank: deadlines, short sleeps, and the processor
/// time of a thread. Ranks tell the time and wait through their Host, whose clock may be another.

#include <algorithm>
#include <chrono>
#include <optional>

#include "railyard/base/time.hpp"

namespace railyard {

/// A moment of the machine's own clock after which somebody loses patience, or never.
class Deadline {
  public:
    Deadline() = default;  ///< never
    explicit Deadline(Duration from_now)
        : at_(Clock::now() + std::chrono::nanoseconds(from_now.picoseconds() / 1000)) {}

    bool is_set() const { return at_.has_value(); }
    bool passed() const { return at_ && Clock::now() >= *at_; }
    /// As epoll_wait wants it: -1 for never.
    int milliseconds_left() const {
        if (!at_) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*at_ - Clock::now());
        constexpr std::chrono::milliseconds longest(1'000'000'000);
        return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), longest).count());
    }

  private:
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> at_;
};

/// Gives the core to whoever wants it, now and for that long.
void nap(Duration duration);
/// Gives it away only if somebody wants it.
void give_way();

/// The processor time that the calling thread has used: how long something took to compute, whoever
/// else ran on the machine meanwhile.
namespace thread_clock {

/// Since the thread began.
Duration now();

/// What a reading takes of what it measures: the shortest span between two that follow each other.
Duration cost();

}  // namespace thread_clock

}  // namespace railyard
