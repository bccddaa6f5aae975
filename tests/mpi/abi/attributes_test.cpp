// Attributes of communicators and datatypes, and info objects.

#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Attributes = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Attributes);

/// What the callbacks saw; each rank has its own, handed over as extra state.
struct Seen {
    std::vector<long> copied;
    std::vector<long> erased;
    int refuse = 0;
};

int copy_and_add_one(MPI_Comm, int, void* extra, void* value, void* copy, int* flag) {
    auto& seen = *static_cast<Seen*>(extra);
    const long n = reinterpret_cast<long>(value);
    seen.copied.push_back(n);
    *static_cast<long*>(copy) = n + 1;
    *flag = n % 2;
    return MPI_SUCCESS;
}

int erase(MPI_Comm, int, void* value, void* extra) {
    auto& seen = *static_cast<Seen*>(extra);
    if (seen.refuse != 0) return seen.refuse;
    seen.erased.push_back(reinterpret_cast<long>(value));
    return MPI_SUCCESS;
}

void* as_value(long n) {
    return reinterpret_cast<void*>(n);
}

long value_on(MPI_Comm comm, int keyval) {
    void* value = nullptr;
    int flag = 0;
    EXPECT_EQ(MPI_Comm_get_attr(comm, keyval, &value, &flag), MPI_SUCCESS);
    return flag != 0 ? reinterpret_cast<long>(value) : -1;
}

TEST_P(Attributes, AreCopiedAndErasedByTheUsersFunctions) {
    run(2, [](int, int) {
        Seen seen;
        int odd = MPI_KEYVAL_INVALID;
        int even = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(copy_and_add_one, erase, &odd, &seen);
        MPI_Comm_create_keyval(copy_and_add_one, erase, &even, &seen);
        MPI_Comm_set_attr(MPI_COMM_WORLD, odd, as_value(11));
        MPI_Comm_set_attr(MPI_COMM_WORLD, even, as_value(20));
        EXPECT_EQ(value_on(MPI_COMM_WORLD, odd), 11);

        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        EXPECT_EQ(seen.copied, (std::vector<long>{11, 20}));
        EXPECT_EQ(value_on(dup, odd), 12);
        EXPECT_EQ(value_on(dup, even), -1) << "its copy function said no";

        MPI_Comm_set_attr(dup, odd, as_value(30));
        EXPECT_EQ(seen.erased, (std::vector<long>{12}));
        MPI_Comm_free(&dup);
        EXPECT_EQ(seen.erased, (std::vector<long>{12, 30}));

        EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_WORLD, even), MPI_SUCCESS);
        EXPECT_EQ(seen.erased, (std::vector<long>{12, 30, 20}));
        EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_WORLD, even), MPI_ERR_KEYVAL);

        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &dup);
        EXPECT_EQ(value_on(dup, odd), -1) << "only a duplicate copies attributes";
        MPI_Comm_free(&dup);
        MPI_Comm_delete_attr(MPI_COMM_WORLD, odd);
        MPI_Comm_free_keyval(&odd);
        MPI_Comm_free_keyval(&even);
        EXPECT_EQ(even, MPI_KEYVAL_INVALID);
    });
}

TEST_P(Attributes, AFreedKeyLivesOnWhereItIsUsed) {
    run(1, [](int, int) {
        Seen seen;
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(copy_and_add_one, erase, &key, &seen);
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Comm_set_attr(dup, key, as_value(5));
        MPI_Comm_free_keyval(&key);
        MPI_Comm_free(&dup);
        EXPECT_EQ(seen.erased, (std::vector<long>{5}));
    });
}

TEST_P(Attributes, OfSelfAreErasedFirstOfAllAtTheEndTheLastOneFirst) {
    job::Options options = options_for(GetParam(), 2);
    const job::Result result = job::run(options, [](job::Rank&) {
        Seen seen;
        MPI_Init(nullptr, nullptr);
        int first = 0;
        int second = 0;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, erase, &first, &seen);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, erase, &second, &seen);
        MPI_Comm_set_attr(MPI_COMM_SELF, first, as_value(1));
        MPI_Comm_set_attr(MPI_COMM_SELF, second, as_value(2));
        MPI_Finalize();
        EXPECT_EQ(seen.erased, (std::vector<long>{2, 1}));
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(Attributes, AFunctionThatFailsStopsTheCall) {
    run(1, [](int, int) {
        Seen seen;
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, erase, &key, &seen);
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Comm_set_attr(dup, key, as_value(5));
        MPI_Comm second = MPI_COMM_NULL;
        MPI_Comm_dup(dup, &second);
        EXPECT_EQ(value_on(second, key), 5) << "MPI_COMM_DUP_FN";
        MPI_Comm_free(&second);
        seen.refuse = 4711;
        EXPECT_EQ(MPI_Comm_free(&dup), 4711);
        EXPECT_NE(dup, MPI_COMM_NULL);
        seen.refuse = 0;
        EXPECT_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
        MPI_Comm_free_keyval(&key);
    });
}

