#pragma once
/// One rank's part in a collective of much data through a Hub with wide slots, segment by segment:
/// a Meeting's sister. Each segment is a round of its own, and a rank gives as many as there are
/// sets before it waits for the first.
///
/// Reductions go up a binary tree over the ranks, which for a number of ranks is always the same:
/// of two who come to a node, the first leaves, and the second combines what both bring. So nobody
/// waits on the way up, and whoever has a core works.
///
/// With what it gives, a rank says of how much it is a part, and whoever takes compares. Ranks that
/// have different numbers of segments would meet in wrong rounds from then on: the hub is out of
/// step, and every later collective in it fails, rather than wait or take what is not its own.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mpi/collectives/hub.hpp"
#include "mpi/collectives/meeting.hpp"

namespace railyard::mpi {

class LongMeeting {
  public:
    /// As shared::goes_in_segments() says; reductions are of a predefined type.
    explicit LongMeeting(const Meeting::Part& part) : part_(part) {}

    const Meeting::Part& part() const { return part_; }

    /// Before all else: takes rounds, one for each segment.
    void plan(Hub& hub);
    void begin(Hub& hub) { ++hub.under_way; }
    bool can_go_on(Hub& hub) const {
        return can_take(hub) || can_give(hub) || hub.is_out_of_step();
    }
    /// To be called where it can. True: it is over.
    bool go_on(Hub& hub);

    bool disagreed() const { return disagreed_; }
    const Team::Lengths& lengths() const { return lengths_; }

  private:
    bool can_give(Hub& hub) const {
        return given_ < segments_ && hub.is_free(hub.in_turn(first_ + given_));
    }
    bool can_take(const Hub& hub) const {
        return taken_ < (gives_ ? given_ : segments_) &&
               hub.is_released(hub.in_turn(first_ + taken_));
    }
    void give(Hub& hub, const Hub::Round& round, std::size_t number) const;
    void take(Hub& hub, const Hub::Round& round, std::size_t number);
    /// Up the tree with the own data. True: all are combined, and others may take the total.
    bool climb(Hub& hub, const Hub::Round& round, const ConstBuffer& own) const;
    /// Of two vectors in slots, in which one the total is.
    int combine(const Hub& hub, const Hub::Round& round, int left, int right, bool is_left_ours,
                const ConstBuffer& like) const;

    /// That a rank has who has so many bytes.
    std::size_t segments_of(std::uint64_t bytes) const;
    /// Of reductions, elements; else bytes of a block.
    std::size_t start_of(std::size_t number) const { return number * each_; }
    std::size_t length_of(std::size_t number) const {
        return std::min(each_, total_ - start_of(number));
    }
    template <class Any>
    Any segment(const Any& whole, std::size_t number) const {
        return mpi::part(whole, start_of(number), length_of(number));
    }

    Meeting::Part part_;
    std::uint64_t first_ = 0;  ///< round
    std::size_t segments_ = 0;
    std::size_t each_ = 0;
    std::size_t total_ = 0;
    std::size_t one_ = 1;    ///< bytes of an element
    std::size_t bytes_ = 0;  ///< of the total
    bool gives_ = false;
    bool takes_ = false;
    std::size_t given_ = 0;
    std::size_t taken_ = 0;
    bool disagreed_ = false;
    Team::Lengths lengths_{};
};

}  // namespace railyard::mpi
