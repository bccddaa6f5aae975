#include "mpi/collectives/hub.hpp"

#include <algorithm>

#include "base/asymmetric_fence.hpp"

namespace railyard::mpi {

std::size_t Hub::memory_needed() const {
    return sizeof(Head) + static_cast<std::size_t>(size_) * sizeof(Marks) +
           sets() * slots() * (sizeof(Line) + shape_.capacity);
}

void Hub::set_ready(const Round& round, int slot) {
    // Release: whoever sees it sees what is in the slot.
    word(line(round, slot).ready).store(round.number + 1, std::memory_order_release);
    wake_sleepers();
}

bool Hub::arrive(const Round& round) {
    auto arrived = word(head().counts[round.set].arrived);
    // Release: what we give is seen by the last; acquire: being the last, we see what all gave.
    const std::uint64_t before = arrived.fetch_add(1, std::memory_order_acq_rel);
    if (before + 1 != static_cast<std::uint64_t>(size_)) return false;
    // Relaxed: the next to arrive has seen that we left, which comes later.
    arrived.store(0, std::memory_order_relaxed);
    return true;
}

int Hub::first_at(const Round& round, int point) const {
    // Acquire: we see the vector that it brought.
    const auto slot = word(line(round, point).length).load(std::memory_order_acquire);
    return static_cast<int>(slot) - 1;
}

int Hub::come_to(const Round& round, int point, int slot) {
    auto first = word(line(round, point).length);
    // Release: our vector is seen by the second; acquire: being the second, we see the first's.
    const std::uint64_t before =
        first.exchange(static_cast<std::uint64_t>(slot) + 1, std::memory_order_acq_rel);
    return static_cast<int>(before) - 1;
}

void Hub::leave(const Round& round) {
    // Release, in both cases: what we did in the set comes before others use it again.
    if (is_kept(round)) {
        word(left_kept(rank_, round)).store(round.number + 1, std::memory_order_release);
    } else {
        // Rounds are left in any order, but no later one than the sets allow.
        left_beyond_ |= std::uint64_t{1} << (round.number - left_);
        if ((left_beyond_ & 1) == 0) return;
        while ((left_beyond_ & 1) != 0) {
            left_beyond_ >>= 1;
            ++left_;
        }
        word(marks(rank_).left).store(left_, std::memory_order_release);
    }
    wake_sleepers();
}

bool Hub::all_have_left(const Round& round) {
    std::uint64_t least = ~std::uint64_t{0};
    for (int rank = 0; rank < size_; ++rank) {
        std::uint64_t& theirs = is_kept(round) ? left_kept(rank, round) : marks(rank).left;
        // Acquire: what they did in the set comes before what we do.
        least = std::min(least, word(theirs).load(std::memory_order_acquire));
    }
    if (is_kept(round)) return least >= round.number;
    free_below_ = least + shape_.in_turn;
    return round.number < free_below_;
}

void Hub::wake_sleepers() {
    // Pairs with the heavy fence after fall_asleep(): either we see that somebody sleeps, or its
    // last look sees what we stored.
    light_fence();
    if (word(head().sleepers).load(std::memory_order_relaxed) == 0) [[likely]]
        return;
    for (int rank = 0; rank < size_; ++rank)
        if (word(marks(rank).asleep).load(std::memory_order_relaxed) != 0) bell_.ring(rank);
}

void Hub::fall_out_of_step() {
    word(head().out_of_step).store(1, std::memory_order_relaxed);
    wake_sleepers();
}

void Hub::fall_asleep() {
    word(marks(rank_).asleep).store(1, std::memory_order_relaxed);
    // Relaxed: the heavy fence orders both words before the last look.
    word(head().sleepers).fetch_add(1, std::memory_order_relaxed);
}

void Hub::wake_up() {
    word(marks(rank_).asleep).store(0, std::memory_order_relaxed);
    word(head().sleepers).fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace railyard::mpi