TEST_P(Attributes, MpiHasItsOwn) {
    run(3, [](int, int size) {
        int* value = nullptr;
        int flag = 0;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
        ASSERT_TRUE(flag);
        EXPECT_GE(*value, 32767);
        int x = 0;
        EXPECT_EQ(MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, *value, MPI_COMM_WORLD), MPI_SUCCESS);
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
        EXPECT_EQ(*value, size);
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
        EXPECT_EQ(*value, MPI_PROC_NULL);
        MPI_Attr_get(MPI_COMM_WORLD, MPI_IO, &value, &flag);
        EXPECT_EQ(*value, MPI_ANY_SOURCE);
        MPI_Attr_get(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
        EXPECT_TRUE(flag);
        EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &x), MPI_ERR_KEYVAL);
    });
}

TEST_P(Attributes, DatatypesHaveThemToo) {
    run(1, [](int, int) {
        Seen seen;
        int key = MPI_KEYVAL_INVALID;
        MPI_Type_create_keyval(copy_and_add_one, erase, &key, &seen);
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_set_attr(pair, key, as_value(3));
        MPI_Datatype copy = MPI_DATATYPE_NULL;
        MPI_Type_dup(pair, &copy);
        long value = 0;
        int flag = 0;
        MPI_Type_get_attr(copy, key, &value, &flag);
        EXPECT_TRUE(flag);
        EXPECT_EQ(value, 4);
        MPI_Type_free(&copy);
        MPI_Type_delete_attr(pair, key);
        MPI_Type_get_attr(pair, key, &value, &flag);
        EXPECT_FALSE(flag);
        EXPECT_EQ(seen.erased, (std::vector<long>{4, 3}));
        EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr), MPI_ERR_KEYVAL)
            << "a datatype's key serves no communicator";
        MPI_Type_set_attr(MPI_INT, key, as_value(8));
        MPI_Type_get_attr(MPI_INT, key, &value, &flag);
        EXPECT_EQ(value, 8);
        MPI_Type_delete_attr(MPI_INT, key);
        MPI_Type_free(&pair);
        MPI_Type_free_keyval(&key);
    });
}

TEST_P(Attributes, InfoKeepsPairsInTheirOrder) {
    run(1, [](int, int) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "b", "1");
        MPI_Info_set(info, "a", "2");
        MPI_Info_set(info, "b", "long");
        MPI_Info copy = MPI_INFO_NULL;
        MPI_Info_dup(info, &copy);
        EXPECT_EQ(MPI_Info_delete(info, "b"), MPI_SUCCESS);
        EXPECT_EQ(MPI_Info_delete(info, "b"), MPI_ERR_INFO_NOKEY);
        int n = 0;
        MPI_Info_get_nkeys(info, &n);
        EXPECT_EQ(n, 1);
        MPI_Info_get_nkeys(copy, &n);
        EXPECT_EQ(n, 2);
        char key[MPI_MAX_INFO_KEY + 1];
        MPI_Info_get_nthkey(copy, 0, key);
        EXPECT_STREQ(key, "b");
        MPI_Info_get_nthkey(copy, 1, key);
        EXPECT_STREQ(key, "a");
        EXPECT_EQ(MPI_Info_get_nthkey(copy, 2, key), MPI_ERR_ARG);
        int length = 0;
        int flag = 0;
        MPI_Info_get_valuelen(copy, "b", &length, &flag);
        EXPECT_TRUE(flag);
        EXPECT_EQ(length, 4);
        char value[8];
        MPI_Info_get(copy, "b", 2, value, &flag);
        EXPECT_STREQ(value, "lo") << "cut to the length asked for";
        MPI_Info_get(copy, "c", 7, value, &flag);
        EXPECT_FALSE(flag);
        EXPECT_EQ(MPI_Info_set(info, "", "x"), MPI_ERR_INFO_KEY);
        EXPECT_EQ(MPI_Info_set(info, "k", std::string(2000, 'x').c_str()), MPI_ERR_INFO_VALUE);
        MPI_Info_free(&info);
        MPI_Info_free(&copy);
        EXPECT_EQ(info, MPI_INFO_NULL);
    });
}

}  // namespace
}  // namespace railyard::mpi
