// Epochs: fences, start and post, locks, and flushes.
//
// An operation that went by packets is done at the target once a flush that followed it is
// acknowledged; a visit, once its target has counted it; one that fetches, once its data are here.
// Direct ones are done already, and a flush only has to put a full fence behind them: then no later
// load or store of this rank, nor the message by which it tells others, comes before they are seen
// by all. An acquire or release fence would not do on any processor: a store may still be passed by
// a later load. After loads alone an acquire fence does, which nothing passes that follows them.

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "mpi/collectives/collectives.hpp"
#include "mpi/windows/window.hpp"

namespace railyard::mpi {

namespace {

/// Nobody tells us that a lock in shared memory is free again.
constexpr Duration lock_sleep = Duration::us(50);

void order_all() {
#if defined(__SANITIZE_THREAD__)
    // The thread sanitizer does not understand fences; a word that all change orders them, too.
    static std::atomic<int> word = 0;
    word.fetch_add(0, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void order_loads() {
#if defined(__SANITIZE_THREAD__)
    order_all();
#else
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

Epochs::Open open_of(LockKind kind, bool unchecked) {
    if (unchecked) return Epochs::Open::locked_unchecked;
    return kind == LockKind::exclusive ? Epochs::Open::locked_exclusive
                                       : Epochs::Open::locked_shared;
}

}  // namespace

std::vector<int> Window::ranks_of(const Group& group) const {
    std::vector<int> ranks;
    for (const int world_rank : group.world_ranks()) {
        ranks.push_back(comm_->group().rank_of(world_rank));
        if (ranks.back() < 0)
            throw MpiError(ErrorClass::group, "rank " + std::to_string(world_rank) +
                                                  " of the job is in the group, but not in the "
                                                  "window's");
    }
    return ranks;
}

[[gnu::noinline]] void Window::start_flush(int rank) {
    Peer& target = peer(rank);
    if (!std::exchange(target.is_unflushed, false)) return;
    ++target.flushes;
    send({.kind = RmaKind::flush, .token = 1}, rank);
}

bool Window::is_flushed(const Peer& target) const {
    return target.acks == target.flushes && target.fetching == 0 && target.leaving == 0 &&
           !is_visiting(target);
}

void Window::wait_flushed(int rank) {
    const Peer& target = peer(rank);
    if (!is_flushed(target)) process().wait_until([&] { return is_flushed(target); });
}

void Window::throw_fault() {
    if (fault_.error == ErrorClass::success) [[likely]]
        return;
    const Fault fault = std::exchange(fault_, {});
    throw MpiError(fault.error, "an operation reached for memory that rank " +
                                    std::to_string(fault.rank) + " has not attached to the window");
}

inline bool Window::has_to_wait(const Peer& target) const {
    return target.is_unflushed || !is_flushed(target) || fault_.error != ErrorClass::success;
}

// Out of the way of a flush that has nothing to wait for.
[[gnu::noinline]] void Window::finish_flush(int rank) {
    wait_flushed(rank);
    throw_fault();
}

void Window::flush_touched() {
    order_all();
    if (touched_.empty()) [[likely]]
        return;
    for (const int rank : touched_)
        start_flush(rank);
    // Other threads may change the list while we wait.
    for (;;) {
        const auto next =
            std::ranges::find_if(touched_, [this](int rank) { return !is_flushed(peer(rank)); });
        if (next == touched_.end()) break;
        wait_flushed(*next);
    }
    std::erase_if(touched_, [this](int rank) {
        Peer& target = peer(rank);
        target.is_touched = target.is_unflushed;
        return !target.is_touched;
    });
}

void Window::fence(bool another_follows) {
    epochs_.check_fence();
    flush_touched();
    barrier(comm_->team());
    epochs_.fence(another_follows);
    throw_fault();  // last: the others wait for us
}

void Window::start(const Group& targets, bool unchecked) {
    const std::vector<int> ranks = ranks_of(targets);
    epochs_.start(ranks);
    if (unchecked) return;
    for (const int rank : ranks) {
        Peer& target = peer(rank);
        if (target.posts == 0) process().wait_until([&] { return target.posts != 0; });
        --target.posts;
    }
}

void Window::complete() {
    const std::vector<int> targets = epochs_.complete();
    order_all();
    // Unlike packets, what RDMA does keeps no order with messages.
    if (has_rdma_)
        for (const int rank : targets)
            wait_for_buffers(rank);
    for (const int rank : targets) {
        send({.kind = RmaKind::complete}, rank);
        peer(rank).is_unflushed = false;
    }
    for (const int rank : targets)
        finish_flush(rank);
}

void Window::post(const Group& origins, bool unchecked) {
    std::vector<int> ranks = ranks_of(origins);
    epochs_.post();
    exposed_to_ = std::move(ranks);
    order_all();
    if (unchecked) return;
    for (const int rank : exposed_to_)
        send({.kind = RmaKind::post}, rank);
}

bool Window::test() {
    epochs_.check_posted();
    for (const int rank : exposed_to_)
        if (peer(rank).completes == 0) return false;
    for (const int rank : exposed_to_)
        --peer(rank).completes;
    epochs_.end_post();
    order_all();
    return true;
}

void Window::wait() {
    if (!test()) process().wait_until([this] { return test(); });
}

void Window::check_locks_allowed() const {
    if (!allows_locks)
        throw MpiError(ErrorClass::rma_sync,
                       "the window was made with the hint no_locks, so it has none");
}

void Window::take_lock(int rank, LockKind kind) {
    Peer& target = peer(rank);
    if (is_mapped_) {
        std::uint64_t& word = target.words->lock;
        if (!try_lock(word, kind))
            process().wait_until([&] { return try_lock(word, kind); }, lock_sleep);
        return;
    }
    if (has_rdma_) return rank == comm_->rank() ? lock_own(kind) : lock_remote(rank, kind);
    target.is_granted = false;
    send({.kind = RmaKind::lock, .detail = static_cast<std::uint8_t>(kind)}, rank);
}

void Window::give_lock(int rank, LockKind kind) {
    Peer& target = peer(rank);
    if (is_mapped_) return mpi::unlock(target.words->lock, kind);
    if (has_rdma_) return unlock_remote(rank, kind);
    const bool unflushed = std::exchange(target.is_unflushed, false);
    if (unflushed) ++target.flushes;
    target.has_unacknowledged = !unflushed;
    send({.kind = RmaKind::unlock,
          .detail = static_cast<std::uint8_t>(kind),
          .token = unflushed ? 1u : 0u},
         rank);
}

void Window::lock(int target, LockKind kind, bool unchecked) {
    check_locks_allowed();
    epochs_.lock(target, open_of(kind, unchecked));
    if (unchecked) return;
    take_lock(target, kind);
    Peer& other = peer(target);
    if (sends_locks() && !other.is_granted) process().wait_until([&] { return other.is_granted; });
}

void Window::unlock(int target) {
    const Epochs::Open how = epochs_.unlock(target);
    order_all();
    // Where nobody but us gives the lock up, all is done before.
    if (!sends_locks() || how == Epochs::Open::locked_unchecked) {
        start_flush(target);
        wait_flushed(target);
    }
    if (how != Epochs::Open::locked_unchecked)
        give_lock(target,
                  how == Epochs::Open::locked_exclusive ? LockKind::exclusive : LockKind::shared);
    finish_flush(target);
}

void Window::lock_all(bool unchecked) {
    check_locks_allowed();
    epochs_.lock_all(open_of(LockKind::shared, unchecked));
    if (unchecked) return;
    for (int rank = 0; rank < comm_->size(); ++rank)
        take_lock(rank, LockKind::shared);
    if (!sends_locks()) return;
    for (const Peer& target : peers_)
        if (!target.is_granted) process().wait_until([&] { return target.is_granted; });
}

void Window::unlock_all() {
    const Epochs::Open how = epochs_.unlock_all();
    flush_touched();
    if (how == Epochs::Open::locked_unchecked) return throw_fault();
    for (int rank = 0; rank < comm_->size(); ++rank)
        give_lock(rank, LockKind::shared);
    throw_fault();
}

void Window::flush(int target) {
    epochs_.check_flush(target);
    // Another thread's stores are seen before ours: it has given up the library's lock since.
    std::exchange(has_stored_, false) ? order_all() : order_loads();
    if (!all_direct_ && has_to_wait(peer(target))) {
        start_flush(target);
        finish_flush(target);
    }
    progress_now_and_then();
}

void Window::flush_all() {
    epochs_.check_flush_all();
    flush_touched();
    throw_fault();
    progress_now_and_then();
}

void Window::wait_for_buffers(int rank) {
    const Peer& target = peer(rank);
    const auto is_done = [&] { return target.fetching == 0 && target.leaving == 0; };
    if (!is_done()) process().wait_until(is_done);
}

void Window::flush_local(int target) {
    epochs_.check_flush(target);
    wait_for_buffers(target);
    progress_now_and_then();
}

void Window::flush_local_all() {
    epochs_.check_flush_all();
    for (const int rank : std::vector<int>(touched_))
        wait_for_buffers(rank);
    progress_now_and_then();
}

void Window::sync() {
    order_all();
    process().progress();
}

}  // namespace railyard::mpi
