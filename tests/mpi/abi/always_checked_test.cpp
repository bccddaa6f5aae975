// What is checked in every run besides plain arguments: buffers that overlap, lengths, and handles
// that were freed.

#include <string>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using AlwaysChecked = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(AlwaysChecked);

TEST_P(AlwaysChecked, BuffersThatOverlap) {
    run(2, [](int rank, int) {
        std::vector<int> data(16);
        const MPI_Comm world = MPI_COMM_WORLD;
        int* const all = data.data();
        EXPECT_EQ(MPI_Allreduce(all, all + 2, 4, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Alltoall(all, 2, MPI_INT, all + 3, 2, MPI_INT, world), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Sendrecv(all, 4, MPI_INT, 1 - rank, 0, all + 3, 4, MPI_INT, 1 - rank, 0,
                               world, MPI_STATUS_IGNORE),
                  MPI_ERR_BUFFER);
        // Neighbours do not, and neither do columns of one matrix.
        EXPECT_EQ(MPI_Allreduce(all, all + 4, 4, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
        MPI_Datatype column = MPI_DATATYPE_NULL;
        MPI_Type_vector(4, 1, 4, MPI_INT, &column);
        MPI_Type_commit(&column);
        EXPECT_EQ(MPI_Sendrecv(all, 1, column, 1 - rank, 0, all + 1, 1, column, 1 - rank, 0, world,
                               MPI_STATUS_IGNORE),
                  MPI_SUCCESS);
        MPI_Type_free(&column);
    });
}

std::string explained(int error) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(error, text, &length);
    return text;
}

TEST_P(AlwaysChecked, AMessageThatIsTooLongIsToldWithBothLengths) {
    using ::testing::HasSubstr;
    const auto both =
        HasSubstr("from rank 0 with tag 7 has 40 bytes, and the receive has room for 16");
    run(2, [&](int rank, int) {
        const MPI_Comm world = MPI_COMM_WORLD;
        std::vector<int> data(10);
        for (int way = 0; way < 3; ++way) {
            if (rank == 0) {
                EXPECT_EQ(MPI_Send(data.data(), 10, MPI_INT, 1, 7, world), MPI_SUCCESS);
                continue;
            }
            if (way == 0) {
                const int error = MPI_Recv(data.data(), 4, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
                EXPECT_EQ(error, MPI_ERR_TRUNCATE);
                EXPECT_THAT(explained(error), both);
                continue;
            }
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(data.data(), 4, MPI_INT, 0, 7, world, &request);
            if (way == 1) {
                const int error = MPI_Wait(&request, MPI_STATUS_IGNORE);
                EXPECT_EQ(error, MPI_ERR_TRUNCATE);
                EXPECT_THAT(explained(error), both);
            } else {
                MPI_Status status;
                const int error = MPI_Waitall(1, &request, &status);
                EXPECT_EQ(error, MPI_ERR_IN_STATUS);
                EXPECT_EQ(status.MPI_ERROR, MPI_ERR_TRUNCATE);
                EXPECT_THAT(explained(error), HasSubstr("1 request failed, number 0 first: "));
                EXPECT_THAT(explained(error), both);
            }
        }
        // Collectives tell at the rank that receives.
        const int error = MPI_Bcast(data.data(), rank == 0 ? 8 : 4, MPI_INT, 0, world);
        if (rank == 1) {
            EXPECT_EQ(error, MPI_ERR_TRUNCATE);
            EXPECT_THAT(explained(error), HasSubstr("MPI_Bcast"));
        }
    });
}

TEST_P(AlwaysChecked, HandlesThatWereFreedStandForNothingElse) {
    run(1, [](int, int) {
        const MPI_Comm self = MPI_COMM_SELF;
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(self, &comm);
        const MPI_Comm old = comm;
        MPI_Comm_free(&comm);
        MPI_Comm_dup(self, &comm);  // in the same place
        int size = 0;
        EXPECT_EQ(MPI_Comm_size(old, &size), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
        MPI_Comm_free(&comm);

        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Datatype copy = type;
        MPI_Type_free(&type);
        MPI_Type_contiguous(3, MPI_INT, &type);
        EXPECT_EQ(MPI_Type_size(copy, &size), MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Type_free(&copy), MPI_ERR_TYPE);
        MPI_Type_free(&type);

        int in = 0;
        const int out = 5;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&in, 1, MPI_INT, 0, 0, self, &request);
        MPI_Request stale = request;
        MPI_Send(&out, 1, MPI_INT, 0, 0, self);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(&in, 1, MPI_INT, 0, 0, self, &request);
        EXPECT_EQ(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        MPI_Send(&out, 1, MPI_INT, 0, 0, self);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    });
}

}  // namespace
}  // namespace railyard::mpi
