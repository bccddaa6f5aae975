// Large-count calls: the same as their namesakes, with numbers of 64 bits.

#include <array>
#include <climits>
#include <cstring>
#include <numeric>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using LargeCounts = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(LargeCounts);

constexpr MPI_Count beyond_int = MPI_Count{INT_MAX} + 5;

TEST_P(LargeCounts, MoveMessages) {
    run(2, [](int rank, int) {
        const int peer = 1 - rank;
        const std::array<int, 3> out{rank, 10, 20};
        std::array<int, 3> in{};
        MPI_Status status;
        MPI_Request requests[2];
        ASSERT_EQ(MPI_Irecv_c(in.data(), 3, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]),
                  MPI_SUCCESS);
        ASSERT_EQ(MPI_Isend_c(out.data(), 3, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]),
                  MPI_SUCCESS);
        ASSERT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(in, (std::array<int, 3>{peer, 10, 20}));
        in = {};
        ASSERT_EQ(MPI_Sendrecv_c(out.data(), 2, MPI_INT, peer, 2, in.data(), 3, MPI_INT, peer, 2,
                                 MPI_COMM_WORLD, &status),
                  MPI_SUCCESS);
        MPI_Count count = 0;
        ASSERT_EQ(MPI_Get_count_c(&status, MPI_INT, &count), MPI_SUCCESS);
        EXPECT_EQ(count, 2);
        if (rank == 0) {
            ASSERT_EQ(MPI_Send_c(out.data(), 3, MPI_INT, 1, 3, MPI_COMM_WORLD), MPI_SUCCESS);
        } else {
            ASSERT_EQ(MPI_Recv_c(in.data(), 3, MPI_INT, 0, 3, MPI_COMM_WORLD, &status),
                      MPI_SUCCESS);
            EXPECT_EQ(in, (std::array<int, 3>{0, 10, 20}));
        }
        EXPECT_EQ(MPI_Send_c(out.data(), -1, MPI_INT, peer, 3, MPI_COMM_WORLD), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Send_c(out.data(), LONG_MAX, MPI_INT, peer, 3, MPI_COMM_WORLD),
                  MPI_ERR_COUNT);
    });
}

// Elements of nothing: a message of more than 2^31 of them needs no memory.
TEST_P(LargeCounts, CountMoreThanAnIntHolds) {
    run(1, [](int, int) {
        MPI_Datatype nothing = MPI_DATATYPE_NULL;
        MPI_Type_contiguous_c(0, MPI_INT, &nothing);
        MPI_Type_commit(&nothing);
        char byte = 0;
        MPI_Status status;
        ASSERT_EQ(MPI_Sendrecv_c(&byte, beyond_int, nothing, 0, 0, &byte, beyond_int, nothing, 0, 0,
                                 MPI_COMM_SELF, &status),
                  MPI_SUCCESS);
        MPI_Type_free(&nothing);

        ASSERT_EQ(MPI_Status_set_elements_x(&status, MPI_SHORT, beyond_int), MPI_SUCCESS);
        MPI_Count wide = 0;
        int narrow = 0;
        EXPECT_EQ(MPI_Get_count_c(&status, MPI_SHORT, &wide), MPI_SUCCESS);
        EXPECT_EQ(wide, beyond_int);
        EXPECT_EQ(MPI_Get_elements_c(&status, MPI_SHORT, &wide), MPI_SUCCESS);
        EXPECT_EQ(wide, beyond_int);
        MPI_Get_count(&status, MPI_SHORT, &narrow);
        EXPECT_EQ(narrow, MPI_UNDEFINED);
        MPI_Get_elements(&status, MPI_SHORT, &narrow);
        EXPECT_EQ(narrow, MPI_UNDEFINED);
    });
}

