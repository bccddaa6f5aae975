#pragma once
/// Completions in the order in which they came, for the completion queues of real fabrics. It grows
/// rather than overrun. One thread at a time.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "railyard/work.hpp"

namespace railyard::real {

class CompletionRing {
  public:
    explicit CompletionRing(std::uint32_t depth);

    bool empty() const { return head_ == tail_; }
    void push(const fabric::Completion& completion) {
        if (tail_ - head_ > mask_) [[unlikely]]
            grow();
        entries_[tail_++ & mask_] = Entry(completion);
    }
    /// The oldest, as many as there are and as fit.
    std::size_t take(std::span<fabric::Completion> out) {
        const std::size_t count = std::min<std::size_t>(out.size(), tail_ - head_);
        for (std::size_t i = 0; i < count; ++i)
            entries_[head_++ & mask_].unpack(out[i]);
        return count;
    }
    /// Forgets what belongs to a queue pair that is being destroyed.
    void discard(const fabric::QueuePair* queue_pair);

  private:
    /// A completion in whole words. It is often read within nanoseconds of being written, and a
    /// processor forwards a word to a later load of that word, not several bytes to one.
    struct Entry {
        Entry() = default;
        explicit Entry(const fabric::Completion& c)
            : id(c.id),
              small(static_cast<std::uint64_t>(c.status.code()) |
                    static_cast<std::uint64_t>(c.op) << 8 |
                    static_cast<std::uint64_t>(c.has_immediate) << 16 |
                    static_cast<std::uint64_t>(c.immediate) << 32),
              length(c.length.count()),
              queue_pair(c.queue_pair),
              invalidated(c.invalidated) {}
        void unpack(fabric::Completion& c) const {
            c.id = id;
            c.status = static_cast<Code>(small & 0xff);
            c.op = static_cast<fabric::Op>(small >> 8 & 0xff);
            c.has_immediate = (small >> 16 & 1) != 0;
            c.immediate = static_cast<std::uint32_t>(small >> 32);
            c.length = Bytes(length);
            c.queue_pair = queue_pair;
            c.invalidated = invalidated;
        }
        std::uint64_t id = 0;
        std::uint64_t small = 0;  ///< status, operation, immediate
        std::uint64_t length = 0;
        fabric::QueuePair* queue_pair = nullptr;
        const fabric::Region* invalidated = nullptr;
    };
    void grow();

    std::vector<Entry> entries_;  ///< a power of two
    std::uint64_t mask_;
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
};

}  // namespace railyard::real
