#include "interconnects/real/shm/connection.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/log.hpp"
#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::shm {

using fabric::Address;
using fabric::PrivateData;

Address address_of(const SharedMemory::Handle& handle) {
    Address address;
    std::memcpy(address.bytes.data(), &handle, sizeof handle);
    return address;
}

SharedMemory::Handle handle_of(const Address& address) {
    SharedMemory::Handle handle;
    std::memcpy(&handle, address.bytes.data(), sizeof handle);
    return handle;
}

void OfferRef::answer(Offer::State state, std::uint32_t own_block, const PrivateData& data) const {
    offer().answer_block = own_block;
    offer().answer = data;
    // Release: the answer before the word that announces it.
    offer().state.store(Offer::tagged(generation, state), std::memory_order_release);
    peer->wake();
}

IncomingRequest::IncomingRequest(const Nic& nic, OfferRef offer)
    : nic_(nic),
      offer_(std::move(offer)),
      from_(address_of(offer_.peer->handle())),
      data_(offer_.offer().question) {}

IncomingRequest::~IncomingRequest() {
    if (!answered_) reject(PrivateData());
}

void IncomingRequest::reject(const PrivateData& reason) {
    if (!std::exchange(answered_, true) && offer_.claim())
        offer_.answer(Offer::rejected, 0, reason);
}

void ConnectionRequests::deliver(const ConnectNotice& notice) {
    OfferRef offer;
    try {
        offer = {nic_.meet(notice.from), notice.block, notice.generation, notice.service};
    } catch (const Error& error) {
        log_debug("shm: a connection request came from a process that is gone: {}", error.what());
        return;
    }
    if (notice.peer_to_peer) {
        QueuePair* match = nullptr;
        for (QueuePair* candidate : nic_.connecting()) {
            const bool own_notice =
                notice.from == nic_.handle() && notice.block == candidate->block_index();
            if (!own_notice && candidate->waits_for(notice.from, notice.service)) match = candidate;
        }
        peer_offers_.push_back({offer, match != nullptr});
        if (match != nullptr) match->meet(offer);
        return;
    }
    const auto listener = listeners_.find(notice.service);
    if (listener != listeners_.end()) {
        listener->second->add(std::move(offer));
    } else if (offer.claim()) {
        offer.answer(Offer::rejected, 0, PrivateData());
    }
}

std::unique_ptr<Listener> ConnectionRequests::listen(fabric::Service service) {
    if (listeners_.contains(service))
        throw Error(fmt::format("shm: this Nic already listens for service {}", service));
    auto listener = std::make_unique<Listener>(nic_, service);
    listeners_.emplace(service, listener.get());
    return listener;
}

std::optional<fabric::PeerRequest> ConnectionRequests::poll_peer_request() {
    std::erase_if(peer_offers_, [](const PeerOffer& o) { return !o.ref.stands(); });
    for (PeerOffer& candidate : peer_offers_) {
        if (std::exchange(candidate.shown, true)) continue;
        return fabric::PeerRequest{address_of(candidate.ref.peer->handle()), candidate.ref.service,
                                   candidate.ref.offer().question};
    }
    return std::nullopt;
}

std::optional<OfferRef> ConnectionRequests::find_peer_offer(const SharedMemory::Handle& from,
                                                            fabric::Discriminator discriminator) {
    std::erase_if(peer_offers_, [](const PeerOffer& o) { return !o.ref.stands(); });
    const auto found =
        std::find_if(peer_offers_.begin(), peer_offers_.end(), [&](const PeerOffer& o) {
            return o.ref.peer->handle() == from && o.ref.service == discriminator;
        });
    if (found == peer_offers_.end()) return std::nullopt;
    OfferRef offer = std::move(found->ref);
    peer_offers_.erase(found);
    return offer;
}

Listener::~Listener() {
    nic_.connection_requests().stop_listening(service_);
    for (OfferRef& offer : waiting_)
        IncomingRequest(nic_, std::move(offer)).reject(PrivateData());
}

std::unique_ptr<fabric::ConnectionRequest> Listener::poll() {
    nic_.make_progress();
    while (!waiting_.empty()) {
        OfferRef offer = std::move(waiting_.front());
        waiting_.pop_front();
        if (offer.stands()) return std::make_unique<IncomingRequest>(nic_, std::move(offer));
    }
    return nullptr;
}

}  // namespace railyard::shm
