// How a queue pair's messages leave: in a cell, through the ring behind the cells, or, large ones,
// in chunks of this rank's pool, so that both sides copy at the same time. And how they come in:
// cells are read in order, each into the receive that its message has taken. A message without a
// receive waits in the ring, and everything behind it waits too.

#include <algorithm>
#include <cstring>

#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"

namespace railyard::shm {

using fabric::Flags;
using fabric::Op;
using fabric::WorkRequest;

namespace {

/// The most that goes through the data ring in one piece: a third of it.
constexpr std::uint64_t ring_piece = data_ring_size / 3;
/// Longer messages go in chunks if any are free. The ring stays in the first-level caches, and
/// lines that are dirty there change hands slowly; going round the pool, they come from the second
/// level.
constexpr std::uint64_t ring_message = 4096;

bool wants_remote_completion(const WorkRequest& work) {
    return has(work.flags, Flags::remote_completion);
}

}  // namespace

void QueuePair::fill_header(Cell& cell, const WorkRequest& work, const Transfer& transfer) {
    cell.kind = transfer.moved == 0 ? Kind::send : Kind::more;
    cell.marks =
        static_cast<std::uint8_t>((work.with_immediate ? Mark::has_immediate : 0) |
                                  (has(work.flags, Flags::solicited) ? Mark::solicited : 0) |
                                  (work.invalidate != nullptr ? Mark::invalidates : 0));
    cell.immediate = work.immediate;
}

Outcome QueuePair::send(const WorkRequest& work, Transfer& transfer) {
    if (transfer.length <= cell_payload && work.invalidate == nullptr) [[likely]] {
        Cell* cell = outlet_.claim();
        if (cell == nullptr) {
            peer_->wake();  // there is no room until it reads
            return Outcome::blocked;
        }
        fill_header(*cell, work, transfer);
        cell->where = Where::cell;
        cell->marks |= Mark::last;
        cell->in_cell = static_cast<std::uint8_t>(transfer.length);
        Gather(work).copy(cell->payload.data(), 0, transfer.length);
        publish(has(work.flags, Flags::solicited));
        transfer.moved = transfer.length;
    } else {
        if (work.invalidate != nullptr && transfer.moved == 0) {
            // The key is checked here; at the peer it is only used.
            const Code code = check_invalidate(*work.invalidate);
            if (code != Code::ok) {
                transfer.status = code;
                return Outcome::finished;
            }
        }
        do {
            if (!send_segment(work, transfer)) {
                peer_->wake();
                return Outcome::blocked;
            }
        } while (transfer.moved < transfer.length);
    }
    transfer.last_cell = outlet_.published();
    const bool awaits_peer = wants_remote_completion(work) || track_sends_;
    return awaits_peer ? Outcome::issued : Outcome::finished;
}

bool QueuePair::send_segment(const WorkRequest& work, Transfer& transfer) {
    Cell* cell = outlet_.claim();
    if (cell == nullptr) return false;
    const std::uint64_t left = transfer.length - transfer.moved;
    SegmentHeader header{};
    header.message_length = transfer.length;

    std::byte* to = nullptr;
    std::uint64_t in_ring = 0;
    std::uint64_t length = std::min<std::uint64_t>(left, chunk_size);
    if (transfer.length > ring_message) {
        if (const auto chunk = nic_.take_chunk()) {
            header.chunk = *chunk;
            to = nic_.arena().chunks[*chunk].data();
            cell->where = Where::chunk;
            leases_[lease_count_++] = {outlet_.published() + 1, *chunk};
        } else if (lease_count_ > 0) {
            return false;  // ours come back as the peer reads, and the fast way is worth the wait
        }
    }
    if (to == nullptr) {
        // The ring is every connection's own: it works when others hold all the chunks.
        length = in_ring = std::min(left, ring_piece);
        to = outlet_.reserve(length);
        if (to == nullptr) return false;
        cell->where = Where::ring;
    }
    fill_header(*cell, work, transfer);
    if (work.invalidate != nullptr) name_invalidated(*work.invalidate, header);
    Gather(work).copy(to, transfer.moved, length);
    transfer.moved += length;
    if (transfer.moved == transfer.length) cell->marks |= Mark::last;
    cell->length = static_cast<std::uint32_t>(length);
    std::memcpy(cell->payload.data(), &header, sizeof header);
    // A receiver that sleeps through unsolicited messages is still needed to empty the ring.
    publish(has(work.flags, Flags::solicited), in_ring);
    return true;
}

void QueuePair::reclaim_chunks() {
    if (lease_count_ == 0) return;
    const std::uint64_t emptied = outlet_.emptied();
    std::uint32_t done = 0;
    while (done < lease_count_ && leases_[done].cell <= emptied)
        nic_.return_chunk(leases_[done++].chunk);
    std::copy(leases_.begin() + done, leases_.begin() + lease_count_, leases_.begin());
    lease_count_ -= done;
}

bool QueuePair::drain() {
    bool any = false;
    while (state_ == fabric::ConnectionState::connected) {
        const Cell* cell = inlet_.front();
        if (cell == nullptr || !consume(*cell)) break;
        inlet_.pop();
        block_->emptied.tell_cells(inlet_.cells());
        any = true;
    }
    // The sender may sleep for want of room, or for our having received.
    if (any) peer_->wake();
    return any;
}

void QueuePair::pop_data(std::uint64_t bytes) {
    inlet_.pop_data(bytes);
    block_->emptied.tell_bytes(inlet_.bytes());
}

bool QueuePair::consume(const Cell& cell) {
    switch (cell.kind) {
        case Kind::send:
        case Kind::more:
            return take_segment(cell);
        case Kind::write_notice:
            return take_notice(cell);
        case Kind::put:
        case Kind::get:
        case Kind::fetch_add:
        case Kind::compare_swap:
            return serve(cell);
    }
    fail(Code::remote_fault, Code::remote_fault, Code::remote_fault);
    return false;
}

bool QueuePair::begin_message(const Cell&, std::uint64_t length) {
    if (receives_->empty()) {
        starve();
        return false;
    }
    const PostedReceive& receive = receives_->front();
    incoming_.receive = receive;
    incoming_.length = length;
    incoming_.received = 0;
    incoming_.active = true;
    const bool fits = length <= receive.capacity;
    receives_->pop();
    if (!fits) fail(Code::too_long, Code::flushed, Code::too_long);
    return fits;
}

bool QueuePair::take_segment(const Cell& cell) {
    if (cell.where == Where::cell) [[likely]] {
        // The whole message is in this line: straight into the receive.
        if (receives_->empty()) [[unlikely]] {
            starve();
            return false;
        }
        const PostedReceive& receive = receives_->front();
        if (cell.in_cell > receive.capacity) [[unlikely]]
            return begin_message(cell, cell.in_cell);
        scatter(receive.local(), 0, cell.payload.data(), cell.in_cell);
        fabric::Completion completion;
        completion.id = receive.id;
        completion.op = Op::receive;
        completion.has_immediate = (cell.marks & Mark::has_immediate) != 0;
        completion.immediate = cell.immediate;
        completion.length = Bytes(cell.in_cell);
        completion.queue_pair = this;
        receives_->pop();
        receive_completions_->push(completion);
        return true;
    }
    SegmentHeader header;
    std::memcpy(&header, cell.payload.data(), sizeof header);
    if (cell.kind == Kind::send && !begin_message(cell, header.message_length)) return false;
    if (cell.where == Where::chunk) {
        const auto& chunk = peer_->arena().chunks[header.chunk % chunk_count];
        scatter(incoming_.receive.local(), incoming_.received, chunk.data(), cell.length);
    } else {
        scatter(incoming_.receive.local(), incoming_.received, inlet_.data(cell.length),
                cell.length);
        pop_data(cell.length);
    }
    incoming_.received += cell.length;
    if ((cell.marks & Mark::last) != 0) end_message(cell, header);
    return true;
}

void QueuePair::end_message(const Cell& cell, const SegmentHeader& header) {
    fabric::Completion completion;
    completion.id = incoming_.receive.id;
    completion.op = Op::receive;
    completion.has_immediate = (cell.marks & Mark::has_immediate) != 0;
    completion.immediate = cell.immediate;
    completion.length = Bytes(incoming_.received);
    completion.queue_pair = this;
    if ((cell.marks & Mark::invalidates) != 0)
        completion.invalidated =
            nic_.regions().invalidate(header.invalidated_index, header.invalidated_key);
    incoming_.active = false;
    receive_completions_->push(completion);
}

bool QueuePair::take_notice(const Cell& cell) {
    if (receives_->empty()) {
        starve();
        return false;
    }
    std::uint64_t length = 0;
    std::memcpy(&length, cell.payload.data(), sizeof length);
    fabric::Completion completion;
    completion.id = receives_->front().id;
    completion.op = Op::receive;
    completion.has_immediate = true;
    completion.immediate = cell.immediate;
    completion.length = Bytes(length);
    completion.queue_pair = this;
    receives_->pop();
    receive_completions_->push(completion);
    return true;
}

void QueuePair::starve() {
    if (starving_) return;
    starving_ = true;
    block_->starving.store(1, std::memory_order_release);
    receives_->add_starving(*this);
    peer_->wake();
}

void QueuePair::receive_posted() {
    starving_ = false;
    if (block_ == nullptr) return;
    block_->starving.store(0, std::memory_order_release);
    drain();
}

bool QueuePair::serve(const Cell& cell) {
    RequestHeader request;
    std::memcpy(&request, cell.payload.data(), sizeof request);
    const Arena& own = nic_.arena();
    const auto wanted = cell.kind == Kind::put   ? fabric::Access::remote_write
                        : cell.kind == Kind::get ? fabric::Access::remote_read
                                                 : fabric::Access::remote_atomic;
    // The asker has checked too, but the region may have gone since.
    const Code code =
        check_access(own, request.region, request.key, request.offset, request.length, wanted);
    auto* memory =
        code == Code::ok
            ? reinterpret_cast<std::byte*>(own.regions[request.region].address + request.offset)
            : nullptr;
    if (cell.kind == Kind::put) {
        if (code != Code::ok) {
            fail(Code::remote_closed, Code::remote_closed, code);
            return false;
        }
        place(memory, inlet_.data(cell.length), cell.length);
        pop_data(cell.length);
        return true;
    }
    std::uint64_t old = 0;
    if (code == Code::ok && cell.kind == Kind::get) {
        copy_bytes(peer_block_->reply.data.data(), memory, request.length);
    } else if (code == Code::ok) {
        std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(memory));
        if (cell.kind == Kind::fetch_add) {
            old = word.fetch_add(request.operand, std::memory_order_acq_rel);
        } else {
            old = request.operand;
            word.compare_exchange_strong(old, request.swap, std::memory_order_acq_rel);
        }
    }
    answer(request.ticket, code, old);
    return true;
}

void QueuePair::answer(std::uint64_t ticket, Code status, std::uint64_t value) {
    Reply& reply = peer_block_->reply;
    reply.status = static_cast<std::uint32_t>(status);
    reply.value = value;
    // Release: the reply before the ticket that announces it.
    reply.ticket.store(ticket, std::memory_order_release);
    peer_->wake();
}

}  // namespace railyard::shm
