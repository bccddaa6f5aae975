#pragma once
/// Broadcasts that the network carries out by itself: no member has to pass anything on. Members
/// take part in all of them, in the same order; any of them may be the sender.

#include <cstddef>
#include <optional>
#include <span>

#include "railyard/base/bytes.hpp"
#include "railyard/base/status.hpp"

namespace railyard::fabric {

class Broadcast {
  public:
    virtual ~Broadcast() = default;
    Broadcast(const Broadcast&) = delete;
    Broadcast& operator=(const Broadcast&) = delete;

    struct Outcome {
        Status status;
        Bytes size;  ///< of what the sender gave: a receiver may have had more room, or less
    };

    // One at a time. The memory stays the caller's, and is left alone by it until poll() has told
    // of the end.

    /// From this member to all others.
    virtual void send(std::span<const std::byte> data) = 0;
    /// What another member sends. What there is no room for is lost.
    virtual void receive(std::span<std::byte> into) = 0;
    /// Nothing until the data are here; of a send, until the adapters of all others have them, or
    /// it is known that they cannot. After a failure, no more can be sent.
    virtual std::optional<Outcome> poll() = 0;

  protected:
    Broadcast() = default;
};

}  // namespace railyard::fabric
