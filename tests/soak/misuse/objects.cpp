#include "objects.hpp"

#include <vector>

namespace railyard::misuse {

int fresh_comm() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    return comm;
}

int fresh_group() {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_SELF, &group);
    return group;
}

int fresh_type() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    return type;
}

int fresh_op() {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(&add, 1, &op);
    return op;
}

int fresh_info() {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "color", "green");
    return info;
}

int fresh_handler() {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(&hear, &handler);
    return handler;
}

int fresh_request() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    return request;
}

int fresh_persistent() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Recv_init(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    return request;
}

int fresh_generalized() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Grequest_start(look, let_go, take_back, nullptr, &request);
    return request;
}
int fresh_keyval(Keyed of) {
    int key = MPI_KEYVAL_INVALID;
    if (of == Keyed::types)
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
    else if (of == Keyed::windows)
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, nullptr);
    else
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    return key;
}

int fresh_window() {
    MPI_Win win = MPI_WIN_NULL;
    void* memory = nullptr;
    MPI_Win_allocate(4096, 4, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return win;
}

void* fresh_memory() {
    void* memory = nullptr;
    MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
    return memory;
}

int kept_group() {
    static const int group = fresh_group();
    return group;
}

int kept_type() {
    static const int type = [] {
        MPI_Datatype made = fresh_type();
        MPI_Type_commit(&made);
        return made;
    }();
    return type;
}

int kept_info() {
    static const int info = fresh_info();
    return info;
}

int kept_request() {
    static const int request = fresh_persistent();
    return request;
}

int kept_keyval(Keyed of) {
    static const int keys[] = {fresh_keyval(Keyed::comms), fresh_keyval(Keyed::types),
                               fresh_keyval(Keyed::windows)};
    return keys[static_cast<int>(of)];
}

int kept_window() {
    static const int win = [] {
        const MPI_Win made = fresh_window();
        MPI_Win_lock_all(0, made);
        return made;
    }();
    return win;
}

int kept_error() {
    static const int code = [] {
        int made = 0;
        MPI_Add_error_class(&made);
        return made;
    }();
    return code;
}

int kept_request_class() {
    static const int made = [] {
        MPIX_Grequest_class fresh = 0;
        MPIX_Grequest_class_create(look, let_go, take_back, look, wait_for_them, &fresh);
        return fresh;
    }();
    return made;
}

int grid() {
    static const int comm = [] {
        MPI_Comm made = MPI_COMM_NULL;
        const int one = 1;
        MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &made);
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
        return made;
    }();
    return comm;
}

int graph() {
    static const int comm = [] {
        MPI_Comm made = MPI_COMM_NULL;
        const int one = 1;
        const int itself = 0;
        MPI_Graph_create(MPI_COMM_SELF, 1, &one, &itself, 0, &made);
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
        return made;
    }();
    return comm;
}

int distributed_graph() {
    static const int comm = [] {
        MPI_Comm made = MPI_COMM_NULL;
        const int weight = 1;
        const int itself = 0;
        MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &itself, &weight, 1, &itself, &weight,
                                       MPI_INFO_NULL, 0, &made);
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
        return made;
    }();
    return comm;
}

namespace {

std::vector<int>& sessions() {
    static std::vector<int> all;
    return all;
}

}  // namespace

int fresh_session() {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    sessions().push_back(session);
    return session;
}

void close_sessions() {
    for (MPI_Session session : sessions())
        MPI_Session_finalize(&session);
}

int kept_session() {
    static const int session = fresh_session();
    return session;
}

int freed_session() {
    MPI_Session session = fresh_session();
    const int handle = session;
    MPI_Session_finalize(&session);
    return handle;
}

int freed_comm() {
    MPI_Comm comm = fresh_comm();
    const int handle = comm;
    MPI_Comm_free(&comm);
    return handle;
}

int freed_group() {
    MPI_Group group = fresh_group();
    const int handle = group;
    MPI_Group_free(&group);
    return handle;
}

int freed_type() {
    MPI_Datatype type = fresh_type();
    const int handle = type;
    MPI_Type_free(&type);
    return handle;
}

int freed_op() {
    MPI_Op op = fresh_op();
    const int handle = op;
    MPI_Op_free(&op);
    return handle;
}

int freed_info() {
    MPI_Info info = fresh_info();
    const int handle = info;
    MPI_Info_free(&info);
    return handle;
}

int freed_handler() {
    MPI_Errhandler handler = fresh_handler();
    const int handle = handler;
    MPI_Errhandler_free(&handler);
    return handle;
}

int freed_request() {
    MPI_Request request = fresh_persistent();
    const int handle = request;
    MPI_Request_free(&request);
    return handle;
}

int freed_keyval(Keyed of) {
    int key = fresh_keyval(of);
    const int handle = key;
    const auto free = of == Keyed::types     ? MPI_Type_free_keyval
                      : of == Keyed::windows ? MPI_Win_free_keyval
                                             : MPI_Comm_free_keyval;
    free(&key);
    return handle;
}

int freed_window() {
    MPI_Win win = fresh_window();
    const int handle = win;
    MPI_Win_free(&win);
    return handle;
}

void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    MPI_Count wide = *count;
    add_many(in, inout, &wide, type);
}

void add_many(void* in, void* inout, MPI_Count* count, MPI_Datatype*) {
    for (MPI_Count i = 0; i < *count; ++i)
        static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

int look(void*, MPI_Status*) {
    return MPI_SUCCESS;
}
int let_go(void*) {
    return MPI_SUCCESS;
}
int take_back(void*, int) {
    return MPI_SUCCESS;
}
int wait_for_them(int, void**, double, MPI_Status*) {
    return MPI_SUCCESS;
}

void hear(MPI_Comm*, int*, ...) {}

}  // namespace railyard::misuse
