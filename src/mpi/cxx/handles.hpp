#pragma once
/// MPI's C++ bindings as the library has them: classes that hold a handle, with a virtual function
/// for each of C's. Programs bring their own (MPICH's mpicxx.h); what both share is where things
/// are: the order of virtual functions and the one member are the ABI's. Here: all but
/// communicators, windows and files.

#include <mpi.h>

#include <vector>

namespace MPI {

class Comm;
using Aint = MPI_Aint;
using Offset = MPI_Offset;

class Exception {
  public:
    explicit Exception(int code) : code_(code) {}
    virtual ~Exception() {}
    int Get_error_code() { return code_; }

  protected:
    int code_;
};

/// What COMM_WORLD's error handler does about a failure.
void MPIR_Call_world_errhand(int code);

inline void check(int code) {
    if (code != MPI_SUCCESS) MPIR_Call_world_errhand(code);
}

/// What all classes have besides.
#define RAILYARD_HANDLE(Class, Type, null)         \
  public:                                          \
    Class(Type handle = null) : handle_(handle) {} \
    Class(const Class&) = default;                 \
    Class& operator=(const Class&) = default;      \
    operator Type*() {                             \
        return &handle_;                           \
    }                                              \
    operator Type() const {                        \
        return handle_;                            \
    }                                              \
                                                   \
  protected:                                       \
    Type handle_;                                  \
                                                   \
  public:
/// A body that returns what a call of C writes to `v`.
#define RAILYARD_GIVES(T, call) \
    {                           \
        T v{};                  \
        check(call);            \
        return v;               \
    }
#define RAILYARD_TELLS(call) \
    {                        \
        int v = 0;           \
        check(call);         \
        return v != 0;       \
    }
#define RAILYARD_DOES(call) \
    { check(call); }

// clang-format off
class Datatype {
    RAILYARD_HANDLE(Datatype, MPI_Datatype, MPI_DATATYPE_NULL)
    using Copy_attr_function = int(const Datatype&, int, void*, void*, void*, bool&);
    using Delete_attr_function = int(Datatype&, int, void*, void*);

