#pragma once
/// One rank's part in a collective through a Hub: what it leaves there, what it waits for, and what
/// it takes. It never blocks: whoever has it looks whether it can go on, so that calls that wait
/// and schedules that are advanced now and then do the same.

#include <cstddef>
#include <cstdint>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/hub.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

class Meeting {
  public:
    /// Data and result as the collective has them; what is not used there is empty. Buffers, types
    /// and the operation are the user's until it is over.
    struct Part {
        Collective collective = Collective::barrier;
        ConstBuffer data{};
        Buffer result{};
        const Operation* operation = nullptr;
        int root = 0;
    };

    explicit Meeting(const Part& part) : part_(part) {}

    const Part& part() const { return part_; }

    /// Where it is to be, the first time; each further time takes the next use of the same set.
    void plan(const Hub::Round& round) { round_ = round; }
    /// Before all else, each time.
    void begin(Hub& hub) {
        stage_ = Stage::comes;
        disagreed_ = false;
        seen_ = 0;
        ++hub.under_way;
    }

    bool can_go_on(Hub& hub) {
        switch (stage_) {
            case Stage::comes:
                return hub.is_free(round_);
            case Stage::collects:
                return all_gave(hub);
            case Stage::waits:
                break;
        }
        return hub.is_released(round_);
    }
    /// To be called where it can. True: it is over.
    bool go_on(Hub& hub);

    /// Whether ranks gave different lengths, as far as this one could see, and which.
    bool disagreed() const { return disagreed_; }
    const Team::Lengths& lengths() const { return lengths_; }

  private:
    enum class Stage : std::uint8_t {
        comes,     ///< until the set is free
        collects,  ///< until all have given: a root
        waits,     ///< until it is released
    };

    bool is_root(const Hub& hub) const { return part_.root == hub.rank(); }
    /// One's own of blocks for all.
    ConstBuffer own_block(const Hub& hub) const {
        return is_in_place(part_.data) ? ConstBuffer(Blocks(part_.result)[hub.rank()]) : part_.data;
    }
    bool all_gave(Hub& hub);

    /// True: there is nothing to wait for. Else the stage is the next.
    bool come(Hub& hub);
    bool give_to_root(Hub& hub);
    void give_from_root(Hub& hub) const;
    bool give_to_all(Hub& hub);
    void give_vector(Hub& hub, const ConstBuffer& data) const;
    void give_block(Hub& hub, int slot, const ConstBuffer& block) const;
    void give_a_block_to_each(Hub& hub) const;
    void take(Hub& hub);
    /// `total` bytes are in the slot, the block's from `at` on.
    void take_block(Hub& hub, int slot, const Buffer& block, std::size_t at, std::size_t total);
    void take_block(Hub& hub, int slot, const Buffer& block) {
        take_block(hub, slot, block, 0, bytes_of(block));
    }
    /// All ranks' vectors, in the order of ranks.
    void combine(const Hub& hub, const Buffer& total);
    void expect_length(std::size_t came, std::size_t expected);

    Part part_;
    Hub::Round round_{};
    Stage stage_ = Stage::comes;
    bool disagreed_ = false;
    int seen_ = 0;  ///< slots that a root has seen to be ready
    Team::Lengths lengths_{};
};

}  // namespace railyard::mpi
