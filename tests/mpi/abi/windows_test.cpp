// Making windows, what they say of themselves, and wrong ways to make them.

#include "mpi/abi/windows.hpp"

#include <cstring>

namespace railyard::mpi {
namespace {

using Windows = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Windows);

template <class T>
T attribute(MPI_Win win, int key) {
    T value{};
    int flag = 0;
    EXPECT_EQ(MPI_Win_get_attr(win, key, &value, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    return value;
}

TEST_P(Windows, SayWhatTheyAre) {
    run(2, [](int, int) {
        double memory[4] = {};
        MPI_Win win = MPI_WIN_NULL;
        ASSERT_EQ(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
                  MPI_SUCCESS);
        EXPECT_EQ(attribute<void*>(win, MPI_WIN_BASE), memory);
        EXPECT_EQ(*attribute<MPI_Aint*>(win, MPI_WIN_SIZE), MPI_Aint(sizeof memory));
        EXPECT_EQ(*attribute<int*>(win, MPI_WIN_DISP_UNIT), 8);
        EXPECT_EQ(*attribute<int*>(win, MPI_WIN_CREATE_FLAVOR), MPI_WIN_FLAVOR_CREATE);
        EXPECT_EQ(*attribute<int*>(win, MPI_WIN_MODEL), MPI_WIN_UNIFIED);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        EXPECT_EQ(MPI_Win_set_attr(win, MPI_WIN_SIZE, nullptr), MPI_ERR_KEYVAL);
        EXPECT_EQ(MPI_Win_free(&win), MPI_SUCCESS);
        EXPECT_EQ(win, MPI_WIN_NULL);

        void* base = nullptr;
        ASSERT_EQ(MPI_Win_allocate(100, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
                  MPI_SUCCESS);
        EXPECT_EQ(attribute<void*>(win, MPI_WIN_BASE), base);
        EXPECT_EQ(*attribute<int*>(win, MPI_WIN_CREATE_FLAVOR), MPI_WIN_FLAVOR_ALLOCATE);
        std::memset(base, 1, 100);
        MPI_Win_free(&win);

        ASSERT_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
        EXPECT_EQ(attribute<void*>(win, MPI_WIN_BASE), nullptr);
        EXPECT_EQ(*attribute<int*>(win, MPI_WIN_CREATE_FLAVOR), MPI_WIN_FLAVOR_DYNAMIC);
        MPI_Win_free(&win);
    });
}

TEST_P(Windows, HaveTheGroupOfTheirCommunicator) {
    run(3, [](int rank, int size) {
        MPI_Comm odd = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
        NumberWindow window(MPI_WIN_FLAVOR_CREATE, 1, odd);
        MPI_Group group = MPI_GROUP_NULL;
        MPI_Group wanted = MPI_GROUP_NULL;
        EXPECT_EQ(MPI_Win_get_group(window.win, &group), MPI_SUCCESS);
        MPI_Comm_group(odd, &wanted);
        int same = MPI_UNEQUAL;
        MPI_Group_compare(group, wanted, &same);
        EXPECT_EQ(same, MPI_IDENT);
        MPI_Group_free(&group);
        MPI_Group_free(&wanted);
        // The window lives on without it.
        MPI_Comm_free(&odd);
        MPI_Win_fence(0, window.win);
        const std::int64_t mine = 100 + rank;
        const int members = rank % 2 == 0 ? (size + 1) / 2 : size / 2;
        EXPECT_EQ(MPI_Put(&mine, 1, MPI_INT64_T, members - 1, 0, 1, MPI_INT64_T, window.win),
                  MPI_SUCCESS);
        MPI_Win_fence(0, window.win);
    });
}

TEST_P(Windows, CarryNamesHintsAndAttributes) {
    run(2, [](int, int) {
        NumberWindow window(MPI_WIN_FLAVOR_ALLOCATE, 1);
        char text[MPI_MAX_OBJECT_NAME] = "?";
        int length = -1;
        EXPECT_EQ(MPI_Win_get_name(window.win, text, &length), MPI_SUCCESS);
        EXPECT_EQ(length, 0);
        EXPECT_EQ(MPI_Win_set_name(window.win, "halo"), MPI_SUCCESS);
        MPI_Win_get_name(window.win, text, &length);
        EXPECT_STREQ(text, "halo");
        EXPECT_EQ(MPI_Win_set_name(window.win, nullptr), MPI_ERR_ARG);

        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "accumulate_ordering", "none");
        MPI_Info_set(info, "same_size", "perhaps");
        MPI_Info_set(info, "color", "green");
        EXPECT_EQ(MPI_Win_set_info(window.win, info), MPI_SUCCESS);
        MPI_Info_free(&info);
        EXPECT_EQ(MPI_Win_get_info(window.win, &info), MPI_SUCCESS);
        char value[64] = "";
        int flag = 0;
        MPI_Info_get(info, "accumulate_ordering", 63, value, &flag);
        EXPECT_STREQ(value, "none");
        MPI_Info_get(info, "same_size", 63, value, &flag);
        EXPECT_STREQ(value, "false");
        MPI_Info_get(info, "color", 63, value, &flag);
        EXPECT_EQ(flag, 0);
        MPI_Info_free(&info);

        int key = MPI_KEYVAL_INVALID;
        ASSERT_EQ(MPI_Win_create_keyval(
                      MPI_WIN_NULL_COPY_FN,
                      [](MPI_Win, int, void* number, void*) {
                          ++*static_cast<int*>(number);
                          return MPI_SUCCESS;
                      },
                      &key, nullptr),
                  MPI_SUCCESS);
        int mine = 0;
        void* found = nullptr;
        EXPECT_EQ(MPI_Win_get_attr(window.win, key, &found, &flag), MPI_SUCCESS);
        EXPECT_EQ(flag, 0);
        EXPECT_EQ(MPI_Win_delete_attr(window.win, key), MPI_ERR_KEYVAL);
        EXPECT_EQ(MPI_Win_set_attr(window.win, key, &mine), MPI_SUCCESS);
        MPI_Win_get_attr(window.win, key, &found, &flag);
        EXPECT_EQ(found, &mine);
        EXPECT_EQ(MPI_Win_delete_attr(window.win, key), MPI_SUCCESS);
        EXPECT_EQ(mine, 1);
        EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &mine), MPI_ERR_KEYVAL);
        MPI_Win other = MPI_WIN_NULL;
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other);
        MPI_Win_set_attr(other, key, &mine);
        MPI_Win_free(&other);
        EXPECT_EQ(mine, 2);
        EXPECT_EQ(MPI_Win_free_keyval(&key), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_free_keyval(&key), MPI_ERR_KEYVAL);
    });
}

