// Calls that MPI keeps for older programs, and for those of two languages.

#include <gtest/gtest.h>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using OlderCalls = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(OlderCalls);

int copy_plus_one(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
    *static_cast<void**>(copy) = static_cast<char*>(value) + 1;
    *flag = 1;
    return MPI_SUCCESS;
}
int count_deletion(MPI_Comm, int, void*, void* extra) {
    ++*static_cast<int*>(extra);
    return MPI_SUCCESS;
}

TEST_P(OlderCalls, AttachValuesToCommunicators) {
    run(1, [](int, int) {
        int deleted = 0;
        int key = MPI_KEYVAL_INVALID;
        ASSERT_EQ(MPI_Keyval_create(copy_plus_one, count_deletion, &key, &deleted), MPI_SUCCESS);
        char values[2];
        EXPECT_EQ(MPI_Attr_put(MPI_COMM_SELF, key, values), MPI_SUCCESS);
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        void* found = nullptr;
        int flag = 0;
        EXPECT_EQ(MPI_Attr_get(copy, key, &found, &flag), MPI_SUCCESS);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(found, values + 1);
        // As MPI_Comm_free, but it waits for what is under way.
        EXPECT_EQ(MPI_Comm_disconnect(&copy), MPI_SUCCESS);
        EXPECT_EQ(copy, MPI_COMM_NULL);
        EXPECT_EQ(deleted, 1);
        EXPECT_EQ(MPI_Attr_delete(MPI_COMM_SELF, key), MPI_SUCCESS);
        EXPECT_EQ(deleted, 2);
        EXPECT_EQ(MPI_Attr_get(MPI_COMM_SELF, key, &found, &flag), MPI_SUCCESS);
        EXPECT_EQ(flag, 0);
        EXPECT_EQ(MPI_Keyval_free(&key), MPI_SUCCESS);
        EXPECT_EQ(key, MPI_KEYVAL_INVALID);

        EXPECT_EQ(MPI_Keyval_free(&key), MPI_ERR_KEYVAL);
        EXPECT_EQ(MPI_Attr_put(MPI_COMM_SELF, MPI_KEYVAL_INVALID, values), MPI_ERR_KEYVAL);
        EXPECT_EQ(MPI_Attr_delete(MPI_COMM_SELF, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL);
        EXPECT_EQ(MPI_Attr_get(MPI_COMM_SELF, MPI_KEYVAL_INVALID, &found, &flag), MPI_ERR_KEYVAL);
        MPI_Comm none = MPI_COMM_NULL;
        EXPECT_EQ(MPI_Comm_disconnect(&none), MPI_ERR_COMM);
    });
}

TEST_P(OlderCalls, AskForExtentsBeyondAnInt) {
    run(1, [](int, int) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(MPI_INT, -8, MPI_Aint{1} << 40, &type);
        MPI_Count lower = 0;
        MPI_Count extent = 0;
        EXPECT_EQ(MPI_Type_get_extent_x(type, &lower, &extent), MPI_SUCCESS);
        EXPECT_EQ(lower, -8);
        EXPECT_EQ(extent, MPI_Count{1} << 40);
        EXPECT_EQ(MPI_Type_get_true_extent_x(type, &lower, &extent), MPI_SUCCESS);
        EXPECT_EQ(lower, 0);
        EXPECT_EQ(extent, 4);
        MPI_Type_free(&type);
        EXPECT_EQ(MPI_Type_get_extent_x(MPI_DATATYPE_NULL, &lower, &extent), MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Type_get_true_extent_x(MPI_DATATYPE_NULL, &lower, &extent), MPI_ERR_TYPE);
    });
}

TEST_P(OlderCalls, TurnHandlesIntoFortransAndBack) {
    run(1, [](int, int) {
        EXPECT_EQ(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)), MPI_COMM_WORLD);
        EXPECT_EQ(MPI_Type_f2c(MPI_Type_c2f(MPI_INT)), MPI_INT);
        EXPECT_EQ(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)), MPI_SUM);
        EXPECT_EQ(MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY)), MPI_GROUP_EMPTY);
        EXPECT_EQ(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)), MPI_ERRORS_RETURN);
        EXPECT_EQ(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)), MPI_REQUEST_NULL);
        EXPECT_EQ(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NO_PROC)), MPI_MESSAGE_NO_PROC);
        EXPECT_EQ(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)), MPI_WIN_NULL);
        EXPECT_EQ(MPI_Session_f2c(MPI_Session_c2f(MPI_SESSION_NULL)), MPI_SESSION_NULL);
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        EXPECT_EQ(MPI_Info_f2c(MPI_Info_c2f(info)), info);
        MPI_Info_free(&info);
        MPI_Status status{};
        status.MPI_SOURCE = 3;
        status.MPI_TAG = 4;
        MPI_Fint in_fortran[sizeof status / sizeof(MPI_Fint)];
        MPI_Status back{};
        EXPECT_EQ(MPI_Status_c2f(&status, in_fortran), MPI_SUCCESS);
        EXPECT_EQ(MPI_Status_f2c(in_fortran, &back), MPI_SUCCESS);
        EXPECT_EQ(back.MPI_SOURCE, 3);
        EXPECT_EQ(back.MPI_TAG, 4);
        EXPECT_NE(MPI_Status_c2f(MPI_STATUS_IGNORE, in_fortran), MPI_SUCCESS);
        EXPECT_EQ(MPI_Pcontrol(1), MPI_SUCCESS);
        EXPECT_EQ(MPI_Pcontrol(0), MPI_SUCCESS);
    });
}

}  // namespace
}  // namespace railyard::mpi
