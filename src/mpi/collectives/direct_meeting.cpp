#include "mpi/collectives/direct_meeting.hpp"

#include <algorithm>
#include <atomic>

#include "mpi/collectives/buffers.hpp"

namespace railyard::mpi {

namespace {

constexpr std::size_t piece = 256 << 10;  ///< bytes of a vector that are combined at once

}  // namespace

static_assert(sizeof(Offer) <= Hub::small.capacity);

ConstBuffer DirectMeeting::own_block(const Hub& hub) const {
    if (part_.collective == Collective::alltoall) return ConstBlocks(part_.data)[hub.rank()];
    return is_in_place(part_.data) ? ConstBuffer(Blocks(part_.result)[hub.rank()]) : part_.data;
}

bool DirectMeeting::gives(const Hub& hub) const {
    switch (part_.collective) {
        case Collective::bcast:
            return is_root(hub);
        case Collective::reduce:
            return !is_root(hub);
        default:
            return true;
    }
}

bool DirectMeeting::can_go_on(Hub& hub) {
    switch (stage_) {
        case Stage::comes:
            return hub.is_free(round_);
        case Stage::reads:
            return unread_.empty() || std::ranges::any_of(unread_, [&](int rank) {
                       return hub.is_ready(round_, rank);
                   });
        case Stage::waits:
            break;
    }
    return hub.is_released(round_);
}

bool DirectMeeting::go_on(Hub& hub, DirectReader& reader) {
    if (stage_ == Stage::comes) come(hub, reader);
    if (stage_ == Stage::reads) {
        // From the last on, so that one that is done with is cheap to take out.
        for (std::size_t i = unread_.size(); i-- > 0;) {
            if (!hub.is_ready(round_, unread_[i])) continue;
            read_from(hub, reader, unread_[i]);
            unread_.erase(unread_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (!unread_.empty()) return false;
        if (stage_ == Stage::reads) be_done_with_reading(hub);
    }
    if (!hub.is_released(round_)) return false;
    has_failed_ =
        std::atomic_ref(failure_at(hub)).load(std::memory_order_relaxed) == round_.number + 1;
    hub.leave(round_);
    --hub.under_way;
    return true;
}

void DirectMeeting::be_done_with_reading(Hub& hub) {
    // Relaxed: it is seen by whoever sees the release, which comes after all have arrived.
    if (has_failed_)
        std::atomic_ref(failure_at(hub)).store(round_.number + 1, std::memory_order_relaxed);
    stage_ = Stage::waits;
    if (hub.arrive(round_)) hub.release(round_);
}

void DirectMeeting::come(Hub& hub, DirectReader& reader) {
    stage_ = Stage::reads;
    if (gives(hub)) {
        ConstBuffer data =
            part_.collective == Collective::bcast ? ConstBuffer(part_.result) : own_block(hub);
        if (part_.collective == Collective::alltoall)
            data = ConstBlocks(part_.data).range(0, hub.size());
        offer_at(hub, hub.rank()) =
            reader.offer({data.type->dense_data(data.address), bytes_of(data)});
        hub.give(round_);
    }
    if (part_.collective == Collective::bcast) {
        if (!is_root(hub)) unread_.push_back(part_.root);
        return;
    }
    if (part_.collective == Collective::reduce) {
        if (is_root(hub)) unread_.push_back(1 - hub.rank());
        return;
    }
    // Each begins with the next one, so that they do not all read the same.
    for (int i = hub.size() - 1; i > 0; --i)
        unread_.push_back((hub.rank() + i) % hub.size());
    // Meanwhile others come. In place, it is there.
    if (!is_in_place(part_.data)) move_data(own_block(hub), Blocks(part_.result)[hub.rank()]);
}

void DirectMeeting::read_from(Hub& hub, DirectReader& reader, int rank) {
    if (has_failed_) return;
    const bool is_one_for_each = part_.collective == Collective::alltoall;
    const bool is_rooted =
        part_.collective == Collective::bcast || part_.collective == Collective::reduce;
    const Buffer into = is_rooted ? part_.result : Blocks(part_.result)[rank];
    const std::size_t bytes = bytes_of(into);
    const Offer& offer = offer_at(hub, rank);
    const std::size_t expected =
        is_one_for_each ? bytes * static_cast<std::size_t>(hub.size()) : bytes;
    if (offer.bytes != expected) {
        if (!disagreed_) lengths_ = {offer.bytes, expected};
        disagreed_ = true;
    }
    const std::size_t from = is_one_for_each ? bytes * static_cast<std::size_t>(hub.rank()) : 0;
    if (offer.bytes < from + bytes) return;
    if (part_.collective == Collective::reduce) return combine_with(hub, reader, rank, offer);
    if (into.type->is_dense()) {
        has_failed_ = !reader.read(rank, offer, from, {into.type->dense_data(into.address), bytes});
        return;
    }
    std::vector<std::byte> packed(bytes);
    has_failed_ = !reader.read(rank, offer, from, packed);
    if (!has_failed_) into.type->unpack(into.address, into.count, 0, packed);
}

void DirectMeeting::combine_with(Hub& hub, DirectReader& reader, int rank, const Offer& offer) {
    const Operation& operation = *part_.operation;
    const ConstBuffer& own = part_.data;
    const Buffer& total = part_.result;
    const bool is_left = hub.rank() < rank;
    const auto read = [&](std::uint64_t from, std::span<std::byte> into) {
        has_failed_ = !reader.read(rank, offer, from, into);
        return !has_failed_;
    };
    // An operation leaves its result on the right.
    if (own.address != total.address && (is_left || operation.is_commutative())) {
        // A piece at a time, so that it is still in the cache when it is combined.
        const std::size_t each = std::max<std::size_t>(1, piece / total.type->size());
        for (std::size_t at = 0; at < total.count; at += each) {
            const std::size_t count = std::min(each, total.count - at);
            const Buffer into = mpi::part(total, at, count);
            if (!read(at * total.type->size(),
                      {total.type->dense_data(into.address), bytes_of(into)}))
                return;
            // The other one need not wait for what is our own work.
            if (at + count == total.count) be_done_with_reading(hub);
            operation.apply(mpi::part(own, at, count).address, into.address, count, *total.type);
        }
        return;
    }
    // Before all of it is there, the own vector must not change: it may have been in vain.
    std::vector<std::byte> bytes(bytes_of(total));
    if (!read(0, bytes)) return;
    be_done_with_reading(hub);
    if (is_left && !operation.is_commutative()) {
        operation.apply(own.address, bytes.data(), total.count, *total.type);
        return move_data(as_buffer(std::span(bytes)), total);
    }
    move_data(own, total);
    operation.apply(bytes.data(), total.address, total.count, *total.type);
}

}  // namespace railyard::mpi
