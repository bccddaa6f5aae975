#pragma once
/// The processor's own counter, for what is read at every call of a library: some ten nanoseconds,
/// and the same on all cores. Its unit is learned by reading the machine's clock beside it, now and
/// then.

#include <time.h>

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace railyard {

/// Nanoseconds of one of the machine's clocks.
inline std::int64_t clock_nanoseconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

namespace ticks {

/// Whether the counter runs at one rate whatever the processor does. Where it does not, now() is
/// the clock's nanoseconds.
inline bool has_steady_counter() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned power_management = 0x80000007;
    constexpr unsigned invariant = 1U << 8;
    return __get_cpuid(power_management, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

inline std::uint64_t counter() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

/// How many are about a microsecond: good to a factor of two.
inline std::uint64_t in_a_microsecond(bool steady) {
    constexpr std::uint64_t of_nanoseconds = 1000;
    if (!steady) return of_nanoseconds;
#if defined(__aarch64__)
    std::uint64_t frequency = 0;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency / 1'000'000 + 1;
#else
    return 3000;  // processors' counters run at 2 to 4 GHz
#endif
}

inline std::uint64_t now(bool steady) {
    return steady ? counter() : static_cast<std::uint64_t>(clock_nanoseconds(CLOCK_MONOTONIC));
}

}  // namespace ticks

}  // namespace railyard
