// Calls beyond the standard that libraries of this ABI have.

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using ::testing::HasSubstr;

using Extensions = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Extensions);

TEST_P(Extensions, AgreementIsTheAndOfAllFlags) {
    run(3, [](int rank, int) {
        int flag = rank == 1 ? 0b0110 : 0b1111;
        EXPECT_EQ(MPIX_Comm_agree(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
        EXPECT_EQ(flag, 0b0110);
        EXPECT_EQ(MPIX_Comm_agree(MPI_COMM_NULL, &flag), MPI_ERR_COMM);
        EXPECT_EQ(MPIX_Comm_agree(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    });
}

TEST_P(Extensions, NobodyHasFailedSoNobodyIsLeftOut) {
    run(3, [](int rank, int size) {
        MPI_Comm all = MPI_COMM_NULL;
        ASSERT_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &all), MPI_SUCCESS);
        int alike = MPI_UNEQUAL;
        MPI_Comm_compare(MPI_COMM_WORLD, all, &alike);
        EXPECT_EQ(alike, MPI_CONGRUENT);
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
        EXPECT_EQ(sum, size * (size - 1) / 2);
        EXPECT_EQ(MPIX_Comm_failure_ack(all), MPI_SUCCESS);
        MPI_Group failed = MPI_GROUP_NULL;
        EXPECT_EQ(MPIX_Comm_failure_get_acked(all, &failed), MPI_SUCCESS);
        int failures = -1;
        MPI_Group_size(failed, &failures);
        EXPECT_EQ(failures, 0);
        MPI_Group_free(&failed);
        MPI_Comm_free(&all);
        EXPECT_EQ(MPIX_Comm_shrink(MPI_COMM_NULL, &all), MPI_ERR_COMM);
        EXPECT_EQ(MPIX_Comm_failure_ack(MPI_COMM_NULL), MPI_ERR_COMM);
        EXPECT_EQ(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    });
}

TEST_P(Extensions, RevokingIsRefused) {
    run(1, [](int, int) {
        EXPECT_EQ(MPIX_Comm_revoke(MPI_COMM_WORLD), MPI_ERR_UNSUPPORTED_OPERATION);
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(MPI_ERR_UNSUPPORTED_OPERATION, text, &length);
        EXPECT_THAT(text, HasSubstr("cannot be revoked"));
        EXPECT_EQ(MPIX_Comm_revoke(MPI_COMM_NULL), MPI_ERR_COMM);
    });
}

TEST_P(Extensions, ThereAreNoGpus) {
    run(1, [](int, int) {
        int supported = 1;
        EXPECT_EQ(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported), MPI_SUCCESS);
        EXPECT_EQ(supported, 0);
        EXPECT_EQ(MPIX_GPU_query_support(77, &supported), MPI_ERR_ARG);
        EXPECT_EQ(MPIX_Query_cuda_support(), 0);
        EXPECT_EQ(MPIX_Query_hip_support(), 0);
        EXPECT_EQ(MPIX_Query_ze_support(), 0);
    });
}

}  // namespace
}  // namespace railyard::mpi
