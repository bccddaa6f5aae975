#pragma once
/// Frames on their way to a socket: headers in bytes of its own, payload where the user has it, all
/// as vectors for sendmsg(). Frames are added whole and leave as the socket takes bytes.

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace railyard::iwarp {

class Outbox {
  public:
    /// What it works in. Lent only while there is something to send, so that a Nic needs a few
    /// however many connections it has.
    struct Storage {
        std::array<std::byte, 16384> bytes;
        std::array<iovec, 640> vectors;      // a frame of 64 KiB with all its Markers needs 260
        std::unique_ptr<std::byte[]> spare;  ///< for the next copy: frames mostly leave one by one
    };

    /// No frame is added while so much waits: more would not leave sooner, and all of it must be
    /// copied should the stream end now.
    void set_most_unsent(std::uint64_t bytes) { most_unsent_ = bytes; }

    Outbox() = default;
    explicit Outbox(Storage& storage) { lend(storage); }

    bool has_storage() const { return storage_ != nullptr; }
    void lend(Storage& storage) { storage_ = &storage; }
    /// Gives the storage back. Only when empty().
    Storage* take_back() { return std::exchange(storage_, nullptr); }

    // Filling, by the Framer.

    bool has_room(std::size_t bytes, std::size_t vectors) const {
        return storage_ != nullptr && end_ - sent_ < most_unsent_ &&
               bytes <= storage_->bytes.size() - bytes_used_ &&
               vectors <= storage_->vectors.size() - vectors_used_;
    }
    /// Room for `n` bytes of the outbox's own, which follow what was added last. Fill it at once.
    std::byte* add(std::size_t n);
    /// Bytes that stay where they are until sent. Their owner is told by sent_position().
    void refer(const std::byte* data, std::size_t n);

    /// Memory for `n` bytes, to be filled and then referred to; it lasts until all is sent.
    std::byte* keep(std::size_t n);

    // Emptying, by whoever has the socket.

    bool empty() const { return first_ == vectors_used_; }
    /// What is to be sent next, in order. Valid until the next call that is not const.
    std::span<const iovec> unsent() const {
        if (storage_ == nullptr) return {};
        return {storage_->vectors.data() + first_, vectors_used_ - first_};
    }
    /// The socket took `n` bytes.
    void sent(std::size_t n);

    /// Drops what is not sent. The stream can only be ended after that.
    void discard() { start_over(); }

    /// Bytes of the stream that were added, and that were sent, since the beginning. A message is
    /// complete, and its memory its owner's again, once sent_position() reaches the end_position()
    /// that was when it had been added.
    std::uint64_t end_position() const { return end_; }
    std::uint64_t sent_position() const { return sent_; }

    /// `memory` is about to go: copies what is still to be sent from there. Rare, so it allocates.
    void detach(std::span<const std::byte> memory);
    /// The same for all memory that is not its own.
    void detach_all();

  private:
    void start_over();
    void replace(iovec& vector);

    Storage* storage_ = nullptr;
    std::size_t bytes_used_ = 0;
    std::size_t vectors_used_ = 0;
    std::size_t first_ = 0;
    std::uint64_t most_unsent_ = 512 << 10;
    std::uint64_t end_ = 0;
    std::uint64_t sent_ = 0;
    struct Copy {
        std::unique_ptr<std::byte[]> bytes;
        bool of_usual_size;
    };
    std::vector<Copy> copies_;
};

}  // namespace railyard::iwarp
