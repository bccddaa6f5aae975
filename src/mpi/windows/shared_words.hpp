#pragma once
/// Words in memory that ranks of one node share, or reach by RDMA: the lock of MPI_Win_lock, the
/// guard of elements that no instruction combines, and who waits for whom (visits.cpp). A rank
/// alone uses them in its own memory.

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::mpi {

/// One rank's. Zero: nobody has the lock, or the guard. Each has a line of its own.
struct SharedWords {
    alignas(cache_line) std::uint64_t lock = 0;
    alignas(cache_line) std::uint32_t guard = 0;
    /// Where others have the lock by RDMA: what its owner has, or wants (remote_memory.cpp).
    alignas(cache_line) std::uint64_t owner = 0;
    /// Not 0 while the rank waits in the library.
    alignas(cache_line) std::uint32_t attends = 0;
};

/// Operations that a rank has asked of another by packets that the other does not leave the library
/// without having carried out. Each word is one rank's to write, and has a line of its own.
struct Visits {
    alignas(cache_line) std::uint32_t begun = 0;  ///< by who asks
    alignas(cache_line) std::uint32_t done = 0;   ///< by who is asked
};

enum class LockKind : std::uint8_t { shared, exclusive };

// The lock: a count of those who share it, or one bit for who has it alone. Acquire, on success:
// what the last holder did is seen. Release, when given up: what we did is seen by the next one,
// also by those who only share it, since each change of the word goes on from the one before.

inline constexpr std::uint64_t exclusive_bit = std::uint64_t{1} << 32;

inline bool try_lock(std::uint64_t& word, LockKind kind) {
    const std::atomic_ref lock(word);
    std::uint64_t held = lock.load(std::memory_order_relaxed);
    for (;;) {
        if (kind == LockKind::exclusive ? held != 0 : (held & exclusive_bit) != 0) return false;
        const std::uint64_t wanted = kind == LockKind::exclusive ? exclusive_bit : held + 1;
        if (lock.compare_exchange_weak(held, wanted, std::memory_order_acquire,
                                       std::memory_order_relaxed))
            return true;
    }
}

inline void unlock(std::uint64_t& word, LockKind kind) {
    std::atomic_ref(word).fetch_sub(kind == LockKind::exclusive ? exclusive_bit : 1,
                                    std::memory_order_release);
}

/// Holds a guard for as long as a few elements take, or the kernel's copies of some. Whoever has it
/// does not wait, so that it is free again very soon, unless its holder has lost its core: then
/// others give theirs.
class Guarded {
  public:
    explicit Guarded(std::uint32_t& guard) : guard_(guard) {
        // Acquire: what the last holder wrote is seen. Relaxed looks in between leave its line
        // alone.
        while (guard_.exchange(1, std::memory_order_acquire) != 0)
            for (int looks = 0; guard_.load(std::memory_order_relaxed) != 0; ++looks)
                looks < looks_before_yield ? relax() : give_way();
    }
    ~Guarded() { guard_.store(0, std::memory_order_release); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

  private:
    static constexpr int looks_before_yield = 100;
    std::atomic_ref<std::uint32_t> guard_;
};

}  // namespace railyard::mpi
