#include "mpi/collectives/meeting.hpp"

#include <algorithm>
#include <span>

namespace railyard::mpi {

namespace {

/// A vector's elements as they lie in memory, with what is between them.
std::size_t room_of(const ConstBuffer& vector) {
    return vector.count * static_cast<std::size_t>(vector.type->extent());
}

/// The same vector in a slot.
Buffer in_slot(const Hub& hub, const Hub::Round& round, int slot, const ConstBuffer& like) {
    return {hub.data(round, slot, room_of(like)), like.count, like.type};
}

}  // namespace

bool Meeting::go_on(Hub& hub) {
    if (stage_ == Stage::comes) {
        if (!come(hub) && !can_go_on(hub)) return false;
    }
    if (stage_ != Stage::comes) take(hub);
    hub.leave(round_);
    --hub.under_way;
    ++round_.number;
    return true;
}

bool Meeting::all_gave(Hub& hub) {
    while (seen_ < hub.size() && (seen_ == hub.rank() || hub.is_ready(round_, seen_)))
        ++seen_;
    return seen_ == hub.size();
}

bool Meeting::come(Hub& hub) {
    switch (part_.collective) {
        case Collective::barrier:
            if (!hub.arrive(round_)) break;
            hub.release(round_);
            return true;
        case Collective::bcast:
        case Collective::scatter:
            if (!is_root(hub)) break;
            give_from_root(hub);
            return true;
        case Collective::reduce:
        case Collective::gather:
            return give_to_root(hub);
        default:
            return give_to_all(hub);
    }
    stage_ = Stage::waits;
    return false;
}

void Meeting::give_from_root(Hub& hub) const {
    if (part_.collective == Collective::bcast) {
        give_block(hub, hub.result(), part_.result);
    } else {
        const ConstBlocks blocks(part_.data);
        for (int to = 0; to < hub.size(); ++to)
            if (to != part_.root) give_block(hub, to, blocks[to]);
        if (!is_in_place(part_.result)) move_data(blocks[part_.root], part_.result);
    }
    hub.release(round_);
    hub.prepare_slot_after(round_, hub.result());
}

bool Meeting::give_to_root(Hub& hub) {
    if (part_.collective == Collective::reduce)
        give_vector(hub, part_.data);
    else if (!is_root(hub))
        give_block(hub, hub.rank(), part_.data);
    if (is_root(hub)) {
        stage_ = Stage::collects;
        return false;
    }
    hub.give(round_);
    hub.prepare_slot_after(round_, hub.rank());
    return true;
}

bool Meeting::give_to_all(Hub& hub) {
    if (part_.collective == Collective::allreduce)
        give_vector(hub, part_.data);
    else if (part_.collective == Collective::allgather)
        give_block(hub, hub.rank(), own_block(hub));
    else
        give_a_block_to_each(hub);
    stage_ = Stage::waits;
    if (!hub.arrive(round_)) return false;
    // All get the same bits, whoever is the last.
    if (part_.collective == Collective::allreduce)
        combine(hub, in_slot(hub, round_, hub.result(), part_.result));
    hub.release(round_);
    return false;
}

void Meeting::give_vector(Hub& hub, const ConstBuffer& data) const {
    hub.length(round_, hub.rank()) = bytes_of(data);
    move_data(data, in_slot(hub, round_, hub.rank(), data));
}

void Meeting::give_block(Hub& hub, int slot, const ConstBuffer& block) const {
    const std::size_t bytes = std::min(bytes_of(block), hub.shape().capacity);
    hub.length(round_, slot) = bytes;
    move_data(block, as_buffer(std::span(hub.data(round_, slot, bytes), bytes)));
}

void Meeting::give_a_block_to_each(Hub& hub) const {
    const ConstBlocks given =
        is_in_place(part_.data) ? ConstBlocks(Blocks(part_.result)) : ConstBlocks(part_.data);
    const std::size_t each = bytes_of(part_.result);
    const auto ranks = static_cast<std::size_t>(hub.size());
    hub.length(round_, hub.rank()) = bytes_of(given[0]) * ranks;
    if (bytes_of(given[0]) != each) return;
    std::byte* const slot = hub.data(round_, hub.rank(), each * ranks);
    for (std::size_t to = 0; to < ranks; ++to)
        move_data(given[static_cast<int>(to)], as_buffer(std::span(slot + to * each, each)));
}

void Meeting::take(Hub& hub) {
    const Blocks blocks(part_.result);
    switch (part_.collective) {
        case Collective::barrier:
            return;
        case Collective::bcast:
            return take_block(hub, hub.result(), part_.result);
        case Collective::scatter:
            return take_block(hub, hub.rank(), part_.result);
        case Collective::reduce:
            return combine(hub, part_.result);
        case Collective::allreduce:
            return move_data(in_slot(hub, round_, hub.result(), part_.result), part_.result);
        case Collective::gather:
            for (int from = 0; from < hub.size(); ++from)
                if (from != part_.root) take_block(hub, from, blocks[from]);
            if (!is_in_place(part_.data)) move_data(part_.data, blocks[part_.root]);
            return;
        case Collective::allgather:
            for (int from = 0; from < hub.size(); ++from)
                take_block(hub, from, blocks[from]);
            return;
        default: {
            const std::size_t each = bytes_of(part_.result);
            for (int from = 0; from < hub.size(); ++from)
                take_block(hub, from, blocks[from], each * static_cast<std::size_t>(hub.rank()),
                           each * static_cast<std::size_t>(hub.size()));
        }
    }
}

void Meeting::expect_length(std::size_t came, std::size_t expected) {
    if (came == expected) return;
    if (!disagreed_) lengths_ = {came, expected};
    disagreed_ = true;
}

void Meeting::take_block(Hub& hub, int slot, const Buffer& block, std::size_t at,
                         std::size_t total) {
    const std::size_t came = hub.length(round_, slot);
    expect_length(came, total);
    if (came < total) return;
    move_data(as_buffer(std::span(hub.data(round_, slot, came) + at, bytes_of(block))), block);
}

void Meeting::combine(const Hub& hub, const Buffer& total) {
    int rank = hub.size() - 1;
    expect_length(hub.length(round_, rank), bytes_of(total));
    move_data(in_slot(hub, round_, rank, total), total);
    while (rank-- > 0) {
        expect_length(hub.length(round_, rank), bytes_of(total));
        part_.operation->apply(in_slot(hub, round_, rank, total).address, total.address,
                               total.count, *total.type);
    }
}

}  // namespace railyard::mpi
