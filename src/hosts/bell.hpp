#pragma once
/// What peers ring to wake a sleeping rank: one page of shared memory that says whether the rank
/// sleeps, and on what. Ringing for a rank that is awake costs one load of a line that both share.

#include <atomic>
#include <cstdint>

#include "base/asymmetric_fence.hpp"
#include "base/shared_memory.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::hosts {

/// The page itself; all zero is a valid bell of a rank that is awake.
struct BellPage {
    enum : std::uint32_t { awake = 0, in_futex = 1, in_poll = 2 };
    alignas(cache_line) std::atomic<std::uint32_t> sleeping;
    std::atomic<std::int32_t> pipe;  ///< the sleeper's descriptor to write to, when in_poll
    alignas(cache_line) std::atomic<std::uint32_t> rings;
};

/// The owner's side.
class Bell {
  public:
    Bell();
    ~Bell();
    Bell(const Bell&) = delete;
    Bell& operator=(const Bell&) = delete;

    const SharedMemory::Handle& handle() const { return memory_.handle(); }

    /// Announces a sleep. Whatever peers store after this returns, they ring for; what they stored
    /// before, a look after this call sees.
    std::uint32_t prepare(bool with_descriptors);
    void awake() { page().sleeping.store(BellPage::awake, std::memory_order_relaxed); }
    bool rung_since(std::uint32_t ticket) const {
        return page().rings.load(std::memory_order_acquire) != ticket;
    }
    /// Sleeps until rung, or for that long (null: for ever).
    void sleep(std::uint32_t ticket, const struct timespec* timeout) const;
    /// Readable when rung while asleep in poll; made at first use.
    int descriptor();
    void drain();

  private:
    BellPage& page() const { return *reinterpret_cast<BellPage*>(memory_.data()); }
    SharedMemory memory_;
    int pipe_[2] = {-1, -1};
};

/// A peer's side.
class RemoteBell {
  public:
    RemoteBell() = default;
    explicit RemoteBell(const SharedMemory::Handle& handle)
        : memory_(SharedMemory::open(handle)), page_(reinterpret_cast<BellPage*>(memory_.data())) {}

    /// To be called after storing what the owner waits for.
    [[gnu::always_inline]] void ring_if_asleep() const {
        // Pairs with the heavy fence in Bell::prepare: either we see that the owner sleeps, or its
        // last look sees what we stored.
        light_fence();
        if (page_->sleeping.load(std::memory_order_relaxed) != BellPage::awake) [[unlikely]]
            ring();
    }

  private:
    void ring() const;
    SharedMemory memory_;
    BellPage* page_ = nullptr;
};

}  // namespace railyard::hosts
