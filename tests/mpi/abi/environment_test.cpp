// Beginning and end, versions, names, clocks, and how a job ends early.

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Environment = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Environment);

TEST_P(Environment, KnowsWhetherMpiIsUp) {
    job::Options options = options_for(GetParam(), 2);
    const job::Result result = job::run(options, [](job::Rank& rank) {
        int flag = -1;
        MPI_Initialized(&flag);
        EXPECT_EQ(flag, 0);
        int provided = -1;
        ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
        EXPECT_GE(provided, MPI_THREAD_SERIALIZED);
        MPI_Initialized(&flag);
        EXPECT_EQ(flag, 1);
        MPI_Finalized(&flag);
        EXPECT_EQ(flag, 0);
        int level = -1;
        MPI_Query_thread(&level);
        EXPECT_EQ(level, provided);
        MPI_Is_thread_main(&flag);
        EXPECT_EQ(flag, 1);
        int id = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &id);
        EXPECT_EQ(id, rank.id());
        MPI_Finalize();
        MPI_Finalized(&flag);
        EXPECT_EQ(flag, 1);
        MPI_Initialized(&flag);
        EXPECT_EQ(flag, 1);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(Environment, GrantsTheThreadLevelThatWasAskedFor) {
    for (const int wanted : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED}) {
        job::Options options = options_for(GetParam(), 1);
        job::run(options, [&](job::Rank&) {
            int provided = -1;
            MPI_Init_thread(nullptr, nullptr, wanted, &provided);
            EXPECT_EQ(provided, wanted);
            MPI_Finalize();
        });
    }
}

TEST_P(Environment, SaysWhatItIs) {
    run(1, [](int, int) {
        int version = 0;
        int subversion = 0;
        MPI_Get_version(&version, &subversion);
        EXPECT_EQ(version, MPI_VERSION);
        EXPECT_EQ(subversion, MPI_SUBVERSION);
        char text[MPI_MAX_LIBRARY_VERSION_STRING];
        int length = 0;
        MPI_Get_library_version(text, &length);
        EXPECT_THAT(text, HasSubstr("Railyard"));
        EXPECT_EQ(length, static_cast<int>(std::string(text).size()));
        char name[MPI_MAX_PROCESSOR_NAME];
        MPI_Get_processor_name(name, &length);
        EXPECT_GT(length, 0);
        EXPECT_EQ(length, static_cast<int>(std::string(name).size()));
    });
}

TEST_P(Environment, TimeDoesNotRunBackwards) {
    run(2, [](int rank, int) {
        const double before = MPI_Wtime();
        int token = 0;
        if (rank == 0) {
            MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        EXPECT_GT(MPI_Wtime(), before);
        EXPECT_GT(MPI_Wtick(), 0);
    });
}

/// A thread that waits for a message cannot be ended; a process can.
FabricAndKind that_can_end(FabricAndKind on) {
    if (on.kind == job::Kind::threads) on.kind = job::Kind::processes;
    return on;
}

TEST_P(Environment, AbortEndsTheJobWithItsCode) {
    const job::Result result = run_on(that_can_end(GetParam()), 3, [](int rank, int) {
        if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 17);
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_code, 17);
    EXPECT_THAT(result.failure, HasSubstr("MPI_Abort"));
}

TEST_P(Environment, AFatalErrorNamesRankFunctionClassAndCause) {
    const job::Result result = run_on(that_can_end(GetParam()), 2, [](int rank, int) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        if (rank == 1) MPI_Send(nullptr, 0, MPI_INT, 7, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.failure, AllOf(HasSubstr("rank 1"), HasSubstr("MPI_Send"),
                                      HasSubstr("invalid rank"), HasSubstr("dest is 7")));
}

TEST_P(Environment, ACallOutsideOfMpiIsTold) {
    job::Options options = options_for(GetParam(), 1);
    const job::Result before = job::run(options, [](job::Rank&) { MPI_Barrier(MPI_COMM_WORLD); });
    EXPECT_FALSE(before.ok);
    EXPECT_THAT(before.failure, HasSubstr("MPI_Barrier was called before MPI_Init"));
    const job::Result after = job::run(options, [](job::Rank&) {
        MPI_Init(nullptr, nullptr);
        MPI_Finalize();
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_FALSE(after.ok);
    EXPECT_THAT(after.failure, HasSubstr("MPI_Barrier was called after MPI_Finalize"));
}

TEST_P(Environment, MemoryIsAllocatedAndFreed) {
    run(1, [](int, int) {
        void* memory = nullptr;
        ASSERT_EQ(MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory), MPI_SUCCESS);
        ASSERT_NE(memory, nullptr);
        static_cast<char*>(memory)[999] = 1;
        EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
        EXPECT_EQ(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG);
    });
}

// A tool's own MPI_X would be called in place of ours, and finds ours as PMPI_X.
TEST_P(Environment, EveryCallIsThereUnderTwoNames) {
    EXPECT_EQ(&MPI_Send, &PMPI_Send);
    run(1, [](int, int) {
        int size = 0;
        EXPECT_EQ(PMPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
        EXPECT_EQ(size, 1);
    });
}

TEST_P(Environment, HandOutTextsWithTheRoomTheyNeed) {
    run(1, [](int, int) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "color", "green");
        int length = 0;
        int flag = 0;
        // Without room, it says how much is needed.
        ASSERT_EQ(MPI_Info_get_string(info, "color", &length, nullptr, &flag), MPI_SUCCESS);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(length, 6);
        char text[8] = "";
        length = 4;
        ASSERT_EQ(MPI_Info_get_string(info, "color", &length, text, &flag), MPI_SUCCESS);
        EXPECT_STREQ(text, "gre");
        EXPECT_EQ(length, 6);
        MPI_Info_get_string(info, "color", &length, text, &flag);
        EXPECT_STREQ(text, "green");
        MPI_Info_get_string(info, "shape", &length, text, &flag);
        EXPECT_EQ(flag, 0);
        length = -1;
        EXPECT_EQ(MPI_Info_get_string(info, "color", &length, text, &flag), MPI_ERR_COUNT);
        MPI_Info_free(&info);
        ASSERT_EQ(MPI_Info_create_env(0, nullptr, &info), MPI_SUCCESS);
        length = sizeof text;
        MPI_Info_get_string(info, "maxprocs", &length, text, &flag);
        EXPECT_EQ(flag, 1);
        EXPECT_STREQ(text, "1");
        EXPECT_EQ(MPI_Info_set(info, "mine", "yes"), MPI_SUCCESS);
        MPI_Info_free(&info);
        // Statuses in all languages.
        MPI_Status status{1, 2, 3, 4, 5};
        MPI_F08_status f08{};
        MPI_Fint f[MPI_F_STATUS_SIZE] = {};
        MPI_Status back{};
        MPI_Status_c2f08(&status, &f08);
        MPI_Status_f082f(&f08, f);
        f08 = {};
        MPI_Status_f2f08(f, &f08);
        MPI_Status_f082c(&f08, &back);
        EXPECT_EQ(back.MPI_SOURCE, 3);
        EXPECT_EQ(back.MPI_ERROR, 5);
        EXPECT_EQ(MPI_Status_f2f08(nullptr, &f08), MPI_ERR_ARG);
    });
}

}  // namespace
}  // namespace railyard::mpi
