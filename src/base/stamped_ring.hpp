#pragma once
/// A lock-free ring of cells between one producer and one consumer, who may be in different
/// processes. A cell carries its own stamp, in the cache line of its payload, so that a message of
/// up to a line costs one line transfer; there is no shared index to read first.
///
/// The stamp of a cell is the lap in which it was filled, counted from one: memory that is all zero
/// is an empty ring. The consumer publishes how many cells it has emptied in `done`, which the
/// producer reads only when its last knowledge says the ring is full.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "railyard/base/acquire.hpp"

namespace railyard {

/// What Cell must have: `std::atomic<std::uint32_t> stamp`.
template <class Cell, std::uint32_t count>
class RingProducer {
    static_assert((count & (count - 1)) == 0, "a power of two");

  public:
    RingProducer() = default;
    RingProducer(Cell* cells, const std::atomic<std::uint64_t>* done)
        : cells_(cells), done_(done) {}

    /// The cell to fill next, or null while the ring is full.
    Cell* claim() {
        if (next_ - done_seen_ == count) {
            // Acquire: the consumer's reads of the cell come before our overwriting it.
            done_seen_ = done_->load(std::memory_order_acquire);
            if (next_ - done_seen_ == count) return nullptr;
        }
        return &cells_[next_ % count];
    }
    /// Shows the claimed cell, and all that was stored before, to the consumer.
    void publish(Cell& cell) {
        cell.stamp.store(static_cast<std::uint32_t>(next_ / count) + 1, std::memory_order_release);
        ++next_;
    }
    /// How many cells were published since the beginning.
    std::uint64_t published() const { return next_; }
    /// How many of them the consumer has emptied.
    std::uint64_t emptied() { return done_seen_ = done_->load(std::memory_order_acquire); }

  private:
    Cell* cells_ = nullptr;
    const std::atomic<std::uint64_t>* done_ = nullptr;
    std::uint64_t next_ = 0;
    std::uint64_t done_seen_ = 0;
};

template <class Cell, std::uint32_t count>
class RingConsumer {
  public:
    RingConsumer() = default;
    RingConsumer(Cell* cells, std::atomic<std::uint64_t>* done) : cells_(cells), done_(done) {}

    /// The oldest cell not yet emptied, or null.
    Cell* front() {
        if (seen_ == next_ && !look()) return nullptr;
        return &cells_[next_ % count];
    }
    /// Gives the front cell back. Release: our reads of it are over.
    void pop() { done_->store(++next_, std::memory_order_release); }

  private:
    /// Several at a look, because a fence between two cells would keep the loads of the second
    /// from starting before those of the first have ended.
    static constexpr std::uint64_t look_ahead = 8;

    bool look() {
        while (seen_ - next_ < look_ahead && is_filled(seen_))
            ++seen_;
        if (seen_ == next_) return false;
        // Acquire: payloads are read after the stamps that announce them.
        acquire_after_relaxed();
        return true;
    }
    bool is_filled(std::uint64_t position) const {
        const auto stamp = static_cast<std::uint32_t>(position / count) + 1;
        return cells_[position % count].stamp.load(relaxed_before_acquire) == stamp;
    }

    Cell* cells_ = nullptr;
    std::atomic<std::uint64_t>* done_ = nullptr;
    std::uint64_t next_ = 0;
    std::uint64_t seen_ = 0;  ///< cells before this one are known to be filled
};

}  // namespace railyard