TEST_P(LargeCounts, AreOfSizesAndExtents) {
    run(1, [](int, int) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        ASSERT_EQ(MPI_Type_vector_c(beyond_int, 2, 4, MPI_DOUBLE, &type), MPI_SUCCESS);
        MPI_Count wide = 0;
        int narrow = 0;
        EXPECT_EQ(MPI_Type_size_c(type, &wide), MPI_SUCCESS);
        EXPECT_EQ(wide, beyond_int * 16);
        EXPECT_EQ(MPI_Type_size(type, &narrow), MPI_SUCCESS);
        EXPECT_EQ(narrow, MPI_UNDEFINED);
        MPI_Count lower = -1;
        EXPECT_EQ(MPI_Type_get_extent_c(type, &lower, &wide), MPI_SUCCESS);
        EXPECT_EQ(lower, 0);
        EXPECT_EQ(wide, (beyond_int - 1) * 32 + 16);
        EXPECT_EQ(MPI_Type_get_true_extent_c(type, &lower, &wide), MPI_SUCCESS);
        EXPECT_EQ(wide, (beyond_int - 1) * 32 + 16);
        MPI_Type_commit(&type);
        EXPECT_EQ(MPI_Pack_size_c(3, type, MPI_COMM_SELF, &wide), MPI_SUCCESS);
        EXPECT_EQ(wide, 3 * beyond_int * 16);
        EXPECT_EQ(MPI_Pack_size(3, type, MPI_COMM_SELF, &narrow), MPI_ERR_COUNT);
        MPI_Type_free(&type);
        EXPECT_EQ(MPI_Type_contiguous_c(-1, MPI_INT, &type), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Type_contiguous_c(LONG_MAX, MPI_INT, &type), MPI_ERR_ARG);
    });
}

/// What a large-count call has made, told by MPI_Type_get_contents_c.
void expect_contents(MPI_Datatype type, int combiner, const std::vector<int>& integers,
                     const std::vector<MPI_Count>& large) {
    MPI_Count counts[4] = {};
    int found = 0;
    ASSERT_EQ(MPI_Type_get_envelope_c(type, &counts[0], &counts[1], &counts[2], &counts[3], &found),
              MPI_SUCCESS);
    EXPECT_EQ(found, combiner);
    EXPECT_EQ(counts[0], static_cast<MPI_Count>(integers.size()));
    EXPECT_EQ(counts[1], 0);
    ASSERT_EQ(counts[2], static_cast<MPI_Count>(large.size()));
    std::vector<int> got(integers.size());
    std::vector<MPI_Count> got_large(large.size());
    std::vector<MPI_Datatype> types(static_cast<std::size_t>(counts[3]));
    ASSERT_EQ(MPI_Type_get_contents_c(type, counts[0], 0, counts[2], counts[3], got.data(), nullptr,
                                      got_large.data(), types.data()),
              MPI_SUCCESS);
    EXPECT_EQ(got, integers);
    EXPECT_EQ(got_large, large);
    EXPECT_EQ(types[0], MPI_INT);
    // Ints cannot tell.
    int narrow[4] = {};
    EXPECT_EQ(MPI_Type_get_envelope(type, &narrow[0], &narrow[1], &narrow[2], &narrow[3]),
              MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_get_contents(type, 9, 9, 9, narrow, nullptr, types.data()), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_get_contents_c(type, counts[0], 0, counts[2] - 1, counts[3], got.data(),
                                      nullptr, got_large.data(), types.data()),
              MPI_ERR_ARG);
    MPI_Type_free(&type);
}

