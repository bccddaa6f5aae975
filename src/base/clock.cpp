#include "base/thread_clock.hpp"

#include <time.h>

#include <algorithm>

namespace railyard::thread_clock {

Duration now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return Duration::s(t.tv_sec) + Duration::ns(t.tv_nsec);
}

Duration cost() {
    constexpr int readings = 200;
    Duration shortest = Duration::forever();
    for (int i = 0; i < readings; ++i) {
        const Duration before = now();
        shortest = std::min(shortest, now() - before);
    }
    return shortest;
}

}  // namespace railyard::thread_clock
