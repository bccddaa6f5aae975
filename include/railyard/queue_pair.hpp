#pragma once
/// A connected endpoint (VIA's VI): requests go in, completions come out of its completion queues.
///
/// Order: requests of one queue pair start in the order of posting and complete in that order. When
/// a receive completes, every earlier write of the same queue pair is in place. Reads and atomics
/// may be overtaken by later requests unless those carry Flags::fence.
///
/// Errors: the first request that fails completes with its own status; the queue pair is then
/// `failed`, everything it still holds completes as `flushed`, and later posts are refused. Nothing
/// is dropped in silence, and no other queue pair notices.

#include <cstddef>
#include <cstdint>
#include <span>

#include "railyard/base/time.hpp"
#include "railyard/connection.hpp"
#include "railyard/queues.hpp"
#include "railyard/work.hpp"

namespace railyard::fabric {

/// The queues are those of the Nic that makes the queue pair; it refuses others by a UsageError.
struct QueuePairOptions {
    CompletionQueue* send_completions = nullptr;
    CompletionQueue* receive_completions = nullptr;
    ReceiveQueue* receives = nullptr;  ///< its own, or shared by several
    std::uint32_t send_depth = 128;    ///< requests posted and not yet complete
    unsigned port = 0;
    /// How long a send may wait for the peer to post a receive before it fails, where it may at all
    /// (Traits::waits_for_receives).
    Duration receiver_not_ready_timeout = Duration::forever();
    void* context = nullptr;  ///< yours
};

class QueuePair {
  public:
    virtual ~QueuePair() = default;  ///< closes; completions not yet polled are discarded
    QueuePair(const QueuePair&) = delete;
    QueuePair& operator=(const QueuePair&) = delete;

    // Connecting. Each call starts the work and returns; `state()` tells how it goes.

    /// As client, to whoever listens at `to` for `service`.
    virtual Status connect(const Address& to, Service service, const PrivateData& data,
                           Time deadline) = 0;
    /// As server: answers a request that a Listener gave.
    virtual Status accept(ConnectionRequest& request, const PrivateData& data) = 0;
    /// Peer-to-peer: connected once both sides have asked, in whichever order.
    virtual Status connect_peer(const Address& to, Discriminator discriminator,
                                const PrivateData& data, Time deadline) = 0;

    /// Makes progress on the connection. `failed` says why in `reason()`.
    virtual ConnectionState state() = 0;
    virtual Status reason() const = 0;
    /// What the peer sent along: once connected, or with its rejection.
    virtual const PrivateData& peer_data() const = 0;

    /// Ends the connection. What was sent before still reaches the peer's posted receives where it
    /// had left this side; the rest is flushed on both sides.
    virtual void close() = 0;

    // Working.

    struct Posted {
        std::size_t count;  ///< how many were taken, from the front
        /// Why not the next: `again`, `not_connected`, `flushed`; `invalid` if it is malformed or
        /// names a region of another Nic.
        Status status;
    };
    /// Takes requests in order, until one is refused. What a request does wrong at the target, or
    /// in its bounds, is told by its completion.
    virtual Posted post(std::span<const WorkRequest> requests) = 0;
    Status post(const WorkRequest& request) { return post(std::span(&request, 1)).status; }

    // Copies at once between this side's memory, registered or not, and a region of the peer's,
    // where this side's processor gets there without the peer's help: even into memory that the
    // peer's user brought. Done when they return ok. There is no completion, no order with requests
    // nor among the bytes, and the peer is not woken. `unsupported`: post a request instead.

    virtual Status write_now(const RemoteSlice& /*to*/, std::span<const std::byte> /*bytes*/) {
        return Code::unsupported;
    }
    virtual Status read_now(std::span<std::byte> /*into*/, const RemoteSlice& /*from*/) {
        return Code::unsupported;
    }

    /// Wakes the peer if it sleeps, after stores into its mapped memory (RemoteRegion::mapped).
    /// Nothing where no memory is mapped.
    virtual void nudge() {}

    void* context() const { return context_; }

  protected:
    explicit QueuePair(void* context) : context_(context) {}
    void* context_;
};

}  // namespace railyard::fabric