TEST_P(LargeCounts, AreInTheContentsOfATypeMadeByThem) {
    run(1, [](int, int) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        const MPI_Count lengths[] = {2, 1};
        const MPI_Count places[] = {5, 1};
        const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
        MPI_Type_contiguous_c(3, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_CONTIGUOUS, {}, {3});
        MPI_Type_vector_c(3, 1, -4, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_VECTOR, {}, {3, 1, -4});
        MPI_Type_create_hvector_c(3, 1, 16, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_HVECTOR, {}, {3, 1, 16});
        MPI_Type_indexed_c(2, lengths, places, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_INDEXED, {}, {2, 2, 1, 5, 1});
        MPI_Type_create_hindexed_c(2, lengths, places, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_HINDEXED, {}, {2, 2, 1, 5, 1});
        MPI_Type_create_indexed_block_c(2, 3, places, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_INDEXED_BLOCK, {}, {2, 3, 5, 1});
        MPI_Type_create_hindexed_block_c(2, 3, places, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_HINDEXED_BLOCK, {}, {2, 3, 5, 1});
        MPI_Type_create_struct_c(2, lengths, places, ints, &type);
        expect_contents(type, MPI_COMBINER_STRUCT, {}, {2, 2, 1, 5, 1});
        MPI_Type_create_resized_c(MPI_INT, -4, 64, &type);
        expect_contents(type, MPI_COMBINER_RESIZED, {}, {-4, 64});
        const MPI_Count sizes[] = {4, 5};
        const MPI_Count starts[] = {1, 3};
        MPI_Type_create_subarray_c(2, sizes, lengths, starts, MPI_ORDER_C, MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_SUBARRAY, {2, MPI_ORDER_C}, {4, 5, 2, 1, 1, 3});
        const int distributions[] = {MPI_DISTRIBUTE_CYCLIC};
        const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG};
        const int processes[] = {3};
        MPI_Type_create_darray_c(3, 1, 1, sizes, distributions, arguments, processes, MPI_ORDER_C,
                                 MPI_INT, &type);
        expect_contents(type, MPI_COMBINER_DARRAY,
                        {3, 1, 1, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 3, MPI_ORDER_C},
                        {4});
    });
}

// What ints have made has no large counts.
TEST_P(LargeCounts, AreNotInTheContentsOfOtherTypes) {
    run(1, [](int, int) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_hvector(3, 1, 16, MPI_INT, &type);
        MPI_Count counts[4] = {};
        int combiner = 0;
        MPI_Type_get_envelope_c(type, &counts[0], &counts[1], &counts[2], &counts[3], &combiner);
        EXPECT_THAT(counts, testing::ElementsAre(2, 1, 0, 1));
        MPI_Type_free(&type);
    });
}

TEST_P(LargeCounts, PackByAPositionOfTheirOwn) {
    run(1, [](int, int) {
        const int a[] = {1, 2, 3};
        std::array<char, 16> packed{};
        MPI_Count position = 4;
        ASSERT_EQ(MPI_Pack_c(a, 3, MPI_INT, packed.data(), 16, &position, MPI_COMM_SELF),
                  MPI_SUCCESS);
        EXPECT_EQ(position, 16);
        EXPECT_EQ(MPI_Pack_c(a, 1, MPI_INT, packed.data(), 16, &position, MPI_COMM_SELF),
                  MPI_ERR_TRUNCATE);
        EXPECT_EQ(position, 16);
        position = 8;
        int b[2] = {};
        ASSERT_EQ(MPI_Unpack_c(packed.data(), 16, &position, b, 2, MPI_INT, MPI_COMM_SELF),
                  MPI_SUCCESS);
        EXPECT_THAT(b, testing::ElementsAre(2, 3));
        EXPECT_EQ(position, 16);
    });
}