thread_local int windows_heard = 0;
void hear_of_window(MPI_Win*, int* code, ...) {
    if (*code == MPI_ERR_RMA_SYNC) ++windows_heard;
}

TEST_P(Windows, HaveErrorHandlersOfTheirOwn) {
    run(1, [](int, int) {
        NumberWindow window(MPI_WIN_FLAVOR_CREATE, 1);
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        ASSERT_EQ(MPI_Win_create_errhandler(&hear_of_window, &handler), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_create_errhandler(nullptr, &handler), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Win_set_errhandler(window.win, handler), MPI_SUCCESS);
        windows_heard = 0;
        EXPECT_EQ(MPI_Win_unlock(0, window.win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(windows_heard, 1);
        MPI_Win_call_errhandler(window.win, MPI_ERR_RMA_SYNC);
        EXPECT_EQ(windows_heard, 2);
        MPI_Errhandler same = MPI_ERRHANDLER_NULL;
        EXPECT_EQ(MPI_Win_get_errhandler(window.win, &same), MPI_SUCCESS);
        EXPECT_EQ(same, handler);
        MPI_Errhandler_free(&same);
        MPI_Errhandler_free(&handler);
    });
}

TEST_P(Windows, AreFatalToErrUnlessToldOtherwise) {
    const job::Result result = run_on(GetParam(), 1, [](int, int) {
        MPI_Win win = MPI_WIN_NULL;
        MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_set_name(win, "strict");
        MPI_Win_complete(win);
    });
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.failure, testing::AllOf(testing::HasSubstr("MPI_Win_complete"),
                                               testing::HasSubstr("strict")));
}

TEST_P(Windows, AreRefusedForWrongArguments) {
    run(1, [](int, int) {
        MPI_Win win = MPI_WIN_NULL;
        double x = 0;
        void* base = nullptr;
        const MPI_Comm self = MPI_COMM_SELF;
        EXPECT_EQ(MPI_Win_create(&x, -1, 1, MPI_INFO_NULL, self, &win), MPI_ERR_SIZE);
        EXPECT_EQ(MPI_Win_create(&x, 8, 0, MPI_INFO_NULL, self, &win), MPI_ERR_DISP);
        EXPECT_EQ(MPI_Win_create(nullptr, 8, 1, MPI_INFO_NULL, self, &win), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Win_create(&x, 8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Win_create(&x, 8, 1, MPI_INFO_NULL, self, nullptr), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Win_allocate(-5, 1, MPI_INFO_NULL, self, &base, &win), MPI_ERR_SIZE);
        EXPECT_EQ(MPI_Win_allocate(8, 1, MPI_INFO_NULL, self, nullptr, &win), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Win_allocate(MPI_Aint{1} << 60, 1, MPI_INFO_NULL, self, &base, &win),
                  MPI_ERR_NO_MEM);
        EXPECT_EQ(MPI_Win_free(&win), MPI_ERR_WIN);
        win = MPI_COMM_WORLD;
        EXPECT_EQ(MPI_Win_fence(0, win), MPI_ERR_WIN);

        NumberWindow window(MPI_WIN_FLAVOR_CREATE, 1);
        MPI_Aint size = 0;
        int unit = 0;
        EXPECT_EQ(MPI_Win_shared_query(window.win, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
        EXPECT_EQ(MPI_Win_attach(window.win, &x, 8), MPI_ERR_RMA_FLAVOR);
        EXPECT_EQ(MPI_Win_detach(window.win, &x), MPI_ERR_RMA_FLAVOR);
        MPI_Win freed = MPI_WIN_NULL;
        MPI_Win_create_dynamic(MPI_INFO_NULL, self, &freed);
        const MPI_Win copy = freed;
        MPI_Win_free(&freed);
        EXPECT_EQ(MPI_Win_fence(0, copy), MPI_ERR_WIN);
    });
}

TEST_P(Windows, AttachMemoryOnceOnly) {
    run(1, [](int, int) {
        MPI_Win win = MPI_WIN_NULL;
        ASSERT_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        char memory[100] = "";
        EXPECT_EQ(MPI_Win_attach(win, memory, -1), MPI_ERR_SIZE);
        EXPECT_EQ(MPI_Win_attach(win, memory + 20, 40), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_attach(win, memory, 21), MPI_ERR_RMA_ATTACH);
        EXPECT_EQ(MPI_Win_attach(win, memory + 59, 1), MPI_ERR_RMA_ATTACH);
        EXPECT_EQ(MPI_Win_attach(win, memory + 60, 40), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_attach(win, memory, 20), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_detach(win, memory + 1), MPI_ERR_RMA_ATTACH);
        EXPECT_EQ(MPI_Win_detach(win, memory + 20), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_detach(win, memory + 20), MPI_ERR_RMA_ATTACH);
        MPI_Win_free(&win);
    });
}

TEST_P(Windows, OfOneNodeShareMemory) {
    run(4, [](int, int) {
        MPI_Comm node = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        int rank = -1;
        int size = 0;
        MPI_Comm_rank(node, &rank);
        MPI_Comm_size(node, &size);
        for (const bool apart : {false, true}) {
            MPI_Info info = MPI_INFO_NULL;
            MPI_Info_create(&info);
            MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false");
            MPI_Win win = MPI_WIN_NULL;
            int* mine = nullptr;
            // The first has none, so that the array begins with the second.
            const MPI_Aint bytes = rank * MPI_Aint(sizeof(int));
            ASSERT_EQ(MPI_Win_allocate_shared(bytes, 4, info, node, &mine, &win), MPI_SUCCESS);
            MPI_Info_free(&info);
            MPI_Win_lock_all(0, win);
            for (int i = 0; i < rank; ++i)
                mine[i] = 10 * rank + i;
            MPI_Win_sync(win);
            MPI_Barrier(node);
            MPI_Win_sync(win);
            int* end_of_last = nullptr;
            for (int other = 0; other < size; ++other) {
                MPI_Aint length = -1;
                int unit = -1;
                int* theirs = nullptr;
                ASSERT_EQ(MPI_Win_shared_query(win, other, &length, &unit, &theirs), MPI_SUCCESS);
                EXPECT_EQ(length, other * MPI_Aint(sizeof(int)));
                EXPECT_EQ(unit, 4);
                for (int i = 0; i < other; ++i)
                    EXPECT_EQ(theirs[i], 10 * other + i);
                const bool follows = end_of_last == nullptr || theirs == end_of_last;
                EXPECT_TRUE(apart || follows);
                end_of_last = theirs + other;
            }
            MPI_Aint length = -1;
            int unit = -1;
            int* first = nullptr;
            EXPECT_EQ(MPI_Win_shared_query(win, MPI_PROC_NULL, &length, &unit, &first),
                      MPI_SUCCESS);
            EXPECT_EQ(length, size > 1 ? 4 : 0);
            MPI_Win_unlock_all(win);
            MPI_Win_free(&win);
        }
        MPI_Comm_free(&node);
    });
}

TEST_P(Windows, OfSeveralNodesShareNothing) {
    run(2, [](int, int) {
        MPI_Comm node = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        int size = 0;
        MPI_Comm_size(node, &size);
        MPI_Comm_free(&node);
        if (size == 2) return;
        MPI_Win win = MPI_WIN_NULL;
        void* base = nullptr;
        EXPECT_EQ(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
                  MPI_ERR_RMA_SHARED);
    });
}

/// Four times 2^62 are 0 in 64 bits.
TEST_P(Windows, OfMoreThanThereIsAreRefusedToAll) {
    run(4, [](int, int) {
        MPI_Comm node = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
        MPI_Win win = MPI_WIN_NULL;
        void* base = nullptr;
        EXPECT_EQ(MPI_Win_allocate_shared(MPI_Aint{1} << 62, 1, MPI_INFO_NULL, node, &base, &win),
                  MPI_ERR_NO_MEM);
        MPI_Comm_free(&node);
    });
}

TEST_P(Windows, ManyAreMadeAndFreed) {
    run(3, [](int rank, int size) {
        for (int i = 0; i < 40; ++i) {
            NumberWindow window(all_flavors[i % 3], 4);
            MPI_Win_lock((i & 1) != 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, (rank + i) % size, 0,
                         window.win);
            MPI_Win_unlock((rank + i) % size, window.win);
        }
    });
}

}  // namespace
}  // namespace railyard::mpi
