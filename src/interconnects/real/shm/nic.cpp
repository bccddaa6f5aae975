#include "interconnects/real/shm/nic.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "interconnects/real/shm/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::shm {

using namespace literals;

namespace {

// How soon the death of a peer is noticed.
constexpr Duration peer_check_interval = 100_ms;

/// Shared memory counts as a file, and takes address space here and in each peer.
std::uint32_t affordable_blocks() {
    rlimit files{};
    rlimit space{};
    const bool is_limited =
        (::getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur < sizeof(Arena)) ||
        (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY);
    return is_limited ? few_blocks : max_blocks;
}

}  // namespace

Nic::Nic(hosts::RealHost& host, const fabric::Traits& traits)
    : real::Nic<Parts>(host, traits),
      most_blocks_(affordable_blocks()),
      memory_(SharedMemory::create("railyard-arena", Bytes(Arena::size_for(most_blocks_)))),
      arena_(&arena_in(memory_)),
      reach_policy_(reach_policy_from_environment()),
      regions_(*arena_, [this](std::uint32_t region) { wait_for_access(region); }),
      connection_requests_(*this) {
    address_ = address_of(memory_.handle());
    arena_->own_address = reinterpret_cast<std::uint64_t>(arena_);
    arena_->bell = host.bell().handle();
    arena_->asymmetric_fences = fences_are_asymmetric() ? 1 : 0;
    arena_->magic = Arena::right_magic;
    for (std::uint32_t chunk = chunk_count; chunk-- > 0;)
        free_chunks_.push_back(chunk);
    // Peers copy from and to our memory with process_vm_readv; where the kernel restricts that to
    // children of the caller, this says that we agree. It fails harmlessly elsewhere.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    host_.attach(*this);
}

Nic::~Nic() {
    host_.detach(*this);
    arena_->closed.store(1, std::memory_order_release);
    for (auto& [inode, weak] : peers_)
        if (const auto peer = weak.lock()) peer->wake();
}

bool Nic::make_progress() {
    // Looking in vain costs a few loads, however many connections there are. The connection that
    // last received is looked at first: what it finds is handed over before anything else is
    // touched, but not for ever.
    constexpr unsigned most_in_a_row = 32;
    if (hot_ != nullptr && hot_->has_inbound() && ++hot_hits_ % most_in_a_row != 0 && hot_->drain())
        return true;
    bool any = false;
    if (arena_->activity.any()) any |= serve_activity();
    if (arena_->mailbox.has_news(notices_seen_)) {
        notices_seen_ = arena_->mailbox.take_all(
            [this](const ConnectNotice& notice) { connection_requests_.deliver(notice); });
        any = true;
    }
    if (!busy_.empty()) any |= advance_busy();
    if (!connecting_.empty()) any |= advance_connecting();
    return any;
}

bool Nic::serve_activity() {
    bool any = false;
    for (std::uint32_t group = 0; group < Activity::groups; ++group) {
        if (!arena_->activity.lower(group)) continue;
        for (std::size_t block = group; block < by_block_.size(); block += Activity::groups) {
            QueuePair* queue_pair = by_block_[block];
            if (queue_pair == nullptr) continue;
            if (queue_pair->drain()) {
                any = true;
                hot_ = by_block_[block];
            }
            if (by_block_[block] != nullptr) any |= by_block_[block]->check_peer();
        }
    }
    return any;
}

