// Datatypes through the C interface: what they hold, how they were made, what they move.

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Datatypes = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Datatypes);

/// Sends `count` elements from a field of numbers to itself as integers, and says which came.
std::vector<int> numbers_in(MPI_Datatype type, int count) {
    std::vector<int> field(200);
    std::iota(field.begin(), field.end(), 0);
    MPI_Type_commit(&type);
    int size = 0;
    MPI_Type_size(type, &size);
    std::vector<int> got(static_cast<std::size_t>(count * size) / sizeof(int));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(field.data(), count, type, 0, 0, MPI_COMM_SELF, &request);
    MPI_Type_free(&type);  // what is under way keeps it
    // Whatever it is made of.
    MPI_Recv(got.data(), static_cast<int>(got.size() * sizeof(int)), MPI_BYTE, 0, 0, MPI_COMM_SELF,
             MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return got;
}

using Numbers = std::vector<int>;

TEST_P(Datatypes, EveryConstructorTakesItsNumbers) {
    run(1, [](int, int) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        const int lengths[] = {2, 1};
        const int places[] = {5, 1};
        const MPI_Aint bytes[] = {20, 4};
        MPI_Type_contiguous(3, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 2), (Numbers{0, 1, 2, 3, 4, 5}));
        MPI_Type_vector(2, 2, 5, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 2), (Numbers{0, 1, 5, 6, 7, 8, 12, 13}));
        MPI_Type_create_hvector(2, 1, 12, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{0, 3}));
        MPI_Type_hvector(2, 1, 12, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{0, 3}));
        MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{5, 6, 1}));
        MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{5, 6, 1}));
        MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{5, 6, 1, 2}));
        MPI_Type_create_hindexed_block(2, 2, bytes, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{5, 6, 1, 2}));
        const MPI_Datatype types[] = {MPI_INT, MPI_FLOAT};
        MPI_Type_create_struct(2, lengths, bytes, types, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{5, 6, 1}));
        MPI_Type_create_resized(MPI_INT, 0, 16, &type);
        EXPECT_EQ(numbers_in(type, 3), (Numbers{0, 4, 8}));
        const int sizes[] = {4, 5};
        const int subsizes[] = {2, 2};
        const int starts[] = {1, 3};
        MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{8, 9, 13, 14}));
        const int distributions[] = {MPI_DISTRIBUTE_CYCLIC};
        const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG};
        const int processes[] = {3};
        const int length[] = {8};
        MPI_Type_create_darray(3, 1, 1, length, distributions, arguments, processes, MPI_ORDER_C,
                               MPI_INT, &type);
        EXPECT_EQ(numbers_in(type, 1), (Numbers{1, 4, 7}));
    });
}

TEST_P(Datatypes, AreMeasured) {
    run(1, [](int, int) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &type);
        int size = 0;
        MPI_Count wide = 0;
        MPI_Type_size(type, &size);
        MPI_Type_size_x(type, &wide);
        EXPECT_EQ(size, 16);
        EXPECT_EQ(wide, 16);
        MPI_Datatype moved = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(type, -8, 100, &moved);
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        MPI_Type_get_extent(moved, &lower, &extent);
        EXPECT_EQ(lower, -8);
        EXPECT_EQ(extent, 100);
        MPI_Type_get_true_extent(moved, &lower, &extent);
        EXPECT_EQ(lower, 0);
        EXPECT_EQ(extent, 32);
        MPI_Aint upper = 0;
        MPI_Type_ub(moved, &upper);
        MPI_Type_lb(moved, &lower);
        MPI_Type_extent(moved, &extent);
        EXPECT_EQ(upper, 92);
        EXPECT_EQ(lower, -8);
        EXPECT_EQ(extent, 100);
        MPI_Type_free(&type);
        MPI_Type_free(&moved);
        MPI_Type_size(MPI_DOUBLE_INT, &size);
        EXPECT_EQ(size, 12);
        MPI_Type_get_extent(MPI_DOUBLE_INT, &lower, &extent);
        EXPECT_EQ(extent, 16);
    });
}

