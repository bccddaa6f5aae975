#pragma once
/// One rank's part of a random plan, as ordinary MPI calls.

#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "mpi/programs/layout.hpp"
#include "mpi/programs/random_plan.hpp"
#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {

/// Memory for the messages of a rank, allocated once: where a buffer is depends on the program
/// alone, as far as one run can be like another.
class Arena {
  public:
    explicit Arena(std::size_t size)
        : memory_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

    /// What a buffer of so many bytes takes.
    static std::size_t rounded(std::size_t bytes) { return (bytes / 64 + 1) * 64; }

    /// Untouched bytes; never null.
    std::byte* take(std::size_t bytes) {
        std::byte* const at = memory_.get() + used_;
        used_ += rounded(bytes);
        require(used_ <= size_, "the arena is too small");
        std::memset(at, static_cast<int>(Layout::untouched), rounded(bytes));
        return at;
    }
    void clear() { used_ = 0; }

  private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_;
    std::size_t used_ = 0;
};

class Player {
  public:
    Player(const Plan& plan, int rank);
    void play();

  private:
    /// One side of a message under way.
    struct Open {
        MPI_Request request;
        const PlannedMessage* message;  ///< null: an orphan
        bool is_send;
        bool is_persistent;
        std::byte* buffer;
        MPI_Datatype type;
    };

    void make_comms();
    void free_comms();
    void play(const Epoch& epoch);
    void post_ahead(const Epoch& epoch);
    void shift(const Event& event);
    void send(const PlannedMessage& message);
    void send_once(Open open, int time);
    void receive(const PlannedMessage& message);
    void receive_blocking(const PlannedMessage& message, int time);
    void receive_probed(const PlannedMessage& message, int time);
    void receive_matched(const PlannedMessage& message, int time);
    void receive_persistent(const PlannedMessage& message);
    void cancel(Open open);

    Open open_send(const PlannedMessage& message, SendWay way);
    Open open_receive(const PlannedMessage& message);
    MPI_Request init_send(const Open& open) const;

    // Completion, by one of MPI's calls that can.
    void complete_some();
    void complete(std::vector<Open> chosen);
    void complete_one(Open& open);
    void done(Open& open, const MPI_Status& status);

    void check_status(const PlannedMessage& message, const MPI_Status& status,
                      MPI_Datatype type) const;
    void check_data(const PlannedMessage& message, const std::byte* buffer, int time) const;

    const CommPlan& plan_of(const PlannedMessage& message) const;
    MPI_Comm comm_of(const PlannedMessage& message) const {
        return comms_[static_cast<std::size_t>(message.comm)];
    }
    int rank_in(const PlannedMessage& message, int world_rank) const;
    int source_of(const PlannedMessage& message) const;
    static int tag_of(const PlannedMessage& message) {
        return message.any_tag ? MPI_ANY_TAG : message.tag;
    }
    static int count_of(const PlannedMessage& message);
    static int room_of(const PlannedMessage& message);

    const Plan& plan_;
    int rank_;
    sim::Random random_;
    Arena arena_;
    std::vector<std::byte> attached_;
    std::vector<MPI_Comm> comms_;
    std::vector<Open> opens_;
    std::deque<Open> ahead_;  ///< posted, and not to be waited for yet
};

}  // namespace railyard::mpi::programs
