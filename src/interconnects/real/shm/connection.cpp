#include "interconnects/real/shm/connection.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::shm {

using fabric::Address;
using fabric::ConnectionState;
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

void RequestRef::answer(ConnectRequest::State state, std::uint32_t own_block,
                        const PrivateData& data) const {
    request().answer_block = own_block;
    request().answer = data;
    // Release: the answer before the word that announces it.
    request().state.store(ConnectRequest::tagged(generation, state), std::memory_order_release);
    peer->wake();
}

IncomingRequest::IncomingRequest(const Nic& nic, RequestRef request)
    : nic_(nic),
      request_(std::move(request)),
      from_(address_of(request_.peer->handle())),
      data_(request_.request().question) {}

IncomingRequest::~IncomingRequest() {
    if (!answered_) reject(PrivateData());
}

void IncomingRequest::reject(const PrivateData& reason) {
    if (!std::exchange(answered_, true) && request_.claim())
        request_.answer(ConnectRequest::rejected, 0, reason);
}

void ConnectionRequests::deliver(const ConnectNotice& notice) {
    RequestRef request;
    try {
        request = {nic_.meet(notice.from), notice.block, notice.generation, notice.service};
    } catch (const SharedMemoryGone& error) {
        log_debug("shm: a connection request came from a process that is gone: {}", error.what());
        return;
    } catch (const Error& error) {
        log_error("shm: cannot connect to process {}: {}", notice.from.pid, error.what());
        // The asker sees our memory, though we do not see its.
        nic_.arena().cannot_meet.store(1, std::memory_order_release);
        return;
    }
    if (notice.peer_to_peer) {
        QueuePair* match = nullptr;
        for (QueuePair* candidate : nic_.connecting()) {
            const bool own_notice =
                notice.from == nic_.handle() && notice.block == candidate->block_index();
            if (!own_notice && candidate->waits_for(notice.from, notice.service)) match = candidate;
        }
        from_peers_.push_back({request, match != nullptr});
        if (match != nullptr) match->meet(request);
        return;
    }
    const auto listener = listeners_.find(notice.service);
    if (listener != listeners_.end()) {
        listener->second->add(std::move(request));
    } else if (request.claim()) {
        request.answer(ConnectRequest::rejected, 0, PrivateData());
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
    std::erase_if(from_peers_, [](const FromPeer& o) { return !o.ref.stands(); });
    for (FromPeer& candidate : from_peers_) {
        if (std::exchange(candidate.shown, true)) continue;
        return fabric::PeerRequest{address_of(candidate.ref.peer->handle()), candidate.ref.service,
                                   candidate.ref.request().question};
    }
    return std::nullopt;
}

std::optional<RequestRef> ConnectionRequests::find_peer_request(
    const SharedMemory::Handle& from, fabric::Discriminator discriminator) {
    std::erase_if(from_peers_, [](const FromPeer& o) { return !o.ref.stands(); });
    const auto found = std::find_if(from_peers_.begin(), from_peers_.end(), [&](const FromPeer& o) {
        return o.ref.peer->handle() == from && o.ref.service == discriminator;
    });
    if (found == from_peers_.end()) return std::nullopt;
    RequestRef request = std::move(found->ref);
    from_peers_.erase(found);
    return request;
}

Listener::~Listener() {
    nic_.connection_requests().stop_listening(service_);
    for (RequestRef& request : waiting_)
        IncomingRequest(nic_, std::move(request)).reject(PrivateData());
}

std::unique_ptr<fabric::ConnectionRequest> Listener::poll() {
    nic_.make_progress();
    while (!waiting_.empty()) {
        RequestRef request = std::move(waiting_.front());
        waiting_.pop_front();
        if (request.stands()) return std::make_unique<IncomingRequest>(nic_, std::move(request));
    }
    return nullptr;
}

// A queue pair's way from idle to connected. One side's request is taken up by the other; when
// both have asked, the one with the smaller arena number gives way and takes up the other's.

Status QueuePair::connect(const fabric::Address& to, fabric::Service service,
                          const PrivateData& data, Time deadline) {
    if (const Status status = may_connect(); !status.ok()) return status;
    return request_connection(handle_of(to), false, service, data, deadline);
}

Status QueuePair::connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                               const PrivateData& data, Time deadline) {
    if (const Status status = may_connect(); !status.ok()) return status;
    nic_.make_progress();  // their notice may have come
    const auto theirs = nic_.connection_requests().find_peer_request(handle_of(to), discriminator);
    if (theirs) {
        take_block();
        if (take_request(*theirs, data)) return Code::ok;
        nic_.free_block(block_index_);
    }
    return request_connection(handle_of(to), true, discriminator, data, deadline);
}

Status QueuePair::accept(fabric::ConnectionRequest& request, const PrivateData& data) {
    if (const Status status = may_connect(); !status.ok()) return status;
    auto* const incoming = dynamic_cast<IncomingRequest*>(&request);
    if (incoming == nullptr || &incoming->nic() != &nic_) return Code::invalid;
    take_block();
    if (!take_request(incoming->request(), data)) {
        nic_.free_block(block_index_);
        return Code::timed_out;  // the client has withdrawn
    }
    incoming->set_answered();
    return Code::ok;
}

RingMemory<Cell> QueuePair::ring_in(Block& block) {
    return {block.cells.data(), cell_count, block.data.data(), data_ring_size};
}