    virtual ~Datatype() {}
    virtual void Commit() RAILYARD_DOES(MPI_Type_commit(&handle_))
    virtual void Free() RAILYARD_DOES(MPI_Type_free(&handle_))
    virtual Datatype Create_indexed(int n, const int* lengths, const int* places) const RAILYARD_GIVES(Datatype, MPI_Type_indexed(n, lengths, places, handle_, v))
    virtual Datatype Create_contiguous(int n) const RAILYARD_GIVES(Datatype, MPI_Type_contiguous(n, handle_, v))
    virtual Datatype Create_vector(int n, int length, int stride) const RAILYARD_GIVES(Datatype, MPI_Type_vector(n, length, stride, handle_, v))
    virtual int Pack_size(int n, const Comm& comm) const;
    virtual void Pack(const void* in, int n, void* out, int size, int& position, const Comm& comm) const;
    virtual int Get_size() const RAILYARD_GIVES(int, MPI_Type_size(handle_, &v))
    virtual void Get_envelope(int& integers, int& addresses, int& types, int& combiner) const RAILYARD_DOES(MPI_Type_get_envelope(handle_, &integers, &addresses, &types, &combiner))
    virtual Datatype Create_hvector(int n, int length, Aint stride) const RAILYARD_GIVES(Datatype, MPI_Type_create_hvector(n, length, stride, handle_, v))
    virtual Datatype Create_resized(Aint lower, Aint extent) const RAILYARD_GIVES(Datatype, MPI_Type_create_resized(handle_, lower, extent, v))
    virtual Datatype Create_indexed_block(int n, int length, const int* places) const RAILYARD_GIVES(Datatype, MPI_Type_create_indexed_block(n, length, places, handle_, v))
    virtual Aint Pack_external_size(const char* datarep, int n) const RAILYARD_GIVES(Aint, MPI_Pack_external_size(datarep, n, handle_, &v))
    virtual Datatype Create_hindexed(int n, const int* lengths, const Aint* places) const RAILYARD_GIVES(Datatype, MPI_Type_create_hindexed(n, lengths, places, handle_, v))
    virtual bool Get_attr(int keyval, void* value) const RAILYARD_TELLS(MPI_Type_get_attr(handle_, keyval, value, &v))
    virtual void Get_true_extent(Aint& lower, Aint& extent) const RAILYARD_DOES(MPI_Type_get_true_extent(handle_, &lower, &extent))
    virtual Datatype Create_darray(int size, int rank, int n, const int* sizes, const int* distribs, const int* dargs, const int* psizes, int order) const RAILYARD_GIVES(Datatype, MPI_Type_create_darray(size, rank, n, sizes, distribs, dargs, psizes, order, handle_, v))
    virtual void Get_contents(int integers, int addresses, int types, int* integer, Aint* address, Datatype* type) const;
    virtual void Set_attr(int keyval, const void* value) RAILYARD_DOES(MPI_Type_set_attr(handle_, keyval, const_cast<void*>(value)))
    virtual void Set_name(const char* name) RAILYARD_DOES(MPI_Type_set_name(handle_, name))
    virtual Datatype Create_subarray(int n, const int* sizes, const int* subsizes, const int* starts, int order) const RAILYARD_GIVES(Datatype, MPI_Type_create_subarray(n, sizes, subsizes, starts, order, handle_, v))
    virtual void Unpack_external(const char* datarep, const void* in, Aint size, Aint& position, void* out, int n) const RAILYARD_DOES(MPI_Unpack_external(datarep, in, size, &position, out, n, handle_))
    virtual void Pack_external(const char* datarep, const void* in, int n, void* out, Aint size, Aint& position) const RAILYARD_DOES(MPI_Pack_external(datarep, in, n, handle_, out, size, &position))
    virtual void Get_extent(Aint& lower, Aint& extent) const RAILYARD_DOES(MPI_Type_get_extent(handle_, &lower, &extent))
    virtual void Delete_attr(int keyval) RAILYARD_DOES(MPI_Type_delete_attr(handle_, keyval))
    virtual void Get_name(char* name, int& length) const RAILYARD_DOES(MPI_Type_get_name(handle_, name, &length))

    void Unpack(const void* in, int size, void* out, int n, int& position, const Comm& comm) const;
    static int Create_keyval(Copy_attr_function* copy, Delete_attr_function* erase, void* extra_state);
    static int NULL_COPY_FN(const Datatype&, int, void*, void*, void*, bool& flag) { flag = false; return MPI_SUCCESS; }
    static int NULL_DELETE_FN(Datatype&, int, void*, void*) { return MPI_SUCCESS; }
};

class Info {
    RAILYARD_HANDLE(Info, MPI_Info, MPI_INFO_NULL)
    virtual ~Info() {}
    virtual void Delete(const char* key) RAILYARD_DOES(MPI_Info_delete(handle_, key))
    virtual void Get_nthkey(int n, char* key) const RAILYARD_DOES(MPI_Info_get_nthkey(handle_, n, key))
    virtual void Free() RAILYARD_DOES(MPI_Info_free(&handle_))
    virtual void Set(const char* key, const char* value) RAILYARD_DOES(MPI_Info_set(handle_, key, value))
    virtual bool Get_valuelen(const char* key, int& length) const RAILYARD_TELLS(MPI_Info_get_valuelen(handle_, key, &length, &v))
    virtual bool Get(const char* key, int length, char* value) const RAILYARD_TELLS(MPI_Info_get(handle_, key, length, value, &v))
    virtual int Get_nkeys() const RAILYARD_GIVES(int, MPI_Info_get_nkeys(handle_, &v))
};

class Group {
    RAILYARD_HANDLE(Group, MPI_Group, MPI_GROUP_NULL)
    using Range = int[3];
    virtual ~Group() {}
    virtual Group Excl(int n, const int* ranks) const RAILYARD_GIVES(Group, MPI_Group_excl(handle_, n, ranks, v))
    virtual int Get_rank() const RAILYARD_GIVES(int, MPI_Group_rank(handle_, &v))
    virtual void Free() RAILYARD_DOES(MPI_Group_free(&handle_))
    virtual Group Range_excl(int n, const Range* ranges) const RAILYARD_GIVES(Group, MPI_Group_range_excl(handle_, n, const_cast<Range*>(ranges), v))
    virtual Group Range_incl(int n, const Range* ranges) const RAILYARD_GIVES(Group, MPI_Group_range_incl(handle_, n, const_cast<Range*>(ranges), v))
    virtual Group Incl(int n, const int* ranks) const RAILYARD_GIVES(Group, MPI_Group_incl(handle_, n, ranks, v))
    virtual int Get_size() const RAILYARD_GIVES(int, MPI_Group_size(handle_, &v))
};

class Op {
    RAILYARD_HANDLE(Op, MPI_Op, MPI_OP_NULL)
    using User_function = void(const void*, void*, int, const Datatype&);
    virtual ~Op() {}
    virtual void Free() RAILYARD_DOES(MPI_Op_free(&handle_))
    virtual bool Is_commutative() const RAILYARD_TELLS(MPI_Op_commutative(handle_, &v))
    virtual void Reduce_local(const void* in, void* inout, int n, const Datatype& type) const RAILYARD_DOES(MPI_Reduce_local(in, inout, n, type, handle_))

