// Many more ranks than cores, as real processes.

#include <vector>

#include "mpi/programs/world.hpp"
#include "mpi/real_fabric.hpp"

namespace railyard::mpi::programs {
namespace {

JobSpec crowd(int ranks) {
    return {real_fabric(), ranks, job::Kind::processes};
}

void go_round(int rank, int size) {
    const int right = (rank + 1) % size;
    const int left = (rank + size - 1) % size;
    long sum = 0;
    if (rank == 0) MPI_Send(&sum, 1, MPI_LONG, right, 0, MPI_COMM_WORLD);
    MPI_Recv(&sum, 1, MPI_LONG, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank;
    if (rank != 0)
        MPI_Send(&sum, 1, MPI_LONG, right, 0, MPI_COMM_WORLD);
    else
        require_equal(sum, long{size} * (size - 1) / 2, "what came round");
}

void all_to_all(int rank, int size, int each) {
    const auto total = static_cast<std::size_t>(size) * static_cast<std::size_t>(each);
    std::vector<int> out(total);
    std::vector<int> in(total, -1);
    for (int to = 0; to < size; ++to)
        for (int i = 0; i < each; ++i)
            out[static_cast<std::size_t>(to * each + i)] = rank * 1000 + to;
    MPI_Alltoall(out.data(), each, MPI_INT, in.data(), each, MPI_INT, MPI_COMM_WORLD);
    for (int from = 0; from < size; ++from)
        for (int i = 0; i < each; ++i)
            require_equal(in[static_cast<std::size_t>(from * each + i)], from * 1000 + rank,
                          "what came by alltoall");
}

TEST(Crowd, TwoHundredRanksWork) {
    expect_to_run(crowd(200), [](int rank, int size) {
        for (int i = 0; i < 5; ++i) {
            MPI_Barrier(MPI_COMM_WORLD);
            long sum = rank;
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            require_equal(sum, long{size} * (size - 1) / 2, "sum");
        }
        go_round(rank, size);
        all_to_all(rank, size, 1);
    });
}

// Everybody has everybody for a peer, with messages of its own.
TEST(Crowd, SixtyFourRanksAllTalkToAll) {
    expect_to_run(crowd(64), [](int rank, int size) {
        all_to_all(rank, size, 2);
        all_to_all(rank, size, 1000);
        const auto n = static_cast<std::size_t>(size);
        std::vector<int> out(n, rank);
        std::vector<int> in(n, -1);
        std::vector<MPI_Request> requests;
        for (int peer = 0; peer < size; ++peer) {
            const auto i = static_cast<std::size_t>(peer);
            MPI_Irecv(&in[i], 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &requests.emplace_back());
            MPI_Isend(&out[i], 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &requests.emplace_back());
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        for (int peer = 0; peer < size; ++peer)
            require_equal(in[static_cast<std::size_t>(peer)], peer, "what a peer sent");
    });
}

}  // namespace
}  // namespace railyard::mpi::programs
