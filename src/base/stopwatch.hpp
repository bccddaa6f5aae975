#pragma once
/// How long something has taken by the machine's own clock, for code that is no rank: ranks ask
/// their Host, whose clock may be another.

#include <chrono>

#include "railyard/base/time.hpp"

namespace railyard {

class Stopwatch {
  public:
    Duration elapsed() const {
        const std::chrono::duration<double> passed = Clock::now() - start_;
        return Duration::from_seconds(passed.count());
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

}  // namespace railyard
