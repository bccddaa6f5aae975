// Operations by RDMA, where adapters carry it out without the target's help: puts, gets and locks.
// Each is done when its requests are complete, so a flush waits for them, and sends nothing.
//
// The lock. An adapter's atomic operations need not be atomic with those of the processor, so the
// owner of a window and all others have a word each. Others count themselves into `lock` by atomic
// operations of the owner's adapter, and then read `owner`; if that keeps them out, they take back
// what they did, and try again. The owner writes what it wants to `owner`, and then looks at `lock`
// until it is free for it. Whichever of the two was first, one of them sees the other's word: each
// writes its own before it reads the other's. The owner comes first then, and so does not starve.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "mpi/windows/window.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t slot_size = 2048;
constexpr std::size_t slot_count = 8;
constexpr Duration shortest_pause = Duration::us(1);
constexpr Duration longest_pause = Duration::us(64);

/// What the owner writes into its word.
std::uint64_t owners_word(LockKind kind) {
    return kind == LockKind::exclusive ? 2 : 1;
}

bool keeps_out(std::uint64_t owner, LockKind kind) {
    return owner == owners_word(LockKind::exclusive) || (owner != 0 && kind == LockKind::exclusive);
}

std::uint64_t others_word(LockKind kind) {
    return kind == LockKind::exclusive ? exclusive_bit : 1;
}

}  // namespace

void Window::expose(const WindowPlan& plan) {
    const auto words = std::as_writable_bytes(std::span(&own_words_, 1));
    words_region_ = process().register_memory(words, false);
    has_rdma_ = words_region_ != nullptr;
    if (!has_rdma_) return;
    slots_ = std::make_unique<std::byte[]>(slot_size * slot_count);
    slots_region_ = process().register_memory({slots_.get(), slot_size * slot_count}, false);
    for (std::size_t i = 0; i < slot_count; ++i)
        free_slots_.push_back(slots_.get() + i * slot_size);
    std::byte* const memory = own_memory_ ? own_memory_.get() : static_cast<std::byte*>(plan.base);
    if (plan.size != 0) memory_region_ = process().register_memory({memory, plan.size}, false);
}

std::byte* Window::take_slot() {
    if (free_slots_.empty()) process().wait_until([this] { return !free_slots_.empty(); });
    std::byte* const slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
}

Window::Local Window::make_local(Transfer& transfer, std::byte* dense, std::size_t total) {
    if (total <= slot_size) return {transfer.slot = take_slot(), slots_region_};
    if (dense != nullptr) return {dense, process().register_memory({dense, total}, true)};
    transfer.packed = std::make_unique_for_overwrite<std::byte[]>(total);
    return {transfer.packed.get(),
            process().register_memory({transfer.packed.get(), total}, false)};
}

void Window::access_runs(fabric::Op op, Transfer& transfer, const Local& local, const Found& place,
                         const TargetBuffer& to, Content content) {
    std::size_t at = 0;
    ++transfer.parts;  // so that it is not done before all have started
    for_each_run(*to.type, to.count, place.at, Unit{}, [&](const Run& run) {
        const RemoteAccess access{.op = op, .remote = {place.peer.remote_memory, run.at}};
        start(transfer, process().start_access(access, {local.bytes + at, run.count}, local.region,
                                               comm_->world_rank(to.rank), content));
        at += run.count;
    });
    if (--transfer.parts == 0) on_done(transfer);
}

Request* Window::put_remote(const ConstBuffer& data, const Found& place, const TargetBuffer& to,
                            bool wanted) {
    const std::size_t total = to.bytes();
    if (total == 0) return nullptr;
    touch(place.peer, to.rank);
    Transfer& transfer = take_transfer(Transfer::Role::bulk_out, to.rank);
    std::byte* const dense = data.type->is_dense()
                                 ? const_cast<std::byte*>(data.type->dense_data(data.address))
                                 : nullptr;
    const Local local = make_local(transfer, dense, total);
    if (local.bytes != dense) {
        data.type->pack(data.address, data.count, 0, {local.bytes, total});
        process().host().charge_copy(total, nullptr, static_cast<const std::byte*>(data.address));
    }
    Request* const user = wanted ? &process().make_pending(comm_->context()) : nullptr;
    transfer.user = user;
    access_runs(fabric::Op::rdma_write, transfer, local, place, to, Content::may_stay);
    return user;
}

