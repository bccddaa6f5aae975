#pragma once
/// The processor time that this thread has used. What virtual time costs is measured by it: a
/// simulation has one thread and never sleeps, so whatever else the machine does falls out.

#include <time.h>

namespace railyard::bench {

inline double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace railyard::bench
