#pragma once
/// Connection requests of a Nic: those that have come and wait for a listener or a peer to
/// take them up. Offers themselves live in the askers' arenas (see Offer).

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "interconnects/real/shm/arena.hpp"
#include "interconnects/real/shm/peer.hpp"
#include "railyard/connection.hpp"

namespace railyard::shm {

class Nic;
class Listener;

fabric::Address address_of(const SharedMemory::Handle& handle);
SharedMemory::Handle handle_of(const fabric::Address& address);

/// Somebody else's offer: where it is, and what was said with it.
struct OfferRef {
    std::shared_ptr<Peer> peer;
    std::uint32_t block = 0;
    std::uint32_t generation = 0;
    std::uint64_t service = 0;  ///< or discriminator

    Offer& offer() const { return peer->arena().blocks[block].offer; }
    bool stands() const {
        return offer().state.load(std::memory_order_acquire) ==
               Offer::tagged(generation, Offer::offered);
    }
    /// Takes it, so that nobody else can and it cannot be withdrawn. To be followed by answer().
    bool claim() const {
        auto expected = Offer::tagged(generation, Offer::offered);
        return offer().state.compare_exchange_strong(
            expected, Offer::tagged(generation, Offer::answering), std::memory_order_acq_rel);
    }
    /// Publishes the answer and wakes the asker.
    void answer(Offer::State state, std::uint32_t own_block, const fabric::PrivateData& data) const;
};

/// A client's request as the server sees it.
class IncomingRequest final : public fabric::ConnectionRequest {
  public:
    IncomingRequest(const Nic& nic, OfferRef offer);
    ~IncomingRequest() override;

    const fabric::Address& from() const override { return from_; }
    const fabric::PrivateData& private_data() const override { return data_; }
    void reject(const fabric::PrivateData& reason) override;

    const Nic& nic() const { return nic_; }
    const OfferRef& offer() const { return offer_; }
    void set_answered() { answered_ = true; }

  private:
    const Nic& nic_;
    OfferRef offer_;
    fabric::Address from_;
    fabric::PrivateData data_;
    bool answered_ = false;
};

/// What has come in, sorted.
class ConnectionRequests {
  public:
    explicit ConnectionRequests(Nic& nic) : nic_(nic) {}

    void deliver(const ConnectNotice& notice);

    std::unique_ptr<Listener> listen(fabric::Service service);
    void stop_listening(fabric::Service service) { listeners_.erase(service); }

    std::optional<fabric::PeerRequest> poll_peer_request();
    /// A standing offer of `from` with that discriminator, if one has come; it is taken out.
    std::optional<OfferRef> find_peer_offer(const SharedMemory::Handle& from,
                                            fabric::Discriminator discriminator);

  private:
    struct PeerOffer {
        OfferRef ref;
        bool shown = false;  ///< given to the user, or matched when it came
    };
    Nic& nic_;
    std::map<fabric::Service, Listener*> listeners_;
    std::deque<PeerOffer> peer_offers_;
};

class Listener final : public fabric::Listener {
  public:
    Listener(Nic& nic, fabric::Service service) : nic_(nic), service_(service) {}
    ~Listener() override;

    std::unique_ptr<fabric::ConnectionRequest> poll() override;
    void add(OfferRef offer) { waiting_.push_back(std::move(offer)); }

  private:
    Nic& nic_;
    fabric::Service service_;
    std::deque<OfferRef> waiting_;
};

}  // namespace railyard::shm
