#pragma once
/// Two groups of ranks with an inter-communicator between them.

#include <mpi.h>

#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {

/// The world's first ranks and the others; or both by turns, as long as there are some of both.
class TwoGroups {
  public:
    TwoGroups(int rank, int size, int first, bool by_turns = false) {
        for (int i = 0; i < size; ++i) {
            const bool is_first =
                by_turns ? (i % 2 == 0 ? i / 2 < first : i / 2 >= size - first) : i < first;
            (is_first ? groups_[0] : groups_[1]).push_back(i);
            if (i == rank) side_ = is_first ? 0 : 1;
        }
        MPI_Comm_split(MPI_COMM_WORLD, side_, 0, &local);
        MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
        // The last ranks lead.
        EXPECT_EQ(MPI_Intercomm_create(local, own_size() - 1, MPI_COMM_WORLD,
                                       groups_[1 - side_].back(), 7, &inter),
                  MPI_SUCCESS);
        MPI_Comm_rank(local, &rank_);
    }
    ~TwoGroups() {
        MPI_Comm_free(&inter);
        MPI_Comm_free(&local);
    }
    TwoGroups(const TwoGroups&) = delete;
    TwoGroups& operator=(const TwoGroups&) = delete;

    int rank() const { return rank_; }  ///< in the own group
    int side() const { return side_; }
    const std::vector<int>& own() const { return groups_[side_]; }  ///< ranks in the world
    const std::vector<int>& other() const { return groups_[1 - side_]; }
    int own_size() const { return static_cast<int>(own().size()); }
    int other_size() const { return static_cast<int>(other().size()); }

    MPI_Comm local = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;

  private:
    std::vector<int> groups_[2];
    int side_ = 0;
    int rank_ = -1;
};

/// What a rank of the world has to say.
inline int word_of(int world_rank, int which = 0) {
    return 1000 * (world_rank + 1) + which;
}

}  // namespace railyard::mpi
