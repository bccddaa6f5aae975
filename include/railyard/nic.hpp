#pragma once
/// One rank's opening of its node's adapter: where memory is registered, queues are made and
/// connections come in. A Nic serves one thread at a time and outlives all that it makes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "railyard/barrier.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/broadcast.hpp"
#include "railyard/connection.hpp"
#include "railyard/host.hpp"
#include "railyard/memory.hpp"
#include "railyard/parcel.hpp"
#include "railyard/queue_pair.hpp"
#include "railyard/queues.hpp"
#include "railyard/tagged_port.hpp"
#include "railyard/traits.hpp"

namespace railyard::fabric {

class Nic {
  public:
    virtual ~Nic() = default;
    Nic(const Nic&) = delete;
    Nic& operator=(const Nic&) = delete;

    virtual Host& host() = 0;
    virtual const Traits& traits() const = 0;
    /// What peers need in order to connect here.
    virtual const Address& address() const = 0;

    /// Does what can be done now for peers and for own requests; polls do it too.
    virtual void progress() = 0;

    // Memory. These throw Error when they cannot.

    /// The caller's memory, which it keeps alive for as long as the region.
    virtual std::unique_ptr<Region> register_memory(std::span<std::byte> memory, Access access) = 0;
    /// Memory of the Nic's own, zeroed; peers may reach it faster (Traits::maps_allocated).
    virtual std::unique_ptr<Region> allocate(Bytes size, Access access, Home home = Home::host) = 0;
    /// As allocate(), but nothing is stored there: what comes is handed to the inbox, piece by
    /// piece and in its order, and what leaves comes in parcels. All else is as with other memory.
    /// Peers may have the right to write and no other; a receive names nothing besides. The inbox
    /// outlives the region; null: nothing comes. Null where memory is always stored, as it is
    /// everywhere but in virtual time.
    virtual std::unique_ptr<Region> reserve_addresses(Bytes /*size*/, Access /*access*/,
                                                      Inbox* /*inbox*/) {
        return nullptr;
    }
    /// Room for bytes that leave from there. It outlives no Nic.
    virtual Parcel take_parcel(std::size_t /*size*/) { return {}; }
    /// A peer's region, from its blob. Whether it is (still) there shows when it is used.
    virtual std::unique_ptr<RemoteRegion> import_region(const RegionBlob& blob) = 0;

    /// Wakes the rank of the Nic with that address, connected or not, if it sleeps in its Host:
    /// after stores into memory that it shares with us (Traits::maps_allocated). Elsewhere nothing.
    virtual void wake(const Address& /*peer*/) {}

    // Queues. These throw Error when they cannot.

    virtual std::unique_ptr<CompletionQueue> create_completion_queue(std::uint32_t depth) = 0;
    virtual std::unique_ptr<ReceiveQueue> create_receive_queue(
        std::uint32_t depth, ReceiveQueue::Sharing sharing = ReceiveQueue::Sharing::own) = 0;
    virtual std::unique_ptr<QueuePair> create_queue_pair(const QueuePairOptions& options) = 0;

    // Connections coming in.

    virtual std::unique_ptr<Listener> listen(Service service) = 0;
    /// The oldest peer-to-peer request that no connect_peer() of this side matches yet; each is
    /// given once.
    virtual std::optional<PeerRequest> poll_peer_request() = 0;

    /// Null unless Traits::tagged.
    virtual TaggedPort* tagged_port() { return nullptr; }

    /// Of the Nics with these addresses, this one among them: each makes one, with the same list,
    /// before any uses it. Null where the network has none (Traits::network_barrier), or not for
    /// these members; then it is so for all of them.
    virtual std::unique_ptr<Barrier> make_barrier(std::span<const Address> /*members*/) {
        return nullptr;
    }
    /// Likewise (Traits::network_broadcast).
    virtual std::unique_ptr<Broadcast> make_broadcast(std::span<const Address> /*members*/) {
        return nullptr;
    }

  protected:
    Nic() = default;
};

}  // namespace railyard::fabric
