#pragma once
/// Lets a program that only asks what time it is wait for it to pass: in virtual time nothing else
/// would move.

#include "railyard/base/time.hpp"

namespace railyard {

class ClockReadings {
  public:
    /// What a reading takes at that moment: a few are for free, a further one is an empty poll.
    Duration cost(Time now) {
        if (now != last_) {
            last_ = now;
            times_ = 0;
            return {};
        }
        return ++times_ > free_ones ? Duration::ns(100) : Duration();
    }

  private:
    static constexpr unsigned free_ones = 16;

    Time last_ = Time::never();
    unsigned times_ = 0;  ///< that it was read since
};

}  // namespace railyard
