// RDMA and atomics. Into memory that the peer's Nic allocated they are plain copies and CPU
// atomics; into memory that its user brought, the kernel copies, or, where it may not, the peer
// itself.

#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"
#include "interconnects/real/shm/region.hpp"

namespace railyard::shm {

using fabric::Access;
using fabric::Flags;
using fabric::Op;
using fabric::WorkRequest;

namespace {

constexpr std::uint64_t put_piece = data_ring_size / 3;

const ImportedRegion& target(const WorkRequest& work) {
    return static_cast<const ImportedRegion&>(*work.remote.region);
}

/// The local pieces of a request as the kernel wants them.
struct Pieces {
    std::array<iovec, max_slices> vector;
    std::size_t count = 0;

    explicit Pieces(const WorkRequest& work) {
        if (work.local.empty())
            vector[count++] = {const_cast<std::byte*>(work.bytes.data()), work.bytes.size()};
        for (const fabric::Slice& slice : work.local)
            vector[count++] = {slice.data(), slice.length.count()};
    }
    std::span<const iovec> span() const { return {vector.data(), count}; }
};

std::uint64_t carry_out(std::byte* at, const WorkRequest& work) {
    std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(at));
    if (work.op == Op::fetch_add) return word.fetch_add(work.operand, std::memory_order_acq_rel);
    std::uint64_t old = work.operand;
    word.compare_exchange_strong(old, work.swap, std::memory_order_acq_rel);
    return old;
}

void deliver_old_value(const WorkRequest& work, std::uint64_t old) {
    std::byte bytes[8];
    std::memcpy(bytes, &old, sizeof bytes);
    scatter(work.local, 0, bytes, sizeof bytes);
}

Outcome finished(Transfer& transfer, Code status) {
    transfer.status = status;
    return Outcome::finished;
}

}  // namespace

Code QueuePair::check(const fabric::RemoteSlice& remote, std::uint64_t length,
                      Access wanted) const {
    const auto& region = static_cast<const ImportedRegion&>(*remote.region);
    if (region.owner() != peer_inode_) return Code::bad_key;
    return check_access(*peer_arena_, region.index(), region.key(), remote.offset.count(), length,
                        wanted);
}

template <class Mapped, class Unmapped>
Code QueuePair::access_now(const fabric::RemoteSlice& remote, std::uint64_t length, Access wanted,
                           Mapped&& mapped, Unmapped&& unmapped) {
    if (state_ != fabric::ConnectionState::connected) return not_accepting().status.code();
    if (remote.region == nullptr || !remote.region->made_by(&nic_)) return Code::invalid;
    const auto& region = static_cast<const ImportedRegion&>(*remote.region);
    const std::uint64_t offset = remote.offset.count();
    if (region.mapped() == nullptr && peer_->reach() == Reach::bounce) return Code::unsupported;
    const AccessGuard inside(block_->accessing, region.index());
    const Code code = check(remote, length, wanted);
    if (code != Code::ok || length == 0) return code;
    if (region.mapped() == nullptr)
        return unmapped(peer_arena_->regions[region.index()].address + offset);
    mapped(region.mapped() + offset);
    return Code::ok;
}

Status QueuePair::write_now(const fabric::RemoteSlice& to, std::span<const std::byte> bytes) {
    return access_now(
        to, bytes.size(), Access::remote_write,
        [&](std::byte* at) { copy_bytes(at, bytes.data(), bytes.size()); },
        [&](std::uint64_t address) {
            const iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};
            return peer_->write_unordered(address, std::span(&piece, 1), bytes.size());
        });
}

Status QueuePair::read_now(std::span<std::byte> into, const fabric::RemoteSlice& from) {
    return access_now(
        from, into.size(), Access::remote_read,
        [&](const std::byte* at) { copy_bytes(into.data(), at, into.size()); },
        [&](std::uint64_t address) {
            const iovec piece{into.data(), into.size()};
            return peer_->read(address, std::span(&piece, 1), into.size());
        });
}

Code QueuePair::check_invalidate(const fabric::RemoteRegion& remote) const {
    const auto& region = static_cast<const ImportedRegion&>(remote);
    if (region.owner() != peer_inode_) return Code::bad_key;
    return check_access(*peer_arena_, region.index(), region.key(), 0, 0, Access::local);
}

