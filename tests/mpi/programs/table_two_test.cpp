// Table 2 of wu02 (vi-count): connections a rank of small programs on cLAN, made on demand and
// statically, with the paper's algorithms.

#include <tuple>
#include <vector>

#include "mpi/programs/inside.hpp"
#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {
namespace {

constexpr const char* algorithms =
    "barrier=pairwise,bcast=binomial,allreduce=reduce-bcast,allgather=ring,alltoall=pairwise";

struct Line {
    const char* program;
    void (*body)(int rank, int size);
    double on_demand[2];  ///< at 16 and 32 ranks
    double use[2];        ///< of static connections
};

void ring(int rank, int size) {
    int value = rank;
    int got = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require_equal(got, (rank + size - 1) % size, "what came round");
}
void barrier(int, int) {
    MPI_Barrier(MPI_COMM_WORLD);
}
// The others have a barrier, too, as the table's numbers tell.
void bcast(int rank, int) {
    int value = rank == 0 ? 42 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    require_equal(value, 42, "what was broadcast");
    MPI_Barrier(MPI_COMM_WORLD);
}
void allreduce(int rank, int size) {
    int sum = rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    require_equal(sum, size * (size - 1) / 2, "sum");
    MPI_Barrier(MPI_COMM_WORLD);
}
void allgather(int rank, int size) {
    std::vector<int> all(static_cast<std::size_t>(size), -1);
    MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i)
        require_equal(all[static_cast<std::size_t>(i)], i, "what was gathered");
    MPI_Barrier(MPI_COMM_WORLD);
}
void alltoall(int rank, int size) {
    std::vector<int> out(static_cast<std::size_t>(size), rank);
    std::vector<int> in(static_cast<std::size_t>(size), -1);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i)
        require_equal(in[static_cast<std::size_t>(i)], i, "what came by alltoall");
    MPI_Barrier(MPI_COMM_WORLD);
}

const Line lines[] = {
    {"Ring", ring, {2, 2}, {0.13, 0.06}},           {"Barrier", barrier, {4, 5}, {0.27, 0.16}},
    {"Bcast", bcast, {4, 5}, {0.27, 0.16}},         {"Allreduce", allreduce, {4, 5}, {0.27, 0.16}},
    {"Allgather", allgather, {5, 6}, {0.33, 0.19}}, {"Alltoall", alltoall, {15, 31}, {1.0, 1.0}},
};

/// Connections that ranks made, on average.
double connections(const Line& line, int ranks, const char* policy) {
    const Variable wish("RAILYARD_MPI_ALGORITHMS", algorithms);
    const Variable when("RAILYARD_MPI_CONNECTIONS", policy);
    std::uint64_t sum = 0;
    expect_to_run({"clan-via", ranks, job::Kind::fibers}, [&](int rank, int size) {
        line.body(rank, size);
        require_equal(counters().queue_pairs, counters().connections, "queue pairs");
        sum += counters().connections;
    });
    return static_cast<double>(sum) / ranks;
}

class TableTwoOfWu02 : public testing::TestWithParam<std::tuple<Line, int>> {};

TEST_P(TableTwoOfWu02, ConnectionsAreThoseOfThePaper) {
    const auto& [line, which] = GetParam();
    const int ranks = which == 0 ? 16 : 32;
    const double on_demand = connections(line, ranks, "on-demand");
    EXPECT_DOUBLE_EQ(on_demand, line.on_demand[which]);
    for (const char* policy : {"static-peer", "static-client-server"}) {
        const double fixed = connections(line, ranks, policy);
        EXPECT_DOUBLE_EQ(fixed, ranks - 1) << policy;
        // What is connected on demand is what messages use.
        EXPECT_NEAR(on_demand / fixed, line.use[which], 0.005) << policy;
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, TableTwoOfWu02,
                         testing::Combine(testing::ValuesIn(lines), testing::Values(0, 1)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).program) +
                                    (std::get<1>(test.param) == 0 ? "_16" : "_32");
                         });

}  // namespace
}  // namespace railyard::mpi::programs