bool Nic::advance_busy() {
    bool any = false;
    for (std::size_t i = 0; i < busy_.size();) {
        QueuePair* queue_pair = busy_[i];
        any |= queue_pair->advance();
        // It may have failed and been forgotten, or have nothing left to do.
        if (i < busy_.size() && busy_[i] == queue_pair) {
            if (queue_pair->has_queued()) {
                ++i;
            } else {
                busy_.erase(busy_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
    return any;
}

bool Nic::advance_connecting() {
    bool any = false;
    const std::vector<QueuePair*> candidates = connecting_;
    for (QueuePair* queue_pair : candidates)
        any |= queue_pair->advance_connection();
    std::erase_if(connecting_, [](const QueuePair* q) { return !q->is_connecting(); });
    return any;
}

bool Nic::tick(Time now) {
    bool any = false;
    const std::vector<QueuePair*> candidates = connecting_;
    for (QueuePair* queue_pair : candidates)
        any |= queue_pair->expire(now);
    if (now < next_check_) return any;
    next_check_ = now + peer_check_interval;
    any |= check_peers();
    reclaim_lingering();
    return any;
}

Time Nic::next_timer() const {
    Time next = Time::never();
    for (const QueuePair* queue_pair : connecting_)
        next = std::min(next, queue_pair->deadline());
    for (const QueuePair* queue_pair : busy_)
        next = std::min(next, queue_pair->next_timer());
    for (const auto& [inode, weak] : peers_)
        if (const auto peer = weak.lock(); peer && peer->can_die())
            return std::min(next, next_check_);
    return next;
}

bool Nic::check_peers() {
    for (auto entry = peers_.begin(); entry != peers_.end();) {
        const auto peer = entry->second.lock();
        if (peer) peer->gone();
        entry = peer ? std::next(entry) : peers_.erase(entry);
    }
    bool any = false;
    for (std::size_t block = 0; block < by_block_.size(); ++block)
        if (by_block_[block] != nullptr) any |= by_block_[block]->check_peer();
    return any;
}

std::shared_ptr<Peer> Nic::meet(const SharedMemory::Handle& handle) {
    auto& known = peers_[handle.inode];
    if (auto peer = known.lock(); peer && peer->handle() == handle) return peer;
    auto peer = std::make_shared<Peer>(handle, reach_policy_);
    known = peer;
    return peer;
}

void Nic::wake(const fabric::Address& address) {
    const SharedMemory::Handle handle = handle_of(address);
    std::shared_ptr<Peer>& peer = woken_[handle.inode];
    try {
        if (!peer || peer->handle() != handle) peer = meet(handle);
        peer->wake();
    } catch (const Error&) {
        woken_.erase(handle.inode);  // it is gone, and nobody sleeps there
    }
}

std::uint32_t Nic::take_block(QueuePair& queue_pair) {
    if (free_blocks_.empty()) reclaim_lingering();
    std::uint32_t index = 0;
    if (!free_blocks_.empty()) {
        index = free_blocks_.back();
        free_blocks_.pop_back();
    } else if (by_block_.size() < most_blocks_) {
        index = static_cast<std::uint32_t>(by_block_.size());
        by_block_.push_back(nullptr);
    } else {
        throw Error(fmt::format("shm: more than {} connections at once on one Nic{}", most_blocks_,
                                most_blocks_ < max_blocks
                                    ? "; there may be more where neither files nor the address "
                                      "space are limited (ulimit -f, ulimit -v)"
                                    : ""));
    }
    by_block_[index] = &queue_pair;

    // Nobody else looks at it before it is asked for, which is a release.
    Block& block = arena_->blocks[index];
    const auto relaxed = std::memory_order_relaxed;
    block.generation.fetch_add(1, relaxed);
    block.emptied.tell_cells(0);
    block.emptied.tell_bytes(0);
    block.failure.store(0, relaxed);
    block.starving.store(0, relaxed);
    block.accessing.store(0, relaxed);
    block.reply.ticket.store(0, relaxed);
    block.request.state.store(ConnectRequest::none, relaxed);
    for (Cell& cell : block.cells)
        std::atomic_ref(cell.stamp).store(0, relaxed);
    block.state.store(Block::in_use, std::memory_order_release);
    return index;
}

void Nic::free_block(std::uint32_t index) {
    arena_->blocks[index].state.store(Block::unused, std::memory_order_release);
    by_block_[index] = nullptr;
    free_blocks_.push_back(index);
}

void Nic::linger(Lingering lingering) {
    by_block_[lingering.block] = nullptr;
    lingering_.push_back(std::move(lingering));
}

void Nic::reclaim_lingering() {
    std::erase_if(lingering_, [this](Lingering& entry) {
        const bool peer_is_through =
            entry.peer->gone() ||
            entry.peer_block->state.load(std::memory_order_acquire) != Block::in_use ||
            entry.peer_block->generation.load(std::memory_order_acquire) != entry.peer_generation;
        if (!peer_is_through) return false;
        free_blocks_.push_back(entry.block);
        free_chunks_.insert(free_chunks_.end(), entry.chunks.begin(), entry.chunks.end());
        return true;
    });
}

std::optional<std::uint32_t> Nic::take_chunk() {
    // Asked for late: what has not come back by now was not needed.
    if (free_chunks_.empty()) {
        for (QueuePair* queue_pair : by_block_)
            if (queue_pair != nullptr) queue_pair->reclaim_chunks();
        if (free_chunks_.empty()) return std::nullopt;
    }
    // The one that has been free longest: going round the whole pool keeps the chunks out of the
    // peer's first-level cache, from which dirty lines come back slowly.
    const std::uint32_t chunk = free_chunks_.front();
    free_chunks_.erase(free_chunks_.begin());
    return chunk;
}

void Nic::forget(QueuePair& queue_pair) {
    if (hot_ == &queue_pair) hot_ = nullptr;
    std::erase(busy_, &queue_pair);
    std::erase(connecting_, &queue_pair);
}

void Nic::wake_rule_changed() {
    for (QueuePair* queue_pair : by_block_)
        if (queue_pair != nullptr) queue_pair->update_wake_rule();
}

void Nic::wait_for_access(std::uint32_t region) {
    const auto inside = [&](const Block* block, Peer& peer) {
        return block->accessing.load(std::memory_order_acquire) == region + 1 && !peer.gone();
    };
    for (QueuePair* queue_pair : by_block_)
        while (queue_pair != nullptr && queue_pair->peer_is_inside(region))
            relax();
    for (Lingering& entry : lingering_)
        while (inside(entry.peer_block, *entry.peer))
            relax();
}

}  // namespace railyard::shm
