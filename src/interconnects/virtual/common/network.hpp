#pragma once
/// What all Nics of one virtual fabric share, and what each Nic is to the others. Events hold these
/// by shared pointer: whatever the user destroys, no event ever finds a dangling one.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/virtual/common/region.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "railyard/connection.hpp"
#include "railyard/fabric.hpp"
#include "railyard/parcel.hpp"
#include "railyard/traits.hpp"
#include "sim/engine.hpp"

namespace railyard::virtual_time {

class Endpoint;
class NicState;
class RequestPool;
class TaggedPort;
struct Ask;
struct TaggedMessage;

/// Who is told when one node gives another up (Wire::tell_when_given_up). Stays empty on a wire
/// that cannot break.
class PeerLossListeners {
  public:
    void add(std::weak_ptr<Endpoint> endpoint);
    void add(const std::shared_ptr<TaggedMessage>& message);
    /// Tells them, in the order in which they were added.
    void give_up(fabric::NodeId from, fabric::NodeId to);

  private:
    std::vector<std::weak_ptr<Endpoint>> endpoints_;
    std::vector<std::weak_ptr<TaggedMessage>> messages_;
    // Those that are gone are dropped whenever there are twice as many as were left the last time.
    std::size_t endpoints_limit_ = 64;
    std::size_t messages_limit_ = 64;
};

/// Room for payloads that are between two memories. Kept here and not with each request, as few of
/// all requests need some at a time.
class Buffers {
  public:
    static constexpr std::size_t few = 64;          ///< so many wait for use ...
    static constexpr std::size_t large = 64 << 10;  ///< ... of up to this size

    std::vector<std::byte> take() {
        if (free_.empty()) return {};
        std::vector<std::byte> buffer = std::move(free_.back());
        free_.pop_back();
        return buffer;
    }
    void give_back(std::vector<std::byte> buffer) {
        if (free_.size() < few && buffer.capacity() <= large) free_.push_back(std::move(buffer));
    }

  private:
    std::vector<std::vector<std::byte>> free_;
};

struct Network {
    Network(sim::Engine& its_engine, const fabric::Traits& its_traits,
            std::shared_ptr<Wire> its_wire);
    ~Network();

    /// For a tagged port. Throws UsageError if there never was such a Nic.
    NicName name_of(const fabric::Address& address) const;
    /// Null if there never was such a Nic, or if it is closed.
    std::shared_ptr<NicState> find(const NicName& name) const;
    /// That piece of a region, if there is such a region and it is so large.
    std::optional<Extent> find_extent(const RegionKey& key, Bytes offset, Bytes length) const;

    sim::Engine& engine;
    const fabric::Traits traits;
    const std::shared_ptr<Wire> wire;
    const std::uint32_t id;  ///< from the name of the fabric: tells foreign addresses and blobs
    std::map<fabric::NodeId, std::vector<std::weak_ptr<NicState>>> nics;
    std::uint64_t messages = 0;
    std::uint64_t receiver_not_ready = 0;  ///< messages that found no receive
    Buffers buffers;
    fabric::ParcelPool parcels;
    const std::unique_ptr<RequestPool> requests;  ///< of all endpoints
    PeerLossListeners peer_loss;
    // For the lists of a Transfer, used again and again.
    std::vector<Extent> source;
    std::vector<Extent> target;
};

/// What may match what in a peer-to-peer connection, as seen from one Nic.
struct PeerKey {
    NicName peer;
    fabric::Discriminator discriminator = 0;
    friend auto operator<=>(const PeerKey&, const PeerKey&) = default;
};

struct PeerKeyHash {
    std::size_t operator()(const PeerKey& key) const {
        // Ranks of a job mostly differ in their node, by one: what multiplies it is odd, so that
        // neighbours stay apart.
        return (std::size_t{key.peer.node} << 8 ^ key.peer.nic ^ key.discriminator) *
               0x9e3779b97f4a7c15u;
    }
};

class NicState {
  public:
    NicState(std::shared_ptr<Network> its_network, const NicName& its_name,
             hosts::VirtualHost& its_host)
        : network(std::move(its_network)), name(its_name), host(&its_host) {}

    /// May a peer do that with that region of ours? If so, `region` is set.
    Status check(const RegionKey& key, Bytes offset, Bytes length, fabric::Access access,
                 std::shared_ptr<RegionState>& region) const;

    /// What the rank's processor was charged for has passed: before the Nic does or tells anything.
    void settle() const {
        if (host && network->engine.current()) host->settle();
    }
    /// The rank's processor is busy for as long as the fabric says.
    void spend(HostStep step, Bytes size = {}, std::size_t times = 1) const;
    /// The rank's processor copies between a program's buffer and the library's; only the first
    /// `waited` bytes hold it up.
    void copy(Bytes size, Bytes waited, const std::byte* to, const std::byte* from) const;
    /// The same where what it does with bytes that are at hand is part of another step.
    void touch(Bytes size, const std::byte* to, const std::byte* from) const;
    /// As spend() in a destructor, which must not wait: it is before whatever comes next.
    void owe(HostStep step, Bytes size = {}) const {
        if (host) host->owe(network->wire->host_cost(step, size));
    }
    /// As the wire names this Nic, where the queue pair does not matter.
    End end() const { return {.node = name.node, .nic = name.nic}; }
    void notify() const {
        if (host) host->notify();
    }

    const std::shared_ptr<Network> network;
    const NicName name;
    hosts::VirtualHost* host;  ///< null once the Nic is closed

    // Looked up by number only; nobody walks through it in its order.
    std::unordered_map<std::uint64_t, std::shared_ptr<RegionState>> regions;
    std::uint64_t next_region = 1;
    std::uint32_t queue_pairs_made = 0;
    std::uint32_t queue_pairs_open = 0;
    std::weak_ptr<TaggedPort> tagged;  ///< where Traits say that there is one

    // Requests that have come in and are unanswered, oldest first.
    std::map<fabric::Service, std::deque<std::shared_ptr<Ask>>> listening;
    std::map<PeerKey, std::vector<std::shared_ptr<Ask>>> asked;
    /// Those of `asked` not yet given to the user; some may have been settled meanwhile.
    std::deque<std::shared_ptr<Ask>> unseen;
    // Our own queue pairs that wait for a peer to ask. Looked up only.
    std::unordered_map<PeerKey, std::vector<std::weak_ptr<Endpoint>>, PeerKeyHash> asking;
};

}  // namespace railyard::virtual_time