Request* Window::get_remote(const Buffer& into, const Found& place, const TargetBuffer& from,
                            bool wanted) {
    const std::size_t total = from.bytes();
    if (total == 0) return nullptr;
    touch(place.peer, from.rank);
    Transfer& transfer = take_transfer(Transfer::Role::fetch, from.rank);
    std::byte* const dense = into.type->is_dense() ? into.type->dense_data(into.address) : nullptr;
    const Local local = make_local(transfer, dense, total);
    transfer.into = into;
    transfer.bytes = total;
    if (local.bytes != dense) {
        transfer.stream = local.bytes;
        transfer.keeps_type = into.type->weak_from_this().lock();
    }
    Request* const user = wanted ? &process().make_pending(comm_->context()) : nullptr;
    transfer.user = user;
    // What is unpacked afterwards must have come.
    access_runs(fabric::Op::rdma_read, transfer, local, place, from,
                local.bytes == dense ? Content::may_stay : Content::comes);
    return user;
}

std::uint64_t Window::access_word(int rank, std::size_t offset, RemoteAccess access) {
    access.remote = {peer(rank).remote_words, offset};
    std::byte* const slot = take_slot();
    Request& request = process().start_access(access, {slot, sizeof(std::uint64_t)}, slots_region_,
                                              comm_->world_rank(rank));
    process().wait(request);
    process().release(request);
    std::uint64_t word = 0;
    std::memcpy(&word, slot, sizeof word);
    free_slots_.push_back(slot);
    return word;
}

void Window::lock_remote(int rank, LockKind kind) {
    const bool alone = kind == LockKind::exclusive;
    const RemoteAccess take = {.op = alone ? fabric::Op::compare_swap : fabric::Op::fetch_add,
                               .remote = {},
                               .operand = alone ? 0 : others_word(kind),
                               .swap = others_word(kind)};
    for (Duration pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
        const std::uint64_t held = access_word(rank, offsetof(SharedWords, lock), take);
        const bool taken = alone ? held == 0 : (held & exclusive_bit) == 0;
        if (taken && !keeps_out(access_word(rank, offsetof(SharedWords, owner),
                                            {.op = fabric::Op::rdma_read, .remote = {}}),
                                kind))
            return;
        // Who shares has counted itself in even if it may not stay.
        if (taken || !alone) unlock_remote(rank, kind);
        process().host().compute(pause);
        process().progress();
    }
}

void Window::unlock_remote(int rank, LockKind kind) {
    if (rank == comm_->rank()) {
        // Release: what we did to our memory comes before.
        std::atomic_ref(own_words_.owner).store(0, std::memory_order_release);
        return;
    }
    access_word(rank, offsetof(SharedWords, lock),
                {.op = fabric::Op::fetch_add, .remote = {}, .operand = 0 - others_word(kind)});
}

void Window::lock_own(LockKind kind) {
    // Both in one order for all: the store of our word must not be passed by the look at theirs.
    const std::atomic_ref owner(own_words_.owner);
    const std::atomic_ref others(own_words_.lock);
    owner.store(owners_word(kind), std::memory_order_seq_cst);
    const auto is_free = [&] {
        const std::uint64_t held = others.load(std::memory_order_seq_cst);
        return kind == LockKind::exclusive ? held == 0 : (held & exclusive_bit) == 0;
    };
    if (!is_free()) process().wait_until(is_free, longest_pause);
}

}  // namespace railyard::mpi
