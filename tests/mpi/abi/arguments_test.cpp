// Arguments that are wrong, and are told so: arrays that are not there, buffers that are the same,
// lengths that do not match. And what is deep or large beyond an int.

#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/abi/on_ranks.hpp"
#include "mpi/collectives/hub.hpp"

namespace railyard::mpi {
namespace {

using Arguments = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Arguments);

constexpr int int_max = std::numeric_limits<int>::max();

TEST_P(Arguments, ArraysThatAreNotThere) {
    run(1, [](int, int) {
        int flag = 0;
        int index = 0;
        EXPECT_EQ(MPI_Waitall(2, nullptr, nullptr), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Testall(2, nullptr, &flag, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Waitany(2, nullptr, &index, MPI_STATUS_IGNORE), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Startall(1, nullptr), MPI_ERR_ARG);
        std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        EXPECT_EQ(MPI_Waitall(2, requests.data(), nullptr), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Waitall(0, nullptr, nullptr), MPI_SUCCESS);

        MPI_Group group = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_SELF, &group);
        int rank = 0;
        EXPECT_EQ(MPI_Group_translate_ranks(group, 1, nullptr, group, &rank), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Group_translate_ranks(group, 1, &rank, group, nullptr), MPI_ERR_ARG);
        MPI_Group_free(&group);
        EXPECT_EQ(MPI_Recv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, nullptr),
                  MPI_ERR_ARG);
    });
}