void QueuePair::name_invalidated(const fabric::RemoteRegion& remote, SegmentHeader& header) {
    const auto& region = static_cast<const ImportedRegion&>(remote);
    header.invalidated_index = region.index();
    header.invalidated_key = region.key();
}

Outcome QueuePair::write(const WorkRequest& work, Transfer& transfer) {
    const ImportedRegion& region = target(work);
    const bool first = transfer.moved == 0 && transfer.last_cell == 0;
    const bool bounced = region.mapped() == nullptr && peer_->reach() == Reach::bounce;
    Cell* notice_cell = nullptr;
    if (work.op == Op::rdma_write_imm && (notice_cell = outlet_.claim()) == nullptr) {
        peer_->wake();
        return Outcome::blocked;
    }
    if (first) {
        const AccessGuard inside(block_->accessing, region.index());
        const Code code = check(work.remote, transfer.length, Access::remote_write);
        if (code != Code::ok) [[unlikely]]
            return finished(transfer, code);
        if (!bounced && overtakes_puts()) [[unlikely]]
            return Outcome::blocked;
        if (region.mapped() != nullptr) [[likely]] {
            Gather(work).place_all(region.mapped() + work.remote.offset.count(), transfer.length);
            transfer.moved = transfer.length;
        } else if (!bounced) {
            const std::uint64_t address = peer_arena_->regions[region.index()].address;
            const Code moved = peer_->write(address + work.remote.offset.count(),
                                            Pieces(work).span(), transfer.length);
            if (moved != Code::ok) return finished(transfer, moved);
            transfer.moved = transfer.length;
        }
    }
    if (bounced && put_segments(work, transfer) == Outcome::blocked) return Outcome::blocked;

    if (notice_cell != nullptr) {
        // Putting segments may have used up the cell that was free.
        if ((notice_cell = outlet_.claim()) == nullptr) return Outcome::blocked;
        notice_cell->kind = Kind::write_notice;
        notice_cell->where = Where::cell;
        notice_cell->marks = has(work.flags, Flags::solicited) ? Mark::solicited : 0;
        notice_cell->immediate = work.immediate;
        std::memcpy(notice_cell->payload.data(), &transfer.length, sizeof transfer.length);
        publish(has(work.flags, Flags::solicited));
    } else {
        peer_->wake();
    }
    transfer.last_cell = outlet_.published();
    const bool tracked =
        has(work.flags, Flags::remote_completion) && (bounced || work.op == Op::rdma_write_imm);
    const bool awaits_receive = work.op == Op::rdma_write_imm && track_sends_;
    return tracked || awaits_receive ? Outcome::issued : Outcome::finished;
}

/// Whether something done here and now would come before a put that the peer has yet to place.
bool QueuePair::overtakes_puts() {
    if (puts_end_ == 0) [[likely]]
        return false;
    if (outlet_.emptied() < puts_end_) {
        peer_->wake();
        return true;
    }
    puts_end_ = 0;
    return false;
}

Outcome QueuePair::put_segments(const WorkRequest& work, Transfer& transfer) {
    while (transfer.moved < transfer.length) {
        Cell* cell = outlet_.claim();
        const std::uint64_t length = std::min(transfer.length - transfer.moved, put_piece);
        std::byte* to = cell == nullptr ? nullptr : outlet_.reserve(length);
        if (to == nullptr) {
            peer_->wake();
            return Outcome::blocked;
        }
        Gather(work).copy(to, transfer.moved, length);
        RequestHeader request{};
        request.key = target(work).key();
        request.region = target(work).index();
        request.offset = work.remote.offset.count() + transfer.moved;
        request.length = static_cast<std::uint32_t>(length);
        std::memcpy(cell->payload.data(), &request, sizeof request);
        cell->kind = Kind::put;
        cell->where = Where::ring;
        cell->length = static_cast<std::uint32_t>(length);
        transfer.moved += length;
        transfer.last_cell = puts_end_ = outlet_.published() + 1;
        publish(true, length);
    }
    return Outcome::finished;
}

