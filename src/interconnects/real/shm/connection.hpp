#pragma once
/// Connection requests of a Nic: those that have come and wait for a listener or a peer to
/// take them up. The requests themselves live in the askers' arenas (see ConnectRequest).

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

/// Somebody else's request: where it is, and what was said with it.
struct RequestRef {
    std::shared_ptr<Peer> peer;
    std::uint32_t block = 0;
    std::uint32_t generation = 0;
    std::uint64_t service = 0;  ///< or discriminator

    ConnectRequest& request() const { return peer->arena().blocks[block].request; }
    bool stands() const {
        return request().state.load(std::memory_order_acquire) ==
               ConnectRequest::tagged(generation, ConnectRequest::pending);
    }
    /// Takes it, so that nobody else can and it cannot be withdrawn. To be followed by answer().
    bool claim() const {
        auto expected = ConnectRequest::tagged(generation, ConnectRequest::pending);
        return request().state.compare_exchange_strong(
            expected, ConnectRequest::tagged(generation, ConnectRequest::answering),
            std::memory_order_acq_rel);
    }
    /// Publishes the answer and wakes the asker.
    void answer(ConnectRequest::State state, std::uint32_t own_block,
                const fabric::PrivateData& data) const;
};

/// A client's request as the server sees it.
class IncomingRequest final : public fabric::ConnectionRequest {
  public:
    IncomingRequest(const Nic& nic, RequestRef request);
    ~IncomingRequest() override;

    const fabric::Address& from() const override { return from_; }
    const fabric::PrivateData& private_data() const override { return data_; }
    void reject(const fabric::PrivateData& reason) override;

    const Nic& nic() const { return nic_; }
    const RequestRef& request() const { return request_; }
    void set_answered() { answered_ = true; }

  private:
    const Nic& nic_;
    RequestRef request_;
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
    /// A pending request of `from` with that discriminator, if one has come; it is taken out.
    std::optional<RequestRef> find_peer_request(const SharedMemory::Handle& from,
                                                fabric::Discriminator discriminator);

  private:
    struct FromPeer {
        RequestRef ref;
        bool shown = false;  ///< given to the user, or matched when it came
    };
    Nic& nic_;
    std::map<fabric::Service, Listener*> listeners_;
    std::deque<FromPeer> from_peers_;
};

class Listener final : public fabric::Listener {
  public:
    Listener(Nic& nic, fabric::Service service) : nic_(nic), service_(service) {}
    ~Listener() override;

    std::unique_ptr<fabric::ConnectionRequest> poll() override;
    void add(RequestRef request) { waiting_.push_back(std::move(request)); }

  private:
    Nic& nic_;
    fabric::Service service_;
    std::deque<RequestRef> waiting_;
};

}  // namespace railyard::shm