TEST_P(Arguments, BuffersThatAreNone) {
    run(1, [](int, int) {
        int value = 0;
        EXPECT_EQ(MPI_Reduce_local(nullptr, nullptr, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Reduce_local(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Allreduce(&value, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF),
                  MPI_ERR_BUFFER);
    });
}

TEST_P(Arguments, BuffersThatAreTheSame) {
    run(2, [](int rank, int size) {
        std::vector<int> data(4);
        const MPI_Comm world = MPI_COMM_WORLD;
        const std::vector<int> ones(2, 1);
        const std::vector<int> places{0, 1};
        int* const all = data.data();
        EXPECT_EQ(MPI_Allreduce(all, all, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Alltoall(all, 1, MPI_INT, all, 1, MPI_INT, world), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Alltoallv(all, ones.data(), places.data(), MPI_INT, all, ones.data(),
                                places.data(), MPI_INT, world),
                  MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Allgather(all + rank, 1, MPI_INT, all, 1, MPI_INT, world), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Scan(all, all, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Reduce_scatter_block(all, all, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
        for (int root = 0; root < size; ++root)
            if (rank == root) {
                EXPECT_EQ(MPI_Reduce(all, all, 1, MPI_INT, MPI_SUM, root, world), MPI_ERR_BUFFER);
                EXPECT_EQ(MPI_Gather(all + rank, 1, MPI_INT, all, 1, MPI_INT, root, world),
                          MPI_ERR_BUFFER);
                EXPECT_EQ(MPI_Scatter(all, 1, MPI_INT, all + rank, 1, MPI_INT, root, world),
                          MPI_ERR_BUFFER);
            }
        // Nothing moves, so nothing is in the way.
        EXPECT_EQ(MPI_Allreduce(all, all, 0, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
    });
}

/// Every rank ends its call, and one that received another length than it asked for says so: who
/// that is, is a matter of the algorithm, but somebody is.
TEST_P(Arguments, LengthsThatDoNotMatch) {
    for (const int ranks : {2, 5})
        run(ranks, [](int rank, int size) {
            const MPI_Comm world = MPI_COMM_WORLD;
            MPI_Comm comm = MPI_COMM_NULL;
            const auto fresh = [&] {
                if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
                MPI_Comm_dup(world, &comm);
            };
            std::vector<int> data(64);
            std::vector<int> more(128 * static_cast<std::size_t>(size));
            const auto somebody_said_so = [&](int error) {
                EXPECT_TRUE(error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE) << error;
                const int mine = error != MPI_SUCCESS ? 1 : 0;
                int all = 0;
                MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, world);
                return all > 0;
            };
            for (const int longer : {0, size - 1}) {
                const int count = rank == longer ? 8 : 4;
                int* const one = data.data();
                int* const all = more.data();
                fresh();
                EXPECT_TRUE(somebody_said_so(MPI_Bcast(one, count, MPI_INT, 0, comm)));
                fresh();
                EXPECT_TRUE(
                    somebody_said_so(MPI_Reduce(one, all, count, MPI_INT, MPI_SUM, 0, comm)));
                fresh();
                EXPECT_TRUE(somebody_said_so(
                    MPI_Scatter(all, count, MPI_INT, one, count, MPI_INT, 0, comm)));
                fresh();
                EXPECT_TRUE(somebody_said_so(
                    MPI_Gather(one, count, MPI_INT, all, count, MPI_INT, 0, comm)));
                fresh();
                EXPECT_TRUE(
                    somebody_said_so(MPI_Allgather(one, count, MPI_INT, all, 4, MPI_INT, comm)));
                fresh();
                EXPECT_TRUE(somebody_said_so(
                    MPI_Alltoall(all, count, MPI_INT, all + 64, count, MPI_INT, comm)));
            }
            MPI_Comm_free(&comm);
        });
}

/// The same of data that a hub of one host takes in segments: each rank that gets something says
/// so. The next one is none the worse, unless ranks had different numbers of segments; then it
/// fails, too, and nobody waits for ever.
TEST_P(Arguments, LengthsOfSegmentsThatDoNotMatch) {
    if (GetParam().fabric != "shm") GTEST_SKIP() << "has no hub for all ranks";
    struct Lengths {
        int most;
        int one;  ///< of one rank
    };
    for (const Lengths lengths : {Lengths{2000, 1990}, {1990, 2000}, {20000, 5000}, {5000, 20000}})
        run(5, [&](int rank, int size) {
            const MPI_Comm world = MPI_COMM_WORLD;
            const int differs = size - 1;
            const int count = rank == differs ? lengths.one : lengths.most;
            const int per_segment = static_cast<int>(Hub::wide.capacity / sizeof(int));
            const bool keeps_step = lengths.most / per_segment == lengths.one / per_segment;
            std::vector<int> data(20000, 1);
            std::vector<int> all(20000 * static_cast<std::size_t>(size));
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_dup(world, &comm);
            const auto check = [&](const char* what, int error, bool gets_some) {
                EXPECT_TRUE(error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE) << error;
                if (gets_some) {
                    EXPECT_EQ(error, MPI_ERR_TRUNCATE) << what << " on rank " << rank;
                }
                const std::vector<int> ones(3000, 1);
                std::vector<int> sum(3000);
                EXPECT_EQ(MPI_Allreduce(ones.data(), sum.data(), 3000, MPI_INT, MPI_SUM, comm),
                          keeps_step ? MPI_SUCCESS : MPI_ERR_TRUNCATE)
                    << "after " << what << " on rank " << rank;
                if (keeps_step) {
                    EXPECT_EQ(sum, std::vector<int>(3000, size)) << "after " << what;
                }
                MPI_Comm_free(&comm);
                MPI_Comm_dup(world, &comm);
            };
            int* const one = data.data();
            int* const total = all.data();
            check("MPI_Allreduce", MPI_Allreduce(one, total, count, MPI_INT, MPI_SUM, comm), true);
            check("MPI_Reduce", MPI_Reduce(one, total, count, MPI_INT, MPI_SUM, 0, comm),
                  rank == 0);
            check("MPI_Bcast", MPI_Bcast(one, count, MPI_INT, 0, comm), rank == differs);
            check("MPI_Allgather", MPI_Allgather(one, count, MPI_INT, total, count, MPI_INT, comm),
                  true);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Iallreduce(one, total, count, MPI_INT, MPI_SUM, comm, &request);
            check("MPI_Iallreduce", MPI_Wait(&request, MPI_STATUS_IGNORE), true);
            MPI_Comm_free(&comm);
        });
}

TEST_P(Arguments, TypesOfTypesWithoutEnd) {
    run(1, [](int, int) {
        MPI_Datatype type = MPI_INT;
        for (int i = 0; i < 100000; ++i) {
            MPI_Datatype next = MPI_DATATYPE_NULL;
            ASSERT_EQ(i % 2 == 0 ? MPI_Type_contiguous(1, type, &next) : MPI_Type_dup(type, &next),
                      MPI_SUCCESS);
            if (type != MPI_INT) MPI_Type_free(&type);
            type = next;
        }
        MPI_Type_commit(&type);
        int size = 0;
        MPI_Type_size(type, &size);
        EXPECT_EQ(size, static_cast<int>(sizeof(int)));
        const int value = 7;
        int copy = 0;
        EXPECT_EQ(MPI_Sendrecv(&value, 1, type, 0, 0, &copy, 1, type, 0, 0, MPI_COMM_SELF,
                               MPI_STATUS_IGNORE),
                  MPI_SUCCESS);
        EXPECT_EQ(copy, 7);
        EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    });
}

TEST_P(Arguments, TypesAreNestedSoDeepAndNoDeeper) {
    run(1, [](int, int) {
        const std::array<int, 2> lengths{1, 1};
        MPI_Datatype type = MPI_INT;
        int depth = 0;
        int error = MPI_SUCCESS;
        MPI_Aint extent = sizeof(int);
        while (error == MPI_SUCCESS && depth < 100000) {
            const std::array<MPI_Aint, 2> places{0, 2 * extent};
            const std::array<MPI_Datatype, 2> parts{type, depth % 2 == 0 ? MPI_FLOAT : MPI_INT};
            MPI_Datatype next = MPI_DATATYPE_NULL;
            error = MPI_Type_create_struct(2, lengths.data(), places.data(), parts.data(), &next);
            if (error != MPI_SUCCESS) break;
            if (type != MPI_INT) MPI_Type_free(&type);
            type = next;
            extent += 2 * static_cast<MPI_Aint>(sizeof(int));
            MPI_Datatype resized = MPI_DATATYPE_NULL;
            MPI_Type_create_resized(type, 0, extent, &resized);
            MPI_Type_free(&type);
            type = resized;
            ++depth;
        }
        EXPECT_EQ(error, MPI_ERR_TYPE);
        EXPECT_GE(depth, 200);
        // As deep as it may be, it works.
        MPI_Type_commit(&type);
        std::vector<char> data(1 << 20);
        int bytes = 0;
        MPI_Type_size(type, &bytes);
        std::vector<char> packed(static_cast<std::size_t>(bytes));
        int position = 0;
        EXPECT_EQ(MPI_Pack(data.data(), 1, type, packed.data(), bytes, &position, MPI_COMM_SELF),
                  MPI_SUCCESS);
        MPI_Status status;
        int elements = 0;
        MPI_Status_set_elements(&status, type, depth / 2);
        EXPECT_EQ(MPI_Get_elements(&status, type, &elements), MPI_SUCCESS);
        EXPECT_EQ(elements, depth / 2);
        MPI_Type_free(&type);
    });
}

TEST_P(Arguments, CountsBeyondAnInt) {
    run(1, [](int, int) {
        MPI_Datatype four = MPI_DATATYPE_NULL;
        MPI_Datatype large = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(4, MPI_INT, &four);
        MPI_Type_contiguous(int_max, four, &large);
        int size = 0;
        MPI_Count wide = 0;
        MPI_Type_size(large, &size);
        EXPECT_EQ(size, MPI_UNDEFINED);
        MPI_Type_size_x(large, &wide);
        EXPECT_EQ(wide, 16 * static_cast<MPI_Count>(int_max));

        MPI_Status status;
        const MPI_Count all = 4 * static_cast<MPI_Count>(int_max);
        MPI_Status_set_elements_x(&status, large, all);
        int count = 0;
        MPI_Get_count(&status, large, &count);
        EXPECT_EQ(count, 1);
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, MPI_UNDEFINED);
        MPI_Get_elements(&status, large, &count);
        EXPECT_EQ(count, MPI_UNDEFINED);
        MPI_Get_elements_x(&status, large, &wide);
        EXPECT_EQ(wide, all);
        MPI_Status_set_elements_x(&status, large, all + 3);
        MPI_Get_elements_x(&status, large, &wide);
        EXPECT_EQ(wide, all + 3);
        MPI_Get_count(&status, large, &count);
        EXPECT_EQ(count, MPI_UNDEFINED);
        // Of nothing there are any number in some bytes.
        MPI_Datatype nothing = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(0, MPI_INT, &nothing);
        MPI_Get_elements(&status, nothing, &count);
        EXPECT_EQ(count, MPI_UNDEFINED);
        MPI_Get_elements_x(&status, nothing, &wide);
        EXPECT_EQ(wide, MPI_UNDEFINED);
        for (MPI_Datatype* type : {&four, &large, &nothing})
            MPI_Type_free(type);
    });
}

std::string value_of(MPI_Info info, const char* key) {
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
    return flag != 0 ? value : "none";
}

TEST_P(Arguments, HowTheProgramWasStarted) {
    run(2, [](int, int) {
        int keys = 0;
        EXPECT_EQ(MPI_Info_get_nkeys(MPI_INFO_ENV, &keys), MPI_SUCCESS);
        EXPECT_GE(keys, 2);
        EXPECT_EQ(value_of(MPI_INFO_ENV, "maxprocs"), "2");
        EXPECT_EQ(value_of(MPI_INFO_ENV, "thread_level"), "MPI_THREAD_SINGLE");
        MPI_Info copy = MPI_INFO_NULL;
        EXPECT_EQ(MPI_Info_dup(MPI_INFO_ENV, &copy), MPI_SUCCESS);
        EXPECT_EQ(value_of(copy, "maxprocs"), "2");
        MPI_Info_free(&copy);
        // It is nobody's to change.
        EXPECT_EQ(MPI_Info_set(MPI_INFO_ENV, "maxprocs", "3"), MPI_ERR_INFO);
        MPI_Info handle = MPI_INFO_ENV;
        EXPECT_EQ(MPI_Info_free(&handle), MPI_ERR_INFO);
    });
}

TEST_P(Arguments, HintsThatNobodyKnowsAreNotKept) {
    run(1, [](int, int) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "color", "green");
        MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
        MPI_Info_set(info, "mpi_assert_exact_length", "perhaps");
        EXPECT_EQ(value_of(info, "color"), "green");
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup);
        MPI_Comm_set_info(dup, info);
        MPI_Info_free(&info);
        MPI_Comm_get_info(dup, &info);
        EXPECT_EQ(value_of(info, "color"), "none");
        EXPECT_EQ(value_of(info, "mpi_assert_no_any_tag"), "true");
        EXPECT_EQ(value_of(info, "mpi_assert_exact_length"), "false");
        EXPECT_EQ(value_of(info, "mpi_assert_allow_overtaking"), "false");
        MPI_Info_free(&info);
        MPI_Comm_free(&dup);
    });
}

void pass_over(MPI_Comm*, int*, ...) {}

TEST_P(Arguments, TheErrorHandlerThatComesBackIsTheOneThatWasSet) {
    run(1, [](int, int) {
        MPI_Errhandler made = MPI_ERRHANDLER_NULL;
        MPI_Comm_create_errhandler(&pass_over, &made);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, made);
        MPI_Errhandler got = MPI_ERRHANDLER_NULL;
        MPI_Comm_get_errhandler(MPI_COMM_SELF, &got);
        EXPECT_EQ(got, made);
        // Each is freed by itself.
        MPI_Errhandler again = got;
        EXPECT_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
        EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, again), MPI_SUCCESS);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        EXPECT_EQ(MPI_Errhandler_free(&made), MPI_SUCCESS);
        EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, again), MPI_ERR_ARG);
        MPI_Comm_get_errhandler(MPI_COMM_SELF, &got);
        EXPECT_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    });
}

}  // namespace
}  // namespace railyard::mpi