TEST_P(Datatypes, SayHowTheyWereMade) {
    run(1, [](int, int) {
        MPI_Datatype inner = MPI_DATATYPE_NULL;
        MPI_Datatype outer = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, MPI_INT, &inner);
        MPI_Type_vector(3, 1, 4, inner, &outer);
        MPI_Type_free(&inner);
        int integers = 0;
        int addresses = 0;
        int types = 0;
        int combiner = 0;
        MPI_Type_get_envelope(outer, &integers, &addresses, &types, &combiner);
        EXPECT_EQ(combiner, MPI_COMBINER_VECTOR);
        ASSERT_EQ(integers, 3);
        ASSERT_EQ(types, 1);
        int numbers[3] = {};
        MPI_Type_get_contents(outer, 3, 0, 1, numbers, nullptr, &inner);
        EXPECT_THAT(numbers, testing::ElementsAre(3, 1, 4));
        MPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner);
        EXPECT_EQ(combiner, MPI_COMBINER_CONTIGUOUS);
        MPI_Datatype innermost = MPI_DATATYPE_NULL;
        MPI_Type_get_contents(inner, 1, 0, 1, numbers, nullptr, &innermost);
        EXPECT_EQ(innermost, MPI_INT);
        MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &types, &combiner);
        EXPECT_EQ(combiner, MPI_COMBINER_NAMED);
        EXPECT_EQ(MPI_Type_get_contents(MPI_INT, 0, 0, 0, nullptr, nullptr, nullptr), MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Type_get_contents(outer, 2, 0, 1, numbers, nullptr, &innermost), MPI_ERR_ARG);
        MPI_Type_free(&inner);
        MPI_Type_free(&outer);
    });
}

TEST_P(Datatypes, HaveNames) {
    run(1, [](int, int) {
        char name[MPI_MAX_OBJECT_NAME];
        int length = 0;
        MPI_Type_get_name(MPI_DOUBLE, name, &length);
        EXPECT_STREQ(name, "MPI_DOUBLE");
        MPI_Type_get_name(MPI_LONG_DOUBLE_INT, name, &length);
        EXPECT_STREQ(name, "MPI_LONG_DOUBLE_INT");
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_dup(MPI_INT, &type);
        MPI_Type_get_name(type, name, &length);
        EXPECT_EQ(length, 0);
        MPI_Type_set_name(type, "mine");
        MPI_Type_get_name(type, name, &length);
        EXPECT_STREQ(name, "mine");
        MPI_Type_free(&type);
        MPI_Datatype type_of_eight = MPI_DATATYPE_NULL;
        MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type_of_eight);
        int size = 0;
        MPI_Type_size(type_of_eight, &size);
        EXPECT_EQ(size, 8);
        EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type_of_eight), MPI_ERR_ARG);
        MPI_Datatype predefined = MPI_INT;
        EXPECT_EQ(MPI_Type_free(&predefined), MPI_ERR_TYPE);
    });
}

