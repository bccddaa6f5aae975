// Wrong arguments: the class of the error, what is said, and who is told.

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Errors = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Errors);

std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    return {text, static_cast<std::size_t>(length)};
}

TEST_P(Errors, ArgumentsAreChecked) {
    run(2, [](int, int) {
        int x = 0;
        const MPI_Comm world = MPI_COMM_WORLD;
        EXPECT_EQ(MPI_Send(&x, -1, MPI_INT, 0, 0, world), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Send(&x, 1, MPI_INT, 2, 0, world), MPI_ERR_RANK);
        EXPECT_EQ(MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, world), MPI_ERR_RANK);
        EXPECT_EQ(MPI_Send(&x, 1, MPI_INT, 0, -5, world), MPI_ERR_TAG);
        EXPECT_EQ(MPI_Send(&x, 1, MPI_INT, 0, MPI_ANY_TAG, world), MPI_ERR_TAG);
        EXPECT_EQ(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, world), MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Send(&x, 1, 0x4c0004ff, 0, 0, world), MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Send(nullptr, 1, MPI_INT, 0, 0, world), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Recv(&x, 1, MPI_INT, -7, 0, world, MPI_STATUS_IGNORE), MPI_ERR_RANK);
        EXPECT_EQ(MPI_Bcast(&x, 1, MPI_INT, 2, world), MPI_ERR_ROOT);
        EXPECT_EQ(MPI_Comm_size(MPI_COMM_NULL, &x), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_size(12345, &x), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_size(world, nullptr), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Group_size(MPI_GROUP_NULL, &x), MPI_ERR_GROUP);
        EXPECT_EQ(MPI_Op_commutative(MPI_OP_NULL, &x), MPI_ERR_OP);
        MPI_Request request = 0x2c000077;
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Info_delete(MPI_INFO_NULL, "a"), MPI_ERR_INFO);
        EXPECT_EQ(MPI_Comm_remote_size(world, &x), MPI_ERR_COMM);
        MPI_Comm comm = world;
        EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_COMM);
    });
}

