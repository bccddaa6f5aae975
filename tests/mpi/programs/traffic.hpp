#pragma once
/// Messages that are under way while something else happens on the same communicator: each rank
/// sends a few to its right, and receives with wildcards alone.

#include <array>
#include <vector>

#include "mpi/programs/layout.hpp"
#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {

class Traffic {
  public:
    Traffic(MPI_Comm comm, std::size_t bytes) : comm_(comm), bytes_(bytes) {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
        const Layout layout(Shape::dense, 0);
        for (int i = 0; i < messages; ++i) {
            out_.emplace_back(length(i));
            layout.fill(out_.back().data(), length(i), pattern(rank_, i));
            in_.emplace_back(length(i));
        }
        for (int i = 0; i < messages; ++i) {
            const auto n = static_cast<int>(length(i));
            MPI_Irecv(in(i), n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests_[at(i)]);
            MPI_Isend(out_[at(i)].data(), n, MPI_BYTE, (rank_ + 1) % size_, i, comm,
                      &requests_[at(messages + i)]);
        }
    }
    void finish() {
        std::array<MPI_Status, std::size_t{2} * messages> statuses;
        MPI_Waitall(2 * messages, requests_.data(), statuses.data());
        const int left = (rank_ + size_ - 1) % size_;
        for (int i = 0; i < messages; ++i) {
            require_equal(statuses[at(i)].MPI_SOURCE, left, "source of traffic");
            require_equal(statuses[at(i)].MPI_TAG, i, "tag of traffic");
            require(Layout(Shape::dense, 0).holds(in(i), length(i), pattern(left, i)),
                    "wrong bytes in traffic");
        }
    }

  private:
    static constexpr int messages = 3;
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    std::size_t length(int i) const { return i == 1 ? bytes_ : 24 * at(i); }
    static std::uint64_t pattern(int rank, int i) {
        return 0xffff00 + static_cast<std::uint64_t>(messages * rank + i);
    }
    std::byte* in(int i) { return in_[at(i)].data(); }

    MPI_Comm comm_;
    std::size_t bytes_;
    int rank_ = 0;
    int size_ = 0;
    std::vector<std::vector<std::byte>> out_;
    std::vector<std::vector<std::byte>> in_;
    std::array<MPI_Request, std::size_t{2} * messages> requests_{};
};

}  // namespace railyard::mpi::programs
