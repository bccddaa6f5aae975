#include "mpi/collectives/long_meeting.hpp"

#include <span>
#include <utility>

#include "mpi/collectives/buffers.hpp"

namespace railyard::mpi {

namespace {

std::byte* slot_of(const Hub& hub, const Hub::Round& round, int slot) {
    return hub.data(round, slot, hub.shape().capacity);
}

/// What a vector or a block in a slot belongs to; a sum of vectors, to all that they do.
struct Given {
    std::uint64_t least;  ///< bytes of the whole, of the rank that has fewest; and most
    std::uint64_t most;
    std::uint64_t first;  ///< round of its collective

    void add(const Given& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
        if (first != other.first) first = of_several;
    }
    static constexpr std::uint64_t of_several = ~std::uint64_t{0};
};

/// It stands in room for small data, which is not used here, as Hub::length() stands for points of
/// the tree.
Given& given_at(const Hub& hub, const Hub::Round& round, int slot) {
    return *reinterpret_cast<Given*>(hub.data(round, slot, sizeof(Given)));
}

/// From all to all, and nothing is combined.
bool is_for_all(Collective collective) {
    return collective == Collective::allgather || collective == Collective::alltoall;
}

}  // namespace

void LongMeeting::plan(Hub& hub) {
    const bool is_root = part_.root == hub.rank();
    const std::size_t capacity = hub.shape().capacity;
    if (part_.collective == Collective::bcast) {
        each_ = capacity;
        total_ = bytes_of(part_.result);
        gives_ = is_root;
        takes_ = !is_root;
    } else if (part_.collective == Collective::allgather) {
        each_ = capacity;
        total_ = bytes_of(part_.result);
        gives_ = takes_ = true;
        if (is_in_place(part_.data)) part_.data = Blocks(part_.result)[hub.rank()];
    } else if (part_.collective == Collective::alltoall) {
        each_ = capacity / static_cast<std::size_t>(hub.size());
        total_ = bytes_of(part_.result);
        gives_ = takes_ = true;
        if (is_in_place(part_.data)) part_.data = part_.result;
    } else {
        each_ = capacity / static_cast<std::size_t>(part_.data.type->extent());
        total_ = part_.data.count;
        one_ = part_.data.type->size();
        gives_ = true;
        takes_ = is_root || part_.collective == Collective::allreduce;
    }
    bytes_ = total_ * one_;
    segments_ = segments_of(bytes_);
    given_ = gives_ ? 0 : segments_;
    taken_ = takes_ ? 0 : segments_;
    first_ = hub.next(segments_);
}

bool LongMeeting::go_on(Hub& hub) {
    while (!hub.is_out_of_step() && (given_ < segments_ || taken_ < segments_)) {
        if (can_take(hub)) {
            const Hub::Round round = hub.in_turn(first_ + taken_);
            take(hub, round, taken_++);
            hub.leave(round);
        } else if (can_give(hub)) {
            const Hub::Round round = hub.in_turn(first_ + given_);
            give(hub, round, given_++);
            if (!takes_) hub.leave(round);
        } else {
            return false;
        }
    }
    --hub.under_way;
    if (given_ < segments_ || taken_ < segments_) disagreed_ = true;
    return true;
}

std::size_t LongMeeting::segments_of(std::uint64_t bytes) const {
    return (bytes / one_ + each_ - 1) / each_;
}

void LongMeeting::give(Hub& hub, const Hub::Round& round, std::size_t number) const {
    const std::size_t bytes = length_of(number);
    if (is_for_all(part_.collective)) {
        const std::size_t given = bytes_of(part_.data);
        given_at(hub, round, hub.rank()) = {given, given, first_};
        const ConstBlocks blocks(part_.data);
        const int blocks_given = part_.collective == Collective::alltoall ? hub.size() : 1;
        std::byte* const slot = slot_of(hub, round, hub.rank());
        for (int to = 0; to < blocks_given && given == total_; ++to)
            part_.data.type->pack(blocks[to].address, part_.data.count, start_of(number),
                                  {slot + static_cast<std::size_t>(to) * each_, bytes});
        if (hub.arrive(round)) hub.release(round);
        return;
    }
    if (part_.collective != Collective::bcast) {
        if (climb(hub, round, segment(part_.data, number))) hub.release(round);
        return;
    }
    given_at(hub, round, hub.result()) = {bytes_, bytes_, first_};
    part_.result.type->pack(part_.result.address, part_.result.count, start_of(number),
                            {slot_of(hub, round, hub.result()), bytes});
    hub.release(round);
}

bool LongMeeting::climb(Hub& hub, const Hub::Round& round, const ConstBuffer& own) const {
    int ours = Hub::nobody;  // the slot in which our vector is; nobody's: still the user's
    const auto move_to_slot = [&] {
        ours = hub.rank();
        given_at(hub, round, ours) = {bytes_, bytes_, first_};
        move_data(own, {slot_of(hub, round, ours), own.count, own.type});
    };
    for (int bit = 1; bit < hub.size(); bit *= 2) {
        const int left = hub.rank() & ~(2 * bit - 1);
        const int point = left + bit;
        if (point >= hub.size()) continue;  // there is nobody on the right
        const bool is_left = (hub.rank() & bit) == 0;
        int other = hub.first_at(round, point);
        if (ours == Hub::nobody) {
            if (other != Hub::nobody && (is_left || part_.operation->is_commutative())) {
                part_.operation->apply(own.address, slot_of(hub, round, other), own.count,
                                       *own.type);
                given_at(hub, round, other).add({bytes_, bytes_, first_});
                ours = other;
                hub.forget(round, point);
                continue;
            }
            move_to_slot();
        }
        if (other == Hub::nobody) other = hub.come_to(round, point, ours);
        if (other == Hub::nobody) return false;
        hub.forget(round, point);
        ours = is_left ? combine(hub, round, ours, other, true, own)
                       : combine(hub, round, other, ours, false, own);
    }
    if (ours == Hub::nobody) move_to_slot();
    hub.length(round, hub.result()) = static_cast<std::uint64_t>(ours);
    return true;
}

int LongMeeting::combine(const Hub& hub, const Hub::Round& round, int left, int right,
                         bool is_left_ours, const ConstBuffer& like) const {
    // An operation leaves its result on the right; better where we have written before.
    if (is_left_ours && part_.operation->is_commutative()) std::swap(left, right);
    part_.operation->apply(slot_of(hub, round, left), slot_of(hub, round, right), like.count,
                           *like.type);
    given_at(hub, round, right).add(given_at(hub, round, left));
    return right;
}

void LongMeeting::take(Hub& hub, const Hub::Round& round, std::size_t number) {
    const auto look_at = [&](int slot) {
        const Given& given = given_at(hub, round, slot);
        if (given.least == bytes_ && given.most == bytes_ && given.first == first_) [[likely]]
            return;
        if (!disagreed_) lengths_ = {given.least != bytes_ ? given.least : given.most, bytes_};
        disagreed_ = true;
        // Whoever has other segments comes to other rounds from here on.
        if (given.first != first_ || segments_of(given.least) != segments_ ||
            segments_of(given.most) != segments_)
            hub.fall_out_of_step();
    };
    const auto take_bytes = [&](int slot, const Buffer& to, std::size_t at = 0) {
        look_at(slot);
        to.type->unpack(to.address, to.count, start_of(number),
                        {slot_of(hub, round, slot) + at, length_of(number)});
    };
    if (part_.collective == Collective::bcast) return take_bytes(hub.result(), part_.result);
    if (is_for_all(part_.collective)) {
        const Blocks blocks(part_.result);
        const std::size_t at = part_.collective == Collective::alltoall
                                   ? static_cast<std::size_t>(hub.rank()) * each_
                                   : 0;
        // Each begins with another one, so that they do not all read the same.
        for (int i = 0; i < hub.size(); ++i) {
            const int from = (hub.rank() + i) % hub.size();
            take_bytes(from, blocks[from], at);
        }
        return;
    }
    const Buffer result = segment(part_.result, number);
    const auto slot = static_cast<int>(hub.length(round, hub.result()));
    look_at(slot);
    move_data(Buffer{slot_of(hub, round, slot), result.count, result.type}, result);
}

}  // namespace railyard::mpi
