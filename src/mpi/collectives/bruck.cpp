#include "mpi/collectives/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace railyard::mpi {

namespace {

/// Messages that need copies are under way together as far as this much memory goes.
constexpr std::size_t window_bytes = 256 << 10;

bool is_power_of_two(int n) {
    return std::has_single_bit(static_cast<unsigned>(n));
}

/// A block that has a certain distance to go, in numbers of the radix, moves by one digit of it a
/// round, together with all others that have the same digit there. What a rank sends and what it
/// receives in its stead are blocks of the same distances. Each is kept where the block of that
/// distance will be at the end, so that receiving means replacing and nothing is moved afterwards.
///
/// Among a power of two of ranks the distance of two is their xor, else their difference. With xor
/// one sends to those from whom one receives, so there are fewer partners, and the first round's
/// blocks are in a row on both sides.
class Bruck {
  public:
    Bruck(Team& team, const ConstBlocks& out, const Blocks& in, int radix)
        : team_(team),
          out_(out),
          in_(in),
          ranks_(team.size()),
          radix_(radix),
          by_xor_(is_power_of_two(ranks_) && is_power_of_two(radix)),
          each_(bytes_of(in[0])),
          top_(top_weight(ranks_, radix)),
          longest_(most_in_a_message()),  // more than 0: a team with nothing to say is not here
          window_(static_cast<int>(
              std::clamp<std::size_t>(window_bytes / (2 * longest_), 1, radix - 1))),  // NOLINT
          scratch_(team.scratch(), 2 * Scratch::room(slots_size())),
          outgoing_(scratch_.bytes(slots_size())),
          incoming_(scratch_.bytes(slots_size())) {}

    void run() {
        if (out_.is_in_place())
            mirror();
        else
            keep_near();
        for (weight_ = top_; weight_ > 0; weight_ /= radix_) {
            const int at_once = is_direct() ? radix_ - 1 : window_;
            for (int digit = 1; digit < radix_; digit += at_once)
                exchange(digit, std::min(digit + at_once, radix_));
        }
    }

  private:
    static int top_weight(int ranks, int radix) {
        std::int64_t weight = 1;
        while (weight * radix < ranks)
            weight *= radix;
        return static_cast<int>(weight);
    }

    std::size_t most_in_a_message() const {
        std::size_t most = 0;
        for (int weight = top_; weight > 0; weight /= radix_)
            most = std::max(most, count_with(weight, 1));
        return most * each_;
    }
    std::size_t slots_size() const { return static_cast<std::size_t>(window_) * longest_; }

    /// Every distance with that digit, rising.
    template <class Do>
    void for_each_distance(int weight, int digit, Do&& act) const {
        const std::int64_t step = std::int64_t{weight} * radix_;
        for (std::int64_t low = std::int64_t{weight} * digit; low < ranks_; low += step)
            for (std::int64_t i = low; i < std::min<std::int64_t>(low + weight, ranks_); ++i)
                act(static_cast<int>(i));
    }
    std::size_t count_with(int weight, int digit) const {
        std::size_t count = 0;
        for_each_distance(weight, digit, [&](int) { ++count; });
        return count;
    }

    int from(int distance) const {
        if (by_xor_) return team_.rank() ^ distance;
        return (team_.rank() - distance + ranks_) % ranks_;
    }
    int to(int distance) const {
        if (by_xor_) return team_.rank() ^ distance;
        return (team_.rank() + distance) % ranks_;
    }
    Buffer kept(int distance) const { return in_[from(distance)]; }

    /// In the first round, blocks come from the user's own place.
    bool is_first_round() const { return weight_ == top_ && !out_.is_in_place(); }
    /// Without copies on either side: those for the receiver's neighbours are in a row with it.
    bool is_direct() const { return is_first_round() && by_xor_; }
    int row_of(int rank) const { return rank & ~(weight_ - 1); }