TEST_P(Datatypes, PackAndUnpackByPosition) {
    run(1, [](int, int) {
        std::array<char, 64> packed{};
        int position = 0;
        const int a[] = {1, 2};
        const double b = 2.5;
        const int room = 16;
        int size = 0;
        MPI_Pack_size(2, MPI_INT, MPI_COMM_WORLD, &size);
        EXPECT_GE(size, 8);
        MPI_Pack(a, 2, MPI_INT, packed.data(), room, &position, MPI_COMM_WORLD);
        MPI_Pack(&b, 1, MPI_DOUBLE, packed.data(), room, &position, MPI_COMM_WORLD);
        EXPECT_EQ(position, 16);
        EXPECT_EQ(MPI_Pack(&b, 1, MPI_DOUBLE, packed.data(), room, &position, MPI_COMM_WORLD),
                  MPI_ERR_TRUNCATE);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(packed.data(), position, MPI_PACKED, 0, 0, MPI_COMM_SELF, &request);
        std::array<char, 64> received{};
        MPI_Recv(received.data(), room, MPI_PACKED, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        int c[2] = {};
        double d = 0;
        position = 0;
        MPI_Unpack(received.data(), room, &position, c, 2, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(received.data(), room, &position, &d, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        EXPECT_EQ(c[1], 2);
        EXPECT_EQ(d, 2.5);
    });
}

TEST_P(Datatypes, PackForEveryMachine) {
    run(1, [](int, int) {
        MPI_Aint size = 0;
        ASSERT_EQ(MPI_Pack_external_size("external32", 2, MPI_LONG_DOUBLE, &size), MPI_SUCCESS);
        EXPECT_EQ(size, 32);
        const int out[] = {0x01020304, -1};
        std::array<unsigned char, 10> packed{};
        MPI_Aint position = 1;
        ASSERT_EQ(MPI_Pack_external("external32", out, 2, MPI_INT, packed.data(), 10, &position),
                  MPI_SUCCESS);
        EXPECT_EQ(position, 9);
        EXPECT_THAT(packed, testing::ElementsAre(0, 1, 2, 3, 4, 255, 255, 255, 255, 0));
        position = 1;
        int in[2] = {};
        ASSERT_EQ(MPI_Unpack_external("external32", packed.data(), 10, &position, in, 2, MPI_INT),
                  MPI_SUCCESS);
        EXPECT_EQ(position, 9);
        EXPECT_THAT(in, testing::ElementsAreArray(out));
        EXPECT_EQ(MPI_Unpack_external("external32", packed.data(), 10, &position, in, 2, MPI_INT),
                  MPI_ERR_TRUNCATE);
        EXPECT_EQ(MPI_Pack_external("native", out, 2, MPI_INT, packed.data(), 10, &position),
                  MPI_ERR_UNSUPPORTED_DATAREP);
        MPI_Count wide = 0;
        ASSERT_EQ(MPI_Pack_external_size_c("external32", 2, MPI_WCHAR, &wide), MPI_SUCCESS);
        EXPECT_EQ(wide, 4);
        const wchar_t beyond = 0x1f600;
        position = 0;
        EXPECT_EQ(
            MPI_Pack_external("external32", &beyond, 1, MPI_WCHAR, packed.data(), 10, &position),
            MPI_ERR_CONVERSION);
    });
}

TEST_P(Datatypes, AreOfTheKindsOfFortran) {
    run(2, [](int rank, int) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Datatype again = MPI_DATATYPE_NULL;
        ASSERT_EQ(MPI_Type_create_f90_real(10, MPI_UNDEFINED, &type), MPI_SUCCESS);
        MPI_Type_create_f90_real(10, MPI_UNDEFINED, &again);
        EXPECT_EQ(type, again);
        MPI_Type_create_f90_real(10, 100, &again);
        EXPECT_NE(type, again);
        int size = 0;
        MPI_Type_size(type, &size);
        EXPECT_EQ(size, 8);
        int counts[4] = {};
        MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &counts[3]);
        EXPECT_THAT(counts, testing::ElementsAre(2, 0, 0, MPI_COMBINER_F90_REAL));
        int integers[2] = {};
        MPI_Type_get_contents(type, 2, 0, 0, integers, nullptr, nullptr);
        EXPECT_THAT(integers, testing::ElementsAre(10, MPI_UNDEFINED));
        // It can be calculated with, and is not freed.
        const double mine = rank + 0.5;
        double sum = 0;
        ASSERT_EQ(MPI_Allreduce(&mine, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        EXPECT_EQ(sum, 2.0);
        again = type;
        EXPECT_EQ(MPI_Type_free(&again), MPI_ERR_TYPE);
        // Types made of it say so.
        MPI_Datatype row = MPI_DATATYPE_NULL;
        MPI_Datatype part = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, type, &row);
        MPI_Type_get_contents(row, 1, 0, 1, integers, nullptr, &part);
        EXPECT_EQ(part, type);
        MPI_Type_free(&row);

        MPI_Type_create_f90_complex(6, 37, &type);
        MPI_Type_size(type, &size);
        EXPECT_EQ(size, 8);
        const int sizes[][2] = {{2, 1}, {3, 2}, {9, 4}, {10, 8}, {18, 8}};
        for (const auto& [range, bytes] : sizes) {
            ASSERT_EQ(MPI_Type_create_f90_integer(range, &type), MPI_SUCCESS);
            MPI_Type_size(type, &size);
            EXPECT_EQ(size, bytes) << range;
        }
        EXPECT_EQ(MPI_Type_create_f90_integer(19, &type), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Type_create_f90_integer(-1, &type), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Type_create_f90_real(34, 0, &type), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Type_create_f90_real(-3, 0, &type), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Type_create_f90_complex(MPI_UNDEFINED, MPI_UNDEFINED, &type), MPI_ERR_ARG);
    });
}

// A type made of absolute addresses, sent from MPI_BOTTOM.
TEST_P(Datatypes, ReachFromTheBottomOfMemory) {
    run(1, [](int, int) {
        int a = 11;
        double b = 0.5;
        MPI_Aint places[2];
        MPI_Get_address(&a, &places[0]);
        MPI_Address(&b, &places[1]);
        EXPECT_EQ(MPI_Aint_add(places[0], MPI_Aint_diff(places[1], places[0])), places[1]);
        int lengths[] = {1, 1};
        MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_struct(2, lengths, places, types, &type);
        MPI_Type_commit(&type);
        MPI_Request request = MPI_REQUEST_NULL;
        ASSERT_EQ(MPI_Isend(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_SELF, &request), MPI_SUCCESS);
        std::array<std::byte, 12> in{};
        MPI_Recv(in.data(), 12, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(*reinterpret_cast<int*>(in.data()), 11);
        MPI_Type_free(&type);
    });
}

// Streamed in many segments, of which a column is no multiple.
TEST_P(Datatypes, TransposeOnTheirWay) {
    run(2, [](int rank, int) {
        constexpr int rows = 301;
        constexpr int columns = 417;
        const auto at = [](int r, int c) {
            return static_cast<std::size_t>(r) * columns + static_cast<std::size_t>(c);
        };
        MPI_Datatype column = MPI_DATATYPE_NULL;
        MPI_Datatype matrix = MPI_DATATYPE_NULL;
        MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column);
        MPI_Type_create_hvector(columns, 1, sizeof(double), column, &matrix);
        MPI_Type_commit(&matrix);
        std::vector<double> data(static_cast<std::size_t>(rows) * columns);
        for (int round = 0; round < 2; ++round) {
            const bool sender_transposes = round == 0;
            if (rank == 0) {
                std::iota(data.begin(), data.end(), 0.0);
                if (sender_transposes)
                    MPI_Send(data.data(), 1, matrix, 1, 0, MPI_COMM_WORLD);
                else
                    MPI_Send(data.data(), rows * columns, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
                continue;
            }
            std::fill(data.begin(), data.end(), -1.0);
            MPI_Status status;
            if (sender_transposes)
                MPI_Recv(data.data(), rows * columns, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &status);
            else
                MPI_Recv(data.data(), 1, matrix, 0, 0, MPI_COMM_WORLD, &status);
            std::size_t wrong = 0;
            std::size_t next = 0;
            for (int c = 0; c < columns; ++c)
                for (int r = 0; r < rows; ++r, ++next)
                    wrong += sender_transposes ? data[next] != static_cast<double>(at(r, c))
                                               : data[at(r, c)] != static_cast<double>(next);
            EXPECT_EQ(wrong, 0u);
        }
        MPI_Type_free(&matrix);
        MPI_Type_free(&column);
    });
}

TEST_P(Datatypes, PairsOfValueAndIndexAreFound) {
    run(1, [](int, int) {
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        EXPECT_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair), MPI_SUCCESS);
        EXPECT_EQ(pair, MPI_DOUBLE_INT);
        EXPECT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_INT, &pair), MPI_SUCCESS);
        EXPECT_EQ(pair, MPI_2INT);
        EXPECT_EQ(MPI_Type_get_value_index(MPI_REAL, MPI_REAL, &pair), MPI_SUCCESS);
        EXPECT_EQ(pair, MPI_2REAL);
        EXPECT_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &pair), MPI_SUCCESS);
        EXPECT_EQ(pair, MPI_DATATYPE_NULL);
        EXPECT_EQ(MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &pair), MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_COMM_WORLD, &pair), MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_INT, nullptr), MPI_ERR_ARG);
    });
}

}  // namespace
}  // namespace railyard::mpi
