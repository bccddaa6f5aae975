#include "experiments/mpi_programs.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

void expect(int found, int expected) {
    if (found != expected)
        throw Error(fmt::format("rank {} got {} in place of {}", rank(), found, expected));
}

void ring() {
    const int right = (rank() + 1) % size();
    const int left = (rank() + size() - 1) % size();
    const int mine = rank();
    int got = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(got, left);
}

void barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

// The others have a barrier, too, as the table's numbers tell: a broadcast alone would need 1.9
// connections on average.

void bcast() {
    int value = rank() == 0 ? 42 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect(value, 42);
    MPI_Barrier(MPI_COMM_WORLD);
}

void allreduce() {
    int sum = rank();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, size() * (size() - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
}

void allgather() {
    const int mine = rank();
    std::vector<int> all(static_cast<std::size_t>(size()), -1);
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size(); ++i)
        expect(all[static_cast<std::size_t>(i)], i);
    MPI_Barrier(MPI_COMM_WORLD);
}

void alltoall() {
    const std::vector<int> out(static_cast<std::size_t>(size()), rank());
    std::vector<int> in(out.size(), -1);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size(); ++i)
        expect(in[static_cast<std::size_t>(i)], i);
    MPI_Barrier(MPI_COMM_WORLD);
}

constexpr MpiProgram programs[] = {
    {"Ring", ring},           {"Barrier", barrier},     {"Bcast", bcast},
    {"Allreduce", allreduce}, {"Allgather", allgather}, {"Alltoall", alltoall},
};

}  // namespace

std::span<const MpiProgram> mpi_programs() {
    return programs;
}

}  // namespace railyard::experiments
