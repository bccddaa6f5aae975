#pragma once
/// What a loop asks of the processor that waits for another core: the few instructions that no
/// library has, each with a portable twin, and loads that cost little until they find something.

#include <atomic>

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

/// Begins to take a line from other cores' caches, as it will be written to.
[[gnu::always_inline]] inline void fetch_to_write(const void* line) {
#if defined(__x86_64__)
    // The builtin fetches it to read only, unless the processor is named. Where the instruction is
    // not known, it does nothing.
    asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
}

// Watching a word for a value: the looks that do not find it should cost as little as possible. An
// acquire load would order every look, and on ARM it also waits for earlier release stores, such as
// the message just sent. So looks are relaxed, and the one that succeeds is followed by a fence.
#if defined(__SANITIZE_THREAD__)
// The thread sanitizer does not understand fences: every look is an acquire.
inline constexpr auto relaxed_before_acquire = std::memory_order_acquire;
inline void acquire_after_relaxed() {}
#else
inline constexpr auto relaxed_before_acquire = std::memory_order_relaxed;
inline void acquire_after_relaxed() {
    std::atomic_thread_fence(std::memory_order_acquire);
}
#endif

/// True, with acquire order, if the word holds `value`.
template <class Word, class Value>
inline bool acquire_if_equal(const Word& word, Value value) {
    if (word.load(relaxed_before_acquire) != value) return false;
    acquire_after_relaxed();
    return true;
}

}  // namespace railyard
