// In virtual time a deadlock is found at once, and told in MPI's words.

#include <mpi.h>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using ::testing::HasSubstr;

constexpr int of_deadlock = 35;

job::Result run_ideal(int ranks, const std::function<void(int rank, int size)>& body) {
    return run_on({"ideal", job::Kind::fibers}, ranks, body);
}

TEST(StandingStill, IsToldAsACycle) {
    const job::Result result = run_ideal(3, [](int rank, int size) {
        int word = 0;
        MPI_Recv(&word, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_code, of_deadlock);
    EXPECT_THAT(result.failure, HasSubstr("nothing is left to happen, yet all 3 ranks wait\n"));
    EXPECT_THAT(result.failure,
                HasSubstr("\n  rank 1 waits for rank 2 in MPI_Recv(count 1, MPI_INT, source 2, tag "
                          "7, MPI_COMM_WORLD)\n"));
    EXPECT_THAT(result.failure, HasSubstr("\n  cycle: rank 0 → rank 1 → rank 2 → rank 0"));
}

TEST(StandingStill, OfASendThatNobodyReceives) {
    const job::Result result = run_ideal(2, [](int rank, int) {
        int word = 0;
        if (rank == 0) MPI_Ssend(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    });
    EXPECT_EQ(result.exit_code, of_deadlock);
    EXPECT_THAT(result.failure, HasSubstr("rank 0 waits for rank 1 in MPI_Ssend(count 1, MPI_INT, "
                                          "dest 1, tag 7, MPI_COMM_WORLD)"));
    EXPECT_THAT(result.failure, HasSubstr("rank 1 waits for rank 0 in MPI_Finalize()"));
}

TEST(StandingStill, OfCollectivesNamesWhoIsMissing) {
    const job::Result result = run_ideal(4, [](int rank, int) {
        MPI_Comm half = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Comm_set_name(half, rank % 2 == 0 ? "even" : "odd");
        MPI_Barrier(half);
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 3) {
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(half);
        MPI_Comm_free(&half);
    });
    EXPECT_EQ(result.exit_code, of_deadlock);
    EXPECT_THAT(result.failure, HasSubstr("rank 1 waits for rank 3 in MPI_Barrier(odd)"));
    EXPECT_THAT(result.failure, HasSubstr("rank 3 waits for ranks 0 to 2 in MPI_Wait() of "
                                          "MPI_Ibarrier(MPI_COMM_WORLD)"));
    EXPECT_THAT(result.failure, HasSubstr("cycle: rank 0 → rank 3 → rank 0"));
}

TEST(StandingStill, OfAnySourceWaitsForOneOfMany) {
    const job::Result result = run_ideal(3, [](int, int) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    EXPECT_THAT(result.failure, HasSubstr("rank 0 waits for any of ranks 1 and 2 in "
                                          "MPI_Probe(source any, any tag, MPI_COMM_WORLD)"));
}

}  // namespace
}  // namespace railyard::mpi
