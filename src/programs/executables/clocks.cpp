#include <errno.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"
#include "railyard/base/time.hpp"

namespace railyard::executables {

namespace {

/// All clocks of a program are the virtual one. What counts from a date begins at the same in every
/// run: 2000-01-01, 00:00 UTC.
constexpr time_t beginning = 946'684'800;

Duration virtual_time() {
    return guarded([] { return Process::here()->now().since_start(); });
}

timespec as_timespec(Duration time, time_t from) {
    constexpr std::int64_t second = 1'000'000'000'000;
    const std::int64_t picoseconds = time.picoseconds();
    return {from + static_cast<time_t>(picoseconds / second),
            static_cast<long>(picoseconds % second / 1000)};
}

Duration as_duration(const timespec& time) {
    return Duration::s(time.tv_sec) + Duration::ns(time.tv_nsec);
}

bool is_of_a_date(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int imported_clock_gettime(clockid_t clock, timespec* time) {
    *time = as_timespec(virtual_time(), is_of_a_date(clock) ? beginning : 0);
    return 0;
}

int imported_clock_getres(clockid_t, timespec* resolution) {
    if (resolution != nullptr) *resolution = {0, 1};
    return 0;
}

int imported_gettimeofday(timeval* time, void*) {
    const timespec now = as_timespec(virtual_time(), beginning);
    if (time != nullptr) *time = {now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t imported_time(time_t* time) {
    const time_t now = as_timespec(virtual_time(), beginning).tv_sec;
    if (time != nullptr) *time = now;
    return now;
}

int imported_timespec_get(timespec* time, int base) {
    if (base != TIME_UTC) return 0;
    *time = as_timespec(virtual_time(), beginning);
    return base;
}

clock_t imported_clock() {
    return static_cast<clock_t>(virtual_time().seconds() * CLOCKS_PER_SEC);
}

clock_t imported_times(tms* times) {
    const auto ticks = static_cast<clock_t>(virtual_time().seconds() *
                                            static_cast<double>(::sysconf(_SC_CLK_TCK)));
    if (times != nullptr) *times = {ticks, 0, 0, 0};
    return ticks;
}

void sleep_for(Duration time) {
    guarded([&] { Process::here()->sleep(time); });
}

bool is_wrong(const timespec& time) {
    return time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_nsec >= 1'000'000'000;
}

int imported_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec*) {
    if (is_wrong(*time)) return EINVAL;
    Duration span = as_duration(*time);
    if ((flags & TIMER_ABSTIME) != 0) {
        if (is_of_a_date(clock)) span = span - Duration::s(beginning);
        span = span - virtual_time();
    }
    sleep_for(span);
    return 0;
}

int imported_nanosleep(const timespec* time, timespec* left) {
    const int error = imported_clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    if (error == 0) return 0;
    errno = error;
    return -1;
}

int imported_usleep(useconds_t microseconds) {
    sleep_for(Duration::us(microseconds));
    return 0;
}

unsigned imported_sleep(unsigned seconds) {
    sleep_for(Duration::s(seconds));
    return 0;
}

/// Whoever yields waits for something, and time must pass for it to come.
int imported_sched_yield() {
    sleep_for(Duration::ns(100));
    return 0;
}

}  // namespace

std::span<const Import> imports_of_clocks() {
    static const Import all[] = {
        import("clock_gettime", imported_clock_gettime),
        import("clock_getres", imported_clock_getres),
        import("gettimeofday", imported_gettimeofday),
        import("time", imported_time),
        import("timespec_get", imported_timespec_get),
        import("clock", imported_clock),
        import("times", imported_times),
        import("clock_nanosleep", imported_clock_nanosleep),
        import("nanosleep", imported_nanosleep),
        import("usleep", imported_usleep),
        import("sleep", imported_sleep),
        import("sched_yield", imported_sched_yield),
    };
    return all;
}

}  // namespace railyard::executables
