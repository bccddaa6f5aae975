#pragma once
/// A few slots in shared memory into which any number of processes write small messages for one
/// reader. Not fast, but it survives writers that die at any instruction: a slot claimed by a
/// process that no longer exists is taken back.

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "railyard/base/cpu.hpp"

namespace railyard {

template <class Message, std::size_t count>
class Mailbox {
    static_assert(std::is_trivially_copyable_v<Message>);

  public:
    /// Writes a message; false while all slots are taken.
    bool drop(const Message& message) {
        const auto mine = static_cast<std::int32_t>(getpid());
        // Writers begin at different slots, so that they seldom meet.
        const std::uint32_t first = dropped_.load(std::memory_order_relaxed);
        for (std::size_t i = 0; i < count; ++i) {
            Slot& slot = slots_[(first + i) % count];
            std::int32_t empty = 0;
            // Acquire: the reader's reading of the slot's last message is over.
            if (!slot.owner.compare_exchange_strong(empty, mine, std::memory_order_acquire))
                continue;
            slot.message = message;
            // Release: the message before its flag.
            slot.full.store(true, std::memory_order_release);
            dropped_.fetch_add(1, std::memory_order_release);
            return true;
        }
        return false;
    }

    /// True if messages were written since the reader last took all; one load.
    bool has_news(std::uint32_t seen) const {
        return dropped_.load(std::memory_order_acquire) != seen;
    }

    /// Gives every message to `take`, and returns what `has_news` wants next time.
    template <class Take>
    std::uint32_t take_all(Take&& take) {
        const std::uint32_t seen = dropped_.load(std::memory_order_acquire);
        for (Slot& slot : slots_) {
            if (slot.full.load(std::memory_order_acquire)) {
                const Message message = slot.message;
                empty(slot);
                take(message);
            } else if (const auto owner = slot.owner.load(std::memory_order_relaxed);
                       owner != 0 && kill(owner, 0) != 0) {
                // Not full, and its writer is dead: unless it filled the slot just before it died.
                if (!slot.full.load(std::memory_order_acquire)) empty(slot);
            }
        }
        return seen;
    }

  private:
    struct alignas(cache_line) Slot {
        std::atomic<std::int32_t> owner;  ///< pid of the writer; 0: free
        std::atomic<bool> full;
        Message message;
    };
    static void empty(Slot& slot) {
        slot.full.store(false, std::memory_order_relaxed);
        slot.owner.store(0, std::memory_order_release);
    }

    alignas(cache_line) std::atomic<std::uint32_t> dropped_;
    std::array<Slot, count> slots_;
};

}  // namespace railyard
