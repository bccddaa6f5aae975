#include "mpi/collectives/hub.hpp"

#include <algorithm>

#include "base/asymmetric_fence.hpp"

namespace railyard::mpi {

std::size_t Hub::memory_for(int size) {
    const auto ranks = static_cast<std::size_t>(size);
    return sizeof(Head) + ranks * sizeof(Marks) + sets * (ranks + 1) * (sizeof(Line) + capacity);
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

void Hub::leave(const Round& round) {
    Marks& own = marks(rank_);
    // Release, in both cases: what we did in the set comes before others use it again.
    if (round.set >= sets_in_turn) {
        word(own.left_kept[round.set - sets_in_turn])
            .store(round.number + 1, std::memory_order_release);
    } else {
        // Rounds are left in any order, but no later one than the sets allow.
        left_beyond_ |= std::uint64_t{1} << (round.number - left_);
        if ((left_beyond_ & 1) == 0) return;
        while ((left_beyond_ & 1) != 0) {
            left_beyond_ >>= 1;
            ++left_;
        }
        word(own.left).store(left_, std::memory_order_release);
    }
    wake_sleepers();
}

bool Hub::all_have_left(const Round& round) {
    const bool is_kept = round.set >= sets_in_turn;
    std::uint64_t least = ~std::uint64_t{0};
    for (int rank = 0; rank < size_; ++rank) {
        Marks& theirs = marks(rank);
        // Acquire: what they did in the set comes before what we do.
        least =
            std::min(least, word(is_kept ? theirs.left_kept[round.set - sets_in_turn] : theirs.left)
                                .load(std::memory_order_acquire));
    }
    if (is_kept) return least >= round.number;
    free_below_ = least + sets_in_turn;
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
