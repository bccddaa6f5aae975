#pragma once
/// A full fence between a hot path and a rare one, paid by the rare one. Where the hot side stores
/// and then loads what the rare side stores before it loads, both need a full fence; with
/// membarrier the rare side's call makes every running thread of the other processes execute one,
/// so the hot side gets away with a compiler barrier.
///
///     hot:  publish(data);  light_fence();  if (sleeping) wake();
///     rare: sleeping = true;  heavy_fence();  if (data) …

#include <atomic>

namespace railyard {

namespace detail {
// Hidden: read on hot paths, so without the detour that position-independent code takes otherwise.
[[gnu::visibility("hidden")]] extern const bool membarrier_works;
}  // namespace detail

/// Whether the two sides differ on this machine. All processes that share memory must agree.
inline bool fences_are_asymmetric() {
    return detail::membarrier_works;
}

inline void light_fence() {
    if (detail::membarrier_works) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
}

void heavy_fence();

/// A process must be registered to be reached by others' heavy fences. Registration does not
/// survive fork on every kernel, so whoever opens shared memory calls this again; it is idempotent.
void register_for_heavy_fences();

}  // namespace railyard
