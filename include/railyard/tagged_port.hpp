#pragma once
/// Matching done by the adapter (Quadrics' Tports, MX): messages carry 64 match bits, receives
/// select by bits under a mask and by source. One port serves all peers, those on the same node
/// included, and has its own size classes, rendezvous and registration, so buffers need none.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "railyard/base/bytes.hpp"
#include "railyard/base/status.hpp"
#include "railyard/connection.hpp"

namespace railyard::fabric {

using MatchBits = std::uint64_t;

/// A peer as this port knows it; from TaggedPort::peer().
using TaggedPeer = std::uint32_t;
inline constexpr TaggedPeer any_peer = ~TaggedPeer{0};

struct TaggedSend {
    std::uint64_t id = 0;
    TaggedPeer to = 0;
    MatchBits bits = 0;
    std::span<const std::byte> data{};  ///< the port's until the completion, or taken over
    bool synchronous = false;           ///< complete only once a receive has matched
    bool scratch = false;  ///< memory that software uses all the time (Host::charge_copy)
};

struct TaggedReceive {
    std::uint64_t id = 0;
    TaggedPeer from = any_peer;
    MatchBits bits = 0;
    MatchBits mask = ~MatchBits{0};  ///< which bits must be equal
    std::span<std::byte> buffer{};   ///< the port's until the completion
    bool scratch = false;            ///< as of a send
};

struct TaggedCompletion {
    std::uint64_t id = 0;
    Status status;  ///< too_long: the message was cut to the buffer
    TaggedPeer peer = 0;
    MatchBits bits = 0;
    Bytes length;  ///< of the message as it was sent
    bool receive = false;
    bool cancelled = false;
};

/// Order is promised of matching, not of ending: messages of one sender match in the order in which
/// they were sent, and of the receives that fit a message the oldest gets it. But requests end as
/// their data are there, so a receive whose data come after it has matched may be told of behind
/// one that matched later, and a send likewise, whatever the peer knew when it sent.
class TaggedPort {
  public:
    virtual ~TaggedPort() = default;
    TaggedPort(const TaggedPort&) = delete;
    TaggedPort& operator=(const TaggedPort&) = delete;

    /// Whether buffers that the port registered by itself stay so for the next use. They do, where
    /// it registers at all.
    virtual void keep_registrations(bool) {}

    /// Messages of up to so many bytes, synchronous ones aside, are taken over when send() returns:
    /// their data are the sender's again, though the completion comes later.
    virtual Bytes taken_at_once() const { return {}; }

    virtual TaggedPeer peer(const Address& address) = 0;

    virtual Status send(const TaggedSend& request) = 0;
    virtual Status receive(const TaggedReceive& request) = 0;
    /// Withdraws a receive that has not matched; it then completes as cancelled.
    virtual bool cancel(std::uint64_t receive_id) = 0;
    /// Asks for a send back. If no receive has matched it, it completes as cancelled, and nobody
    /// ever gets it; else it completes as if nobody had asked.
    virtual void cancel_send(std::uint64_t send_id) = 0;
    /// The first message that such a receive would match, left where it is.
    virtual std::optional<TaggedCompletion> probe(TaggedPeer from, MatchBits bits,
                                                  MatchBits mask) = 0;
    /// Takes out completions, in the order in which requests have ended, and makes progress.
    virtual std::size_t poll(std::span<TaggedCompletion> out) = 0;

  protected:
    TaggedPort() = default;
};

}  // namespace railyard::fabric
