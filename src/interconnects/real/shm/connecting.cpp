// A queue pair's way from idle to connected. One side's offer is taken up by the other; when both
// have offered, the one with the smaller arena number gives way and takes up the other's.

#include <utility>

#include "base/log.hpp"
#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::shm {

using fabric::ConnectionState;
using fabric::PrivateData;

Status QueuePair::connect(const fabric::Address& to, fabric::Service service,
                          const PrivateData& data, Time deadline) {
    if (const Status status = may_connect(); !status.ok()) return status;
    return offer(handle_of(to), false, service, data, deadline);
}

Status QueuePair::connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                               const PrivateData& data, Time deadline) {
    if (const Status status = may_connect(); !status.ok()) return status;
    nic_.make_progress();  // their notice may have come
    const auto theirs = nic_.connection_requests().find_peer_offer(handle_of(to), discriminator);
    if (theirs) {
        take_block();
        if (take_offer(*theirs, data)) return Code::ok;
        nic_.free_block(block_index_);
    }
    return offer(handle_of(to), true, discriminator, data, deadline);
}

Status QueuePair::accept(fabric::ConnectionRequest& request, const PrivateData& data) {
    if (const Status status = may_connect(); !status.ok()) return status;
    auto* const incoming = dynamic_cast<IncomingRequest*>(&request);
    if (incoming == nullptr || &incoming->nic() != &nic_) return Code::invalid;
    take_block();
    if (!take_offer(incoming->offer(), data)) {
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

Status QueuePair::offer(const SharedMemory::Handle& to, bool peer_to_peer, std::uint64_t service,
                        const PrivateData& data, Time deadline) {
    try {
        asked_peer_ = nic_.meet(to);
    } catch (const Error& error) {
        log_debug("shm: nobody to connect to: {}", error.what());
        state_ = ConnectionState::failed;
        reason_ = Code::refused;
        return Code::ok;
    }
    asked_ = to;
    asked_service_ = service;
    asked_as_peer_ = peer_to_peer;
    deadline_ = deadline;
    take_block();
    block_->offer.question = data;
    block_->offer.state.store(
        Offer::tagged(block_->generation.load(std::memory_order_relaxed), Offer::offered),
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

void QueuePair::meet(const OfferRef& theirs) {
    // Both have offered. The larger waits to be taken up; the smaller gives way, unless its own
    // offer has been taken already.
    if (nic_.handle().inode > theirs.peer->handle().inode) return;
    if (nic_.handle().inode == theirs.peer->handle().inode && block_index_ > theirs.block) return;
    const PrivateData question = block_->offer.question;
    if (!withdraw()) return;
    if (take_offer(theirs, question)) return;
    // Theirs was withdrawn meanwhile: ours stands again, under the same notice.
    block_->offer.state.store(
        Offer::tagged(block_->generation.load(std::memory_order_relaxed), Offer::offered),
        std::memory_order_release);
}

bool QueuePair::take_offer(const OfferRef& theirs, const PrivateData& answer) {
    if (!theirs.claim()) return false;
    peer_data_ = theirs.offer().question;
    link(theirs.peer, theirs.block);
    theirs.answer(Offer::accepted, block_index_, answer);
    return true;
}

bool QueuePair::withdraw() {
    const std::uint32_t generation = block_->generation.load(std::memory_order_relaxed);
    auto expected = Offer::tagged(generation, Offer::offered);
    return block_->offer.state.compare_exchange_strong(
        expected, Offer::tagged(generation, Offer::withdrawn), std::memory_order_acq_rel);
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
    switch (Offer::untagged(block_->offer.state.load(std::memory_order_acquire))) {
        case Offer::accepted:
            peer_data_ = block_->offer.answer;
            link(asked_peer_, block_->offer.answer_block);
            return true;
        case Offer::rejected:
            peer_data_ = block_->offer.answer;
            connection_failed(Code::refused);
            return true;
        default:
            break;
    }
    if (asked_peer_->known_gone() ||
        asked_peer_->arena().closed.load(std::memory_order_acquire) != 0) {
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