    void Init(User_function* function, bool commute);
};

class Errhandler {
    RAILYARD_HANDLE(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL)
    virtual ~Errhandler() {}
    virtual void Free() RAILYARD_DOES(MPI_Errhandler_free(&handle_))
};

class Status {
    RAILYARD_HANDLE(Status, MPI_Status, MPI_Status())
    virtual ~Status() {}
    virtual bool Is_cancelled() const RAILYARD_TELLS(MPI_Test_cancelled(&handle_, &v))
    virtual int Get_elements(const Datatype& type) const RAILYARD_GIVES(int, MPI_Get_elements(&handle_, type, &v))
    virtual int Get_count(const Datatype& type) const RAILYARD_GIVES(int, MPI_Get_count(&handle_, type, &v))
    virtual void Set_cancelled(bool flag) RAILYARD_DOES(MPI_Status_set_cancelled(&handle_, flag))
    virtual void Set_elements(const Datatype& type, int n) RAILYARD_DOES(MPI_Status_set_elements(&handle_, type, n))
};

class Request {
    RAILYARD_HANDLE(Request, MPI_Request, MPI_REQUEST_NULL)
    virtual ~Request() {}
    virtual void Free() RAILYARD_DOES(MPI_Request_free(&handle_))
    virtual void Wait(Status& status) RAILYARD_DOES(MPI_Wait(&handle_, status))
    virtual void Wait() RAILYARD_DOES(MPI_Wait(&handle_, MPI_STATUS_IGNORE))
    virtual bool Test(Status& status) RAILYARD_TELLS(MPI_Test(&handle_, &v, status))
    virtual bool Test() RAILYARD_TELLS(MPI_Test(&handle_, &v, MPI_STATUS_IGNORE))
    virtual void Cancel() const RAILYARD_DOES(MPI_Cancel(const_cast<MPI_Request*>(&handle_)))
    virtual bool Get_status(Status& status) const RAILYARD_TELLS(MPI_Request_get_status(handle_, &v, status))
    virtual bool Get_status() const RAILYARD_TELLS(MPI_Request_get_status(handle_, &v, MPI_STATUS_IGNORE))
};

class Prequest : public Request {
  public:
    using Request::Request;
    virtual ~Prequest() {}
    virtual void Start() RAILYARD_DOES(MPI_Start(&handle_))
};

class Grequest : public Request {
  public:
    using Query_function = int(void*, Status&);
    using Free_function = int(void*);
    using Cancel_function = int(void*, bool);
    using Request::Request;
    virtual ~Grequest() {}
    virtual void Complete() RAILYARD_DOES(MPI_Grequest_complete(handle_))

    /// Static in the standard; MPICH's is not.
    Grequest Start(Query_function* query, Free_function* free, Cancel_function* cancel, void* extra_state);
};
// clang-format on

}  // namespace MPI
