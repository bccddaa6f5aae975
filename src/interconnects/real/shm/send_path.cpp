// How a queue pair's messages leave: in a cell, through the ring behind the cells, or, large ones,
// in chunks of this rank's pool, so that both sides copy at the same time.

#include <algorithm>
#include <cstring>

#include "interconnects/real/shm/nic.hpp"
#include "interconnects/real/shm/queue_pair.hpp"

namespace railyard::shm {

using fabric::Flags;
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

}  // namespace railyard::shm
