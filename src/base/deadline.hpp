#pragma once
/// A moment of the machine's own clock after which somebody loses patience, or never.

#include <algorithm>
#include <chrono>
#include <optional>

#include "railyard/base/time.hpp"

namespace railyard {

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

}  // namespace railyard