TEST_P(LargeCounts, AttachBuffers) {
    run(1, [](int, int) {
        std::array<char, 256 + MPI_BSEND_OVERHEAD> room{};
        ASSERT_EQ(MPI_Buffer_attach_c(room.data(), room.size()), MPI_SUCCESS);
        const int out = 5;
        int in = 0;
        ASSERT_EQ(MPI_Bsend_c(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_SUCCESS);
        MPI_Recv_c(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        EXPECT_EQ(in, 5);
        void* back = nullptr;
        MPI_Count size = 0;
        ASSERT_EQ(MPI_Buffer_detach_c(&back, &size), MPI_SUCCESS);
        EXPECT_EQ(back, room.data());
        EXPECT_EQ(size, static_cast<MPI_Count>(room.size()));
    });
}

TEST_P(LargeCounts, AreTakenByCollectives) {
    run(3, [](int rank, int size) {
        // To rank r go r + 1 numbers, from places that overlap with nobody's.
        const MPI_Count counts[] = {1, 2, 3};
        const MPI_Aint places[] = {0, 2, 5};
        std::vector<int> all{0, -1, 10, 11, -1, 20, 21, 22};
        std::vector<int> mine(static_cast<std::size_t>(rank) + 1);
        ASSERT_EQ(MPI_Scatterv_c(all.data(), counts, places, MPI_INT, mine.data(), rank + 1,
                                 MPI_INT, 0, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        for (int i = 0; i <= rank; ++i)
            EXPECT_EQ(mine[static_cast<std::size_t>(i)], 10 * rank + i);
        std::vector<int> gathered(8, -1);
        ASSERT_EQ(MPI_Allgatherv_c(mine.data(), rank + 1, MPI_INT, gathered.data(), counts, places,
                                   MPI_INT, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        EXPECT_EQ(gathered, all);

        std::vector<int> out(static_cast<std::size_t>(size), rank);
        std::vector<int> in(static_cast<std::size_t>(size));
        ASSERT_EQ(MPI_Alltoall_c(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        EXPECT_EQ(in, (std::vector<int>{0, 1, 2}));
        const std::vector<MPI_Count> ones(3, 1);
        const std::vector<MPI_Aint> bytes{0, 4, 8};
        const std::vector<MPI_Datatype> types(3, MPI_INT);
        in = {};
        in.resize(3);
        ASSERT_EQ(MPI_Alltoallw_c(out.data(), ones.data(), bytes.data(), types.data(), in.data(),
                                  ones.data(), bytes.data(), types.data(), MPI_COMM_WORLD),
                  MPI_SUCCESS);
        EXPECT_EQ(in, (std::vector<int>{0, 1, 2}));
        int sum = 0;
        ASSERT_EQ(
            MPI_Reduce_scatter_c(in.data(), &sum, ones.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD),
            MPI_SUCCESS);
        EXPECT_EQ(sum, 3 * rank);
        const MPI_Count wrong[] = {1, -1, 1};
        EXPECT_EQ(MPI_Reduce_scatter_c(in.data(), &sum, wrong, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Allgather_c(in.data(), LONG_MAX, MPI_INT, gathered.data(), 1, MPI_INT,
                                  MPI_COMM_WORLD),
                  MPI_ERR_COUNT);
    });
}

MPI_Count longest = 0;

void take_larger(void* in, void* inout, MPI_Count* count, MPI_Datatype*) {
    longest = *count;
    for (MPI_Count i = 0; i < *count; ++i)
        static_cast<int*>(inout)[i] =
            std::max(static_cast<int*>(in)[i], static_cast<int*>(inout)[i]);
}

void count_calls(void*, void*, int* count, MPI_Datatype*) {
    longest += *count;
}

TEST_P(LargeCounts, AreTakenByOperations) {
    run(1, [](int, int) {
        MPI_Op op = MPI_OP_NULL;
        ASSERT_EQ(MPI_Op_create_c(take_larger, 1, &op), MPI_SUCCESS);
        const int in[] = {1, 9};
        int inout[] = {5, 5};
        ASSERT_EQ(MPI_Reduce_local_c(in, inout, 2, MPI_INT, op), MPI_SUCCESS);
        EXPECT_THAT(inout, testing::ElementsAre(5, 9));
        EXPECT_EQ(longest, 2);
        MPI_Op_free(&op);
        EXPECT_EQ(MPI_Op_create_c(nullptr, 1, &op), MPI_ERR_ARG);
        // One that counts in ints is called several times.
        MPI_Datatype nothing = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(0, MPI_INT, &nothing);
        MPI_Type_commit(&nothing);
        MPI_Op_create(count_calls, 1, &op);
        longest = 0;
        ASSERT_EQ(MPI_Reduce_local_c(in, inout, beyond_int, nothing, op), MPI_SUCCESS);
        EXPECT_EQ(longest, beyond_int);
        MPI_Op_free(&op);
        MPI_Type_free(&nothing);
    });
}

}  // namespace
}  // namespace railyard::mpi
