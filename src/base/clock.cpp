#include "base/clock.hpp"

#include <sched.h>
#include <time.h>

#include <thread>

namespace railyard {

void nap(Duration duration) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration.picoseconds() / 1000));
}

void give_way() {
    sched_yield();
}

namespace thread_clock {

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

}  // namespace thread_clock

}  // namespace railyard
