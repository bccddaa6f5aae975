#include "base/nap.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace railyard {

void nap(Duration duration) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration.picoseconds() / 1000));
}

void give_way() {
    sched_yield();
}

}  // namespace railyard