Outcome QueuePair::read(const WorkRequest& work, Transfer& transfer) {
    const ImportedRegion& region = target(work);
    if (transfer.ticket != 0) return get_pieces(work, transfer);
    const AccessGuard inside(block_->accessing, region.index());
    const Code code = check(work.remote, transfer.length, Access::remote_read);
    if (code != Code::ok || transfer.length == 0) return finished(transfer, code);
    if (overtakes_puts()) return Outcome::blocked;
    const std::uint64_t offset = work.remote.offset.count();
    if (region.mapped() != nullptr) {
        scatter(work.local, 0, region.mapped() + offset, transfer.length);
        return Outcome::finished;
    }
    if (peer_->reach() == Reach::bounce) return get_pieces(work, transfer);
    const std::uint64_t address = peer_arena_->regions[region.index()].address;
    return finished(transfer, peer_->read(address + offset, Pieces(work).span(), transfer.length));
}

Outcome QueuePair::get_pieces(const WorkRequest& work, Transfer& transfer) {
    // One piece at a time: asked for, awaited, taken out of the reply area, and on.
    for (;;) {
        const std::uint64_t left = transfer.length - transfer.moved;
        const std::uint64_t piece = std::min<std::uint64_t>(left, Reply::capacity);
        if (transfer.ticket != 0) {
            if (!replied(transfer)) return Outcome::blocked;
            transfer.ticket = 0;
            const auto status = static_cast<Code>(block_->reply.status);
            if (status != Code::ok) return finished(transfer, status);
            scatter(work.local, transfer.moved, block_->reply.data.data(), piece);
            transfer.moved += piece;
            if (transfer.moved == transfer.length) return Outcome::finished;
            continue;
        }
        if (!ask(Kind::get, work, transfer.moved, static_cast<std::uint32_t>(piece), transfer))
            return Outcome::blocked;
    }
}

Outcome QueuePair::atomic(const WorkRequest& work, Transfer& transfer) {
    const ImportedRegion& region = target(work);
    if (transfer.ticket == 0) {
        const AccessGuard inside(block_->accessing, region.index());
        const Code code = check(work.remote, 8, Access::remote_atomic);
        if (code != Code::ok) return finished(transfer, code);
        const std::uint64_t address =
            peer_arena_->regions[region.index()].address + work.remote.offset.count();
        if (address % 8 != 0) return finished(transfer, Code::misaligned);
        if (overtakes_puts()) return Outcome::blocked;
        std::byte* at = region.mapped() != nullptr ? region.mapped() + work.remote.offset.count()
                        : peer_->reach() == Reach::direct ? reinterpret_cast<std::byte*>(address)
                                                          : nullptr;
        if (at != nullptr) {
            deliver_old_value(work, carry_out(at, work));
            peer_->wake();
            return Outcome::finished;
        }
        // No CPU but the owner's can reach it.
        const Kind kind = work.op == Op::fetch_add ? Kind::fetch_add : Kind::compare_swap;
        if (!ask(kind, work, 0, 8, transfer)) return Outcome::blocked;
    }
    if (!replied(transfer)) return Outcome::blocked;
    transfer.ticket = 0;
    const auto status = static_cast<Code>(block_->reply.status);
    if (status == Code::ok) deliver_old_value(work, block_->reply.value);
    return finished(transfer, status);
}

bool QueuePair::ask(Kind kind, const WorkRequest& work, std::uint64_t skip, std::uint32_t length,
                    Transfer& transfer) {
    Cell* cell = outlet_.claim();
    if (cell == nullptr) {
        peer_->wake();
        return false;
    }
    RequestHeader request{};
    request.key = target(work).key();
    request.region = target(work).index();
    request.offset = work.remote.offset.count() + skip;
    request.length = length;
    request.operand = work.operand;
    request.swap = work.swap;
    request.ticket = transfer.ticket = ++tickets_;
    std::memcpy(cell->payload.data(), &request, sizeof request);
    cell->kind = kind;
    cell->where = Where::cell;
    publish(true);
    return true;
}

bool QueuePair::replied(const Transfer& transfer) const {
    // Acquire: the reply is read after the ticket.
    return block_->reply.ticket.load(std::memory_order_acquire) == transfer.ticket;
}

}  // namespace railyard::shm
