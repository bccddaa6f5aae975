#pragma once
/// What waits at a tagged port: posted receives, unexpected messages, and the buffers that it has
/// registered.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/tagged_port.hpp"

namespace railyard::virtual_time {

class TaggedPort;

/// A message of a tagged port, from send() until both sides are done with it. Events hold it by
/// shared pointer.
struct TaggedMessage {
    // The sender's part.
    std::shared_ptr<TaggedPort> from;
    std::uint64_t id = 0;
    fabric::TaggedPeer to = 0;  ///< as the sender numbers it
    End target;
    fabric::MatchBits bits = 0;
    Bytes size;
    bool eager = false;               ///< comes with its data; else these wait for the match
    std::vector<std::byte> carried;   ///< of an eager one: the buffer may be free before they land
    std::span<const std::byte> kept;  ///< of any other: the user's memory, while `from` is open
    std::uint64_t number = 0;         ///< Transfer::message of what carries the data
    bool answered = false;            ///< the sender is being told
    bool told = false;                ///< the sender has been told
    bool given_up = false;            ///< the network lost it, and both sides have been told

    // The target's part.
    fabric::TaggedPeer source = 0;  ///< as the target numbers it
    fabric::TaggedReceive receive;  ///< what it was matched with
    bool matched = false;           ///< a receive is taken
    bool granted = false;           ///< and the adapter has got so far
    bool announced = false;         ///< found unexpected, for probes to see
    bool placed = false;            ///< an eager one's data are at the target

    /// What the receive has room for.
    Bytes fitting() const { return std::min(size, Bytes(receive.buffer.size())); }
};

/// Posted receives and the unexpected queue, both in order of coming, so that messages of one
/// sender match in order of sending.
class TaggedMatching {
  public:
    using Message = std::shared_ptr<TaggedMessage>;

    /// Gives the message the oldest receive that selects it, or keeps it as unexpected. Returns how
    /// many receives were passed over.
    std::size_t arrive(const Message& message);

    struct Found {
        Message message;         ///< null: there was none, and the receive waits
        std::size_t passed = 0;  ///< unexpected messages that were passed over
    };
    /// Gives the receive the oldest unexpected message that it selects, or lets it wait.
    Found post(const fabric::TaggedReceive& receive);

    /// The unexpected message that such a receive would get; null if there is none.
    Message find(const fabric::TaggedReceive& receive) const;
    /// Takes out the oldest waiting receive of that id.
    std::optional<fabric::TaggedReceive> withdraw(std::uint64_t id);
    /// Forgets all receives, and hands over the unexpected messages.
    std::deque<Message> clear();

  private:
    std::deque<fabric::TaggedReceive> posted_;
    std::deque<Message> unexpected_;
};

/// The buffers that a tagged port has registered by itself (MX-2), least recently used out first.
/// Host addresses are compared for equality only: what is found follows from the program's own
/// reuse of its buffers, not from where they lie.
class TaggedRegistrations {
  public:
    explicit TaggedRegistrations(std::size_t capacity) : capacity_(capacity) {}

    /// What using the buffer takes.
    struct Work {
        std::optional<Bytes> registered;    ///< the buffer, if it was not registered
        std::optional<Bytes> deregistered;  ///< what had to make room; without a cache the same
    };
    Work use(std::span<const std::byte> buffer);

  private:
    std::size_t capacity_;
    std::vector<std::span<const std::byte>> kept_;  ///< most recently used last
};

}  // namespace railyard::virtual_time
