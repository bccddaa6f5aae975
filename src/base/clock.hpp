#pragma once
/// Time of the machine itself, for code that is no rank: deadlines, short sleeps, and the processor
/// time of a thread. Ranks tell the time and wait through their Host, whose clock may be another.

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

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
    /// Never is behind all others.
    bool before(const Deadline& other) const { return at_ && (!other.at_ || *at_ < *other.at_); }
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
inline void nap(Duration duration) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration.picoseconds() / 1000));
}
/// Gives it away only if somebody wants it.
inline void give_way() {
    sched_yield();
}

/// The processor time that the calling thread has used: how long something took to compute, whoever
/// else ran on the machine meanwhile.
namespace thread_clock {

/// Since the thread began.
inline Duration now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return Duration::s(t.tv_sec) + Duration::ns(t.tv_nsec);
}

/// What a reading takes of what it measures: the shortest span between two that follow each other.
inline Duration cost() {
    constexpr int readings = 200;
    Duration shortest = Duration::forever();
    for (int i = 0; i < readings; ++i) {
        const Duration before = now();
        shortest = std::min(shortest, now() - before);
    }
    return shortest;
}

}  // namespace thread_clock

}  // namespace railyard