void QueuePair::take_block() {
    block_index_ = nic_.take_block(*this);
    block_ = &nic_.arena().blocks[block_index_];
    inlet_ = CellRingReader<Cell, look_ahead>(ring_in(*block_));
    update_wake_rule();
}

Status QueuePair::request_connection(const SharedMemory::Handle& to, bool peer_to_peer,
                                     std::uint64_t service, const PrivateData& data,
                                     Time deadline) {
    try {
        asked_peer_ = nic_.meet(to);
    } catch (const Error& error) {
        if (dynamic_cast<const SharedMemoryGone*>(&error) != nullptr)
            log_debug("shm: nobody to connect to: {}", error.what());
        else
            log_error("shm: cannot connect to process {}: {}", to.pid, error.what());
        state_ = ConnectionState::failed;
        reason_ = Code::refused;
        return Code::ok;
    }
    asked_ = to;
    asked_service_ = service;
    asked_as_peer_ = peer_to_peer;
    deadline_ = deadline;
    take_block();
    block_->request.question = data;
    block_->request.state.store(
        ConnectRequest::tagged(block_->generation.load(std::memory_order_relaxed),
                               ConnectRequest::pending),
        std::memory_order_release);
    state_ = ConnectionState::connecting;
    reason_ = Code::ok;
    notice_pending_ = true;
    nic_.set_connecting(*this);
    advance_connection();
    return Code::ok;
}

bool QueuePair::waits_for(const SharedMemory::Handle& from,
                          fabric::Discriminator discriminator) const {
    return state_ == ConnectionState::connecting && asked_as_peer_ && asked_ == from &&
           asked_service_ == discriminator;
}

void QueuePair::meet(const RequestRef& theirs) {
    // Both have asked. The larger waits to be taken up; the smaller gives way, unless its own
    // request has been taken already.
    if (nic_.handle().inode > theirs.peer->handle().inode) return;
    if (nic_.handle().inode == theirs.peer->handle().inode && block_index_ > theirs.block) return;
    const PrivateData question = block_->request.question;
    if (!withdraw()) return;
    if (take_request(theirs, question)) return;
    // Theirs was withdrawn meanwhile: ours stands again, under the same notice.
    block_->request.state.store(
        ConnectRequest::tagged(block_->generation.load(std::memory_order_relaxed),
                               ConnectRequest::pending),
        std::memory_order_release);
}

bool QueuePair::take_request(const RequestRef& theirs, const PrivateData& answer) {
    if (!theirs.claim()) return false;
    peer_data_ = theirs.request().question;
    link(theirs.peer, theirs.block);
    theirs.answer(ConnectRequest::accepted, block_index_, answer);
    return true;
}

bool QueuePair::withdraw() {
    const std::uint32_t generation = block_->generation.load(std::memory_order_relaxed);
    auto expected = ConnectRequest::tagged(generation, ConnectRequest::pending);
    return block_->request.state.compare_exchange_strong(
        expected, ConnectRequest::tagged(generation, ConnectRequest::withdrawn),
        std::memory_order_acq_rel);
}

bool QueuePair::advance_connection() {
    if (state_ != ConnectionState::connecting) return false;
    if (notice_pending_) {
        const ConnectNotice notice{nic_.handle(), block_index_,
                                   block_->generation.load(std::memory_order_relaxed),
                                   asked_as_peer_, asked_service_};
        notice_pending_ = !asked_peer_->arena().mailbox.drop(notice);
        asked_peer_->wake();
    }
    switch (ConnectRequest::untagged(block_->request.state.load(std::memory_order_acquire))) {
        case ConnectRequest::accepted:
            peer_data_ = block_->request.answer;
            link(asked_peer_, block_->request.answer_block);
            return true;
        case ConnectRequest::rejected:
            peer_data_ = block_->request.answer;
            connection_failed(Code::refused);
            return true;
        default:
            break;
    }
    if (asked_peer_->known_gone() ||
        asked_peer_->arena().closed.load(std::memory_order_acquire) != 0 ||
        asked_peer_->arena().cannot_meet.load(std::memory_order_acquire) != 0) {
        connection_failed(Code::refused);
        return true;
    }
    return false;
}

bool QueuePair::expire(Time now) {
    if (state_ != ConnectionState::connecting || now < deadline_) return false;
    // If it cannot be withdrawn it has just been taken: the next look finds the answer.
    if (withdraw()) connection_failed(Code::timed_out);
    return true;
}

void QueuePair::connection_failed(Code code) {
    state_ = ConnectionState::failed;
    reason_ = code;
    asked_peer_.reset();
    nic_.forget(*this);
    nic_.free_block(block_index_);
    block_ = nullptr;
}

void QueuePair::link(std::shared_ptr<Peer> peer, std::uint32_t peer_block) {
    peer_ = std::move(peer);
    asked_peer_.reset();
    peer_arena_ = &peer_->arena();
    peer_inode_ = peer_->handle().inode;
    peer_block_index_ = peer_block;
    peer_block_ = &peer_->arena().blocks[peer_block];
    peer_generation_ = peer_block_->generation.load(std::memory_order_acquire);
    outlet_ = CellRingWriter<Cell>(ring_in(*peer_block_), peer_block_->emptied);
    state_ = ConnectionState::connected;
    reason_ = Code::ok;
    // What the peer sent while we still looked unconnected is to be looked at.
    nic_.arena().activity.raise(block_index_);
}

}  // namespace railyard::shm
