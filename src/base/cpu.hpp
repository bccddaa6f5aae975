#pragma once
/// The few instructions that no library has, each with a portable twin.

namespace railyard {

/// Says that this is a spinning loop. On x86 it spares the sibling thread; elsewhere a no-op is as
/// good, and anything slower would only delay the look that succeeds.
inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("" ::: "memory");
#else
    asm volatile("" ::: "memory");
#endif
}

inline constexpr unsigned cache_line = 64;

}  // namespace railyard
