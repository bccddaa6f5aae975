#pragma once
/// Room for payloads between one producer and one consumer, handed out in order and in one piece.
/// It carries no signal of its own: a StampedRing announces what is in it. Both sides compute the
/// same places from the same lengths, so no positions travel.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "railyard/base/cpu.hpp"

namespace railyard {

/// The rule both sides share: pieces begin on a cache line and never wrap.
class ByteRingCursor {
  public:
    explicit ByteRingCursor(std::uint64_t capacity = 0) : capacity_(capacity) {}

    std::uint64_t start_of(std::uint64_t length) const {
        const std::uint64_t offset = position_ % capacity_;
        return offset + length <= capacity_ ? position_ : position_ + (capacity_ - offset);
    }
    std::uint64_t end_of(std::uint64_t length) const {
        return start_of(length) + (length + cache_line - 1) / cache_line * cache_line;
    }
    void move_past(std::uint64_t length) { position_ = end_of(length); }

    std::uint64_t capacity() const { return capacity_; }
    std::uint64_t position() const { return position_; }

  private:
    std::uint64_t capacity_;
    std::uint64_t position_ = 0;
};

class ByteRingProducer {
  public:
    ByteRingProducer() = default;
    ByteRingProducer(std::byte* bytes, std::uint64_t capacity,
                     const std::atomic<std::uint64_t>* done)
        : bytes_(bytes), done_(done), cursor_(capacity) {}

    /// Where the next `length` bytes go, or null while there is no room. Nothing is taken yet.
    std::byte* reserve(std::uint64_t length) {
        if (cursor_.end_of(length) - done_seen_ > cursor_.capacity()) {
            // Acquire: the consumer has finished reading what we are about to overwrite.
            done_seen_ = done_->load(std::memory_order_acquire);
            if (cursor_.end_of(length) - done_seen_ > cursor_.capacity()) return nullptr;
        }
        return bytes_ + cursor_.start_of(length) % cursor_.capacity();
    }
    void commit(std::uint64_t length) { cursor_.move_past(length); }

  private:
    std::byte* bytes_ = nullptr;
    const std::atomic<std::uint64_t>* done_ = nullptr;
    ByteRingCursor cursor_;
    std::uint64_t done_seen_ = 0;
};

class ByteRingConsumer {
  public:
    ByteRingConsumer() = default;
    ByteRingConsumer(const std::byte* bytes, std::uint64_t capacity,
                     std::atomic<std::uint64_t>* done)
        : bytes_(bytes), done_(done), cursor_(capacity) {}

    const std::byte* front(std::uint64_t length) const {
        return bytes_ + cursor_.start_of(length) % cursor_.capacity();
    }
    void pop(std::uint64_t length) {
        cursor_.move_past(length);
        done_->store(cursor_.position(), std::memory_order_release);
    }

  private:
    const std::byte* bytes_ = nullptr;
    std::atomic<std::uint64_t>* done_ = nullptr;
    ByteRingCursor cursor_;
};

}  // namespace railyard