    /// In place, block d is at `to(d)`, and is to be kept at `from(d)`: these two change places.
    void mirror() {
        if (by_xor_) return;
        const std::span<std::byte> first = outgoing_.first(each_);
        const std::span<std::byte> second = incoming_.first(each_);
        for (int distance = 1; distance < ranks_ - distance; ++distance) {
            pack(team_, in_[to(distance)], first);
            pack(team_, in_[from(distance)], second);
            unpack(team_, first, in_[from(distance)]);
            unpack(team_, second, in_[to(distance)]);
        }
    }

    /// What does not move in the first round.
    void keep_near() {
        for (int distance = 0; distance < top_; ++distance)
            copy(team_, out_[to(distance)], kept(distance));
    }

    void exchange(int first, int end) {
        const int in_use = (ranks_ - 1) / weight_ + 1;  // digits beyond have no distances
        end = std::min(end, in_use);
        for (int digit = first; digit < end; ++digit)
            team_.start_receive(room_for(digit, digit - first), from(digit * weight_));
        for (int digit = first; digit < end; ++digit)
            team_.start_send(message(digit, digit - first), to(digit * weight_));
        team_.wait_all();
        if (is_direct()) return;
        for (int digit = first; digit < end; ++digit)
            put(digit, slot(incoming_, digit - first, count_with(weight_, digit)));
    }

    std::span<std::byte> slot(std::span<std::byte> slots, int number, std::size_t count) const {
        return slots.subspan(static_cast<std::size_t>(number) * longest_, count * each_);
    }

    Buffer room_for(int digit, int number) const {
        if (is_direct()) return in_.range(row_of(from(digit * weight_)), weight_);
        return as_buffer(slot(incoming_, number, count_with(weight_, digit)));
    }

    /// All blocks with that digit: where the user has them in a row, straight from there.
    ConstBuffer message(int digit, int number) const {
        const int start = to(digit * weight_);
        const std::size_t count = count_with(weight_, digit);
        if (is_direct()) return out_.range(row_of(start), weight_);
        if (is_first_round() && !by_xor_ && start + static_cast<int>(count) <= ranks_)
            return out_.range(start, static_cast<int>(count));
        const std::span<std::byte> packed = slot(outgoing_, number, count);
        std::size_t at = 0;
        for_each_distance(weight_, digit, [&](int distance) {
            const ConstBuffer block =
                is_first_round() ? out_[to(distance)] : ConstBuffer(kept(distance));
            place(team_, block, as_buffer(packed.subspan(at, each_)));
            at += each_;
        });
        team_.charge_bytes(packed.size());
        return as_buffer(packed);
    }

    void put(int digit, std::span<const std::byte> packed) {
        std::size_t at = 0;
        for_each_distance(weight_, digit, [&](int distance) {
            place(team_, as_buffer(packed.subspan(at, each_)), kept(distance));
            at += each_;
        });
        team_.charge_bytes(packed.size());
    }

    Team& team_;
    const ConstBlocks& out_;
    const Blocks& in_;
    int ranks_;
    int radix_;
    bool by_xor_;
    std::size_t each_;
    int top_;              ///< the weight of the first digit
    std::size_t longest_;  ///< bytes of the longest message
    int window_;           ///< messages under way together, where they need copies
    Scratch scratch_;
    std::span<std::byte> outgoing_;
    std::span<std::byte> incoming_;
    int weight_ = 0;  ///< of the round's digit
};

}  // namespace

void alltoall_bruck(Team& team, const ConstBlocks& out, const Blocks& in) {
    const int ranks = team.size();
    if (ranks == 1) {
        if (!out.is_in_place()) copy(team, out[0], in[0]);
        return;
    }
    int radix = bruck_radix(ranks, bytes_of(in[0]), team.circumstances());
    // Asked for where the rules would not have chosen it: two rounds.
    if (radix >= ranks)
        for (radix = 2; radix * radix < ranks;)
            ++radix;
    Bruck(team, out, in, radix).run();
}

}  // namespace railyard::mpi
