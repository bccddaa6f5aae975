#pragma once
/// The few instructions that no library has, each with a portable twin.

namespace railyard {

/// Says that this is a spinning loop. On x86 it spares the sibling thread; on ARM it keeps the core
/// from racing ahead with looks that all miss, which delays the one that would succeed.
inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#else
    asm volatile("" ::: "memory");
#endif
}

inline constexpr unsigned cache_line = 64;

}  // namespace railyard
