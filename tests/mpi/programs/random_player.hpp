#pragma once
/// One rank's part of a random plan, as ordinary MPI calls.

#include <deque>
#include <vector>

#include "mpi/programs/arena.hpp"
#include "mpi/programs/random_plan.hpp"

namespace railyard::mpi::programs {

class Player {
  public:
    Player(const Plan& plan, int rank);
    void play();

  private:
    /// One side of a letter under way.
    struct Open {
        MPI_Request request;
        const Letter* letter;  ///< null: an orphan
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
    void send(const Letter& letter);
    void send_once(Open open, int time);
    void receive(const Letter& letter);
    void receive_blocking(const Letter& letter, int time);
    void receive_probed(const Letter& letter, int time);
    void receive_matched(const Letter& letter, int time);
    void receive_persistent(const Letter& letter);
    void cancel(Open open);

    Open open_send(const Letter& letter, SendWay way);
    Open open_receive(const Letter& letter);
    MPI_Request init_send(const Open& open) const;

    // Completion, by one of MPI's calls that can.
    void complete_some();
    void complete(std::vector<Open> chosen);
    void complete_one(Open& open);
    void done(Open& open, const MPI_Status& status);

    void check_status(const Letter& letter, const MPI_Status& status, MPI_Datatype type) const;
    void check_data(const Letter& letter, const std::byte* buffer, int time) const;

    const CommPlan& plan_of(const Letter& letter) const;
    MPI_Comm comm_of(const Letter& letter) const {
        return comms_[static_cast<std::size_t>(letter.comm)];
    }
    int rank_in(const Letter& letter, int world_rank) const;
    int source_of(const Letter& letter) const;
    static int tag_of(const Letter& letter) { return letter.any_tag ? MPI_ANY_TAG : letter.tag; }
    static int count_of(const Letter& letter);
    static int room_of(const Letter& letter);

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
