// Looking at requests without completing them, and statuses field by field.

#include <array>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using RequestStatus = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(RequestStatus);

TEST_P(RequestStatus, AnyIsLookedAtAndStays) {
    run(2, [](int rank, int) {
        int in[2] = {-1, -1};
        MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        int index = 0;
        int flag = 0;
        MPI_Status status;
        ASSERT_EQ(MPI_Request_get_status_any(3, requests, &index, &flag, &status), MPI_SUCCESS);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(index, MPI_UNDEFINED);
        EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
        for (const int i : {0, 1})
            MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i + 1]);
        MPI_Barrier(MPI_COMM_WORLD);
        ASSERT_EQ(MPI_Request_get_status_any(3, requests, &index, &flag, &status), MPI_SUCCESS);
        EXPECT_EQ(flag, 0);
        EXPECT_EQ(index, MPI_UNDEFINED);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        do
            ASSERT_EQ(MPI_Request_get_status_any(3, requests, &index, &flag, &status), MPI_SUCCESS);
        while (flag == 0);
        EXPECT_EQ(index, 2);
        EXPECT_EQ(status.MPI_TAG, 1);
        const MPI_Request kept = requests[2];
        ASSERT_EQ(MPI_Wait(&requests[2], MPI_STATUS_IGNORE), MPI_SUCCESS) << kept;
        EXPECT_EQ(in[1], 1 - rank);
        MPI_Barrier(MPI_COMM_WORLD);  // The other has looked.
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        EXPECT_EQ(MPI_Request_get_status_any(-1, requests, &index, &flag, &status), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Request_get_status_any(1, &kept, &index, &flag, &status), MPI_ERR_REQUEST);
    });
}

TEST_P(RequestStatus, AllAndSomeAreLookedAtAndStay) {
    run(2, [](int rank, int) {
        std::array<int, 2> in{-1, -1};
        std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        std::array<MPI_Status, 3> statuses;
        std::array<int, 3> indices{};
        int count = 0;
        ASSERT_EQ(MPI_Request_get_status_some(3, requests.data(), &count, indices.data(),
                                              statuses.data()),
                  MPI_SUCCESS);
        EXPECT_EQ(count, MPI_UNDEFINED);
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
            MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, static_cast<int>(i), MPI_COMM_WORLD,
                      &requests[2 * i]);
        MPI_Barrier(MPI_COMM_WORLD);
        int flag = 1;
        MPI_Request_get_status_all(3, requests.data(), &flag, statuses.data());
        EXPECT_EQ(flag, 0);
        MPI_Request_get_status_some(3, requests.data(), &count, indices.data(), statuses.data());
        EXPECT_EQ(count, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        do
            ASSERT_EQ(MPI_Request_get_status_some(3, requests.data(), &count, indices.data(),
                                                  statuses.data()),
                      MPI_SUCCESS);
        while (count == 0);
        EXPECT_EQ(count, 1);
        EXPECT_EQ(indices[0], 2);
        EXPECT_EQ(statuses[0].MPI_TAG, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        do
            ASSERT_EQ(MPI_Request_get_status_all(3, requests.data(), &flag, statuses.data()),
                      MPI_SUCCESS);
        while (flag == 0);
        EXPECT_EQ(statuses[0].MPI_TAG, 0);
        EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_ANY_SOURCE);
        EXPECT_EQ(statuses[2].MPI_SOURCE, 1 - rank);
        EXPECT_NE(requests[0], MPI_REQUEST_NULL);
        ASSERT_EQ(MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(in[0], 1 - rank);
        EXPECT_EQ(MPI_Request_get_status_all(1, nullptr, &flag, statuses.data()), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Request_get_status_some(1, requests.data(), nullptr, indices.data(),
                                              statuses.data()),
                  MPI_ERR_ARG);
    });
}

TEST_P(RequestStatus, AFailureIsInTheStatusEachTime) {
    run(1, [](int, int) {
        const int two[] = {1, 2};
        int one = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&one, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        MPI_Send(two, 2, MPI_INT, 0, 0, MPI_COMM_SELF);
        int flag = 0;
        int index = -1;
        MPI_Status status;
        while (flag == 0)
            MPI_Request_get_status(request, &flag, &status);
        for (int i = 0; i < 2; ++i) {
            EXPECT_EQ(MPI_Request_get_status_all(1, &request, &flag, &status), MPI_ERR_IN_STATUS);
            EXPECT_EQ(flag, 1);
            EXPECT_EQ(status.MPI_ERROR, MPI_ERR_TRUNCATE);
        }
        EXPECT_EQ(MPI_Request_get_status_any(1, &request, &index, &flag, &status), MPI_SUCCESS);
        EXPECT_EQ(index, 0);
        EXPECT_EQ(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    });
}

TEST_P(RequestStatus, StatusesAreReadAndSetFieldByField) {
    run(1, [](int, int) {
        MPI_Status status{};
        int value = -1;
        EXPECT_EQ(MPI_Status_set_source(&status, 3), MPI_SUCCESS);
        EXPECT_EQ(MPI_Status_set_tag(&status, 4), MPI_SUCCESS);
        EXPECT_EQ(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE), MPI_SUCCESS);
        EXPECT_EQ(status.MPI_SOURCE, 3);
        EXPECT_EQ(MPI_Status_get_source(&status, &value), MPI_SUCCESS);
        EXPECT_EQ(value, 3);
        EXPECT_EQ(MPI_Status_get_tag(&status, &value), MPI_SUCCESS);
        EXPECT_EQ(value, 4);
        EXPECT_EQ(MPI_Status_get_error(&status, &value), MPI_SUCCESS);
        EXPECT_EQ(value, MPI_ERR_TRUNCATE);
        EXPECT_EQ(MPI_Status_get_source(MPI_STATUS_IGNORE, &value), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Status_get_tag(nullptr, &value), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Status_get_error(&status, nullptr), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Status_set_source(nullptr, 0), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Status_set_tag(MPI_STATUS_IGNORE, 0), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Status_set_error(nullptr, 0), MPI_ERR_ARG);
    });
}

}  // namespace
}  // namespace railyard::mpi