TEST_P(Errors, AnUncommittedTypeIsRefusedForMessages) {
    run(1, [](int, int) {
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        int data[2] = {};
        EXPECT_EQ(MPI_Send(data, 1, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
        EXPECT_THAT(text_of(MPI_ERR_TYPE), HasSubstr("MPI_Type_commit"));
        MPI_Type_commit(&pair);
        EXPECT_EQ(MPI_Send(data, 1, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        MPI_Type_free(&pair);
        EXPECT_EQ(pair, MPI_DATATYPE_NULL);
        EXPECT_EQ(MPI_Send(data, 1, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    });
}

TEST_P(Errors, AreToldInWords) {
    run(2, [](int, int) {
        int x = 0;
        const int code = MPI_Send(&x, 1, MPI_INT, 9, 0, MPI_COMM_WORLD);
        EXPECT_THAT(text_of(code), AllOf(HasSubstr("invalid rank"), HasSubstr("MPI_Send"),
                                         HasSubstr("dest is 9"), HasSubstr("0 to 1")));
        int error_class = -1;
        MPI_Error_class(code, &error_class);
        EXPECT_EQ(error_class, MPI_ERR_RANK);
        EXPECT_EQ(text_of(MPI_SUCCESS), "no error");
        EXPECT_THAT(text_of(MPI_ERR_FILE_EXISTS), HasSubstr("file exists"));
    });
}

int told_comm = 0;
int told_code = 0;
void remember(MPI_Comm* comm, int* code, ...) {
    told_comm = *comm;
    told_code = *code;
}

TEST(ErrorHandlers, AUsersFunctionIsCalledWithCommunicatorAndCode) {
    run_on(both_clocks[1], 1, [](int, int) {
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        MPI_Comm_create_errhandler(remember, &handler);
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Comm_set_errhandler(dup, handler);
        MPI_Errhandler_free(&handler);
        EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
        EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 3, 0, dup), MPI_ERR_RANK);
        EXPECT_EQ(told_comm, dup);
        EXPECT_EQ(told_code, MPI_ERR_RANK);
        // It is inherited, and can be asked for after the first handle was freed.
        MPI_Comm second = MPI_COMM_NULL;
        MPI_Comm_dup(dup, &second);
        MPI_Comm_call_errhandler(second, MPI_ERR_OTHER);
        EXPECT_EQ(told_comm, second);
        EXPECT_EQ(told_code, MPI_ERR_OTHER);
        EXPECT_EQ(MPI_Comm_get_errhandler(second, &handler), MPI_SUCCESS);
        MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(dup, handler);
        MPI_Errhandler_free(&handler);
        EXPECT_EQ(MPI_Send(nullptr, -1, MPI_INT, 0, 0, dup), MPI_ERR_COUNT);
        EXPECT_EQ(told_code, MPI_ERR_COUNT);
        MPI_Comm_free(&dup);
        MPI_Comm_free(&second);
    });
}

TEST_P(Errors, PredefinedHandlersAreGivenBack) {
    run(1, [](int, int) {
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
        EXPECT_EQ(handler, MPI_ERRORS_RETURN);
        MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Errhandler_get(MPI_COMM_WORLD, &handler);
        EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
    });
}

TEST_P(Errors, UsersAddTheirOwn) {
    run(1, [](int, int) {
        int error_class = 0;
        int code = 0;
        MPI_Add_error_class(&error_class);
        EXPECT_GT(error_class, MPI_ERR_LASTCODE);
        MPI_Add_error_code(error_class, &code);
        MPI_Add_error_string(code, "the cat is on the keyboard");
        EXPECT_EQ(text_of(code), "the cat is on the keyboard");
        int found = 0;
        MPI_Error_class(code, &found);
        EXPECT_EQ(found, error_class);
        int* last = nullptr;
        int flag = 0;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
        ASSERT_TRUE(flag);
        EXPECT_EQ(*last, code);
        EXPECT_EQ(MPI_Add_error_string(MPI_ERR_RANK, "no"), MPI_ERR_ARG);
    });
}

int last_used_code() {
    int* last = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    return flag != 0 ? *last : -1;
}

TEST_P(Errors, UsersRemoveTheirOwn) {
    run(1, [](int, int) {
        EXPECT_EQ(last_used_code(), MPI_ERR_LASTCODE);
        int error_class = 0;
        int code = 0;
        MPI_Add_error_class(&error_class);
        MPI_Add_error_code(error_class, &code);
        MPI_Add_error_string(code, "out of coffee");
        // The text first, then the code, then the class.
        EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Remove_error_code(code), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
        EXPECT_EQ(text_of(code), "");
        EXPECT_EQ(MPI_Remove_error_string(code), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Remove_error_code(error_class), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
        EXPECT_EQ(last_used_code(), error_class);
        EXPECT_EQ(MPI_Add_error_string(code, "gone"), MPI_ERR_ARG);
        int found = 0;
        MPI_Error_class(code, &found);
        EXPECT_EQ(found, code);
        EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
        EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_ERR_ARG);
        EXPECT_EQ(last_used_code(), MPI_ERR_LASTCODE);
        int next = 0;
        MPI_Add_error_class(&next);
        EXPECT_GT(next, code);
        EXPECT_EQ(MPI_Remove_error_class(MPI_ERR_RANK), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Remove_error_code(MPI_ERR_RANK), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Remove_error_string(MPI_ERR_RANK), MPI_ERR_ARG);
    });
}

TEST_P(Errors, UsersRemoveTheirOwnAsInMpich) {
    run(1, [](int, int) {
        int error_class = 0;
        int code = 0;
        MPI_Add_error_class(&error_class);
        MPI_Add_error_code(error_class, &code);
        MPI_Add_error_string(code, "out of tea");
        EXPECT_EQ(MPIX_Delete_error_class(error_class), MPI_ERR_ARG);
        EXPECT_EQ(MPIX_Delete_error_string(code), MPI_SUCCESS);
        EXPECT_EQ(MPIX_Delete_error_string(code), MPI_ERR_ARG);
        MPI_Add_error_string(code, "out of tea again");
        EXPECT_EQ(MPIX_Delete_error_code(code), MPI_SUCCESS);
        EXPECT_EQ(MPIX_Delete_error_code(code), MPI_ERR_ARG);
        EXPECT_EQ(MPIX_Delete_error_class(error_class), MPI_SUCCESS);
        EXPECT_EQ(MPIX_Delete_error_class(MPI_ERR_RANK), MPI_ERR_ARG);
        // A code of a class of MPI's.
        MPI_Add_error_code(MPI_ERR_RANK, &code);
        EXPECT_EQ(MPIX_Delete_error_code(code), MPI_SUCCESS);
    });
}

TEST_P(Errors, ATruncatedMessageIsToldOnItsCommunicator) {
    run(2, [](int rank, int) {
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        int data[4] = {1, 2, 3, 4};
        if (rank == 0) {
            MPI_Send(data, 4, MPI_INT, 1, 0, dup);
            MPI_Send(data, 4, MPI_INT, 1, 1, dup);
        } else {
            EXPECT_EQ(MPI_Recv(data, 2, MPI_INT, 0, 0, dup, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(data, 2, MPI_INT, 0, 1, dup, &request);
            EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            EXPECT_EQ(request, MPI_REQUEST_NULL);
        }
        MPI_Comm_free(&dup);
    });
}

}  // namespace
}  // namespace railyard::mpi
