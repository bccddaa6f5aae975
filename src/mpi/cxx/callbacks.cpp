// Functions of C++ programs that the library calls: they take objects where C's take handles.

#include <type_traits>

#include "mpi/cxx/windows_files.hpp"

// Of the C library, under MPICH's names: who calls a user's function of another language.
extern "C" {
void MPII_Op_set_cxx(MPI_Op op, void (*proxy)());
void MPII_Errhandler_set_cxx(MPI_Errhandler handler, void (*proxy)());
void MPII_Keyval_set_proxy(int keyval,
                           int (*copy)(void (*)(), int, int, void*, int, void*, void**, int*),
                           int (*erase)(void (*)(), int, int, int, void*, void*));
}

namespace MPI {

namespace {

using Any = void (*)();

/// Calls use(object) with an object of the class that the communicator is of.
template <class Use>
auto with_comm(MPI_Comm handle, Use&& use) {
    int inter = 0, topology = MPI_UNDEFINED;
    MPI_Comm_test_inter(handle, &inter);
    if (inter != 0) {
        Intercomm comm(handle);
        return use(comm);
    }
    MPI_Topo_test(handle, &topology);
    if (topology == MPI_CART) {
        Cartcomm comm(handle);
        return use(comm);
    }
    if (topology == MPI_GRAPH) {
        Graphcomm comm(handle);
        return use(comm);
    }
    Intracomm comm(handle);
    return use(comm);
}
template <class Object, class Use>
auto with(int handle, Use&& use) {
    Object object(handle);
    return use(object);
}

// The same for the three kinds of objects that have attributes.
template <class Object>
struct Attributed {
    using Copy = typename Object::Copy_attr_function;
    using Erase = typename Object::Delete_attr_function;

    template <class Use>
    static int on(int handle, Use&& use) {
        if constexpr (std::is_same_v<Object, Comm>)
            return with_comm(handle, use);
        else
            return with<Object>(handle, use);
    }
    static int copy(Any function, int handle, int keyval, void* state, int, void* value,
                    void** copied, int* flag) {
        bool is_copied = false;
        const int code = on(handle, [&](const Object& object) {
            return reinterpret_cast<Copy*>(function)(object, keyval, state, value, copied,
                                                     is_copied);
        });
        *flag = is_copied;
        return code;
    }
    static int erase(Any function, int handle, int keyval, int, void* value, void* state) {
        return on(handle, [&](Object& object) {
            return reinterpret_cast<Erase*>(function)(object, keyval, value, state);
        });
    }
    template <class Create>
    static int create(Create* create_keyval, Copy* copy_fn, Erase* erase_fn, void* state) {
        int keyval = MPI_KEYVAL_INVALID;
        using CCopy = int (*)(int, int, void*, void*, void*, int*);
        using CErase = int (*)(int, int, void*, void*);
        const auto c_copy = copy_fn == Object::NULL_COPY_FN
                                ? nullptr
                                : reinterpret_cast<CCopy>(reinterpret_cast<Any>(copy_fn));
        const auto c_erase = erase_fn == Object::NULL_DELETE_FN
                                 ? nullptr
                                 : reinterpret_cast<CErase>(reinterpret_cast<Any>(erase_fn));
        check(create_keyval(c_copy, c_erase, &keyval, state));
        MPII_Keyval_set_proxy(keyval, copy, erase);
        return keyval;
    }
};

struct GeneralizedFunctions {
    Grequest::Query_function* query;
    Grequest::Free_function* free;
    Grequest::Cancel_function* cancel;
    void* state;
};

using Conversion = int(void*, Datatype&, int, void*, Offset, void*);
using Extent = int(const Datatype&, Aint&, void*);
struct Datarep {
    Conversion* read;
    Conversion* write;
    Extent* extent;
    void* state;
};

}  // namespace

// Under the names that MPICH's library has for them.
extern "C" {

void MPIR_Call_op_fn(const void* in, void* inout, int n, MPI_Datatype type, Any function) {
    reinterpret_cast<Op::User_function*>(function)(in, inout, n, Datatype(type));
}

/// `kind`: 0 a communicator, 1 a file, 2 a window.
void MPIR_Call_errhandler_function(int kind, int* handle, int* code, Any function) {
    if (kind == 0) {
        with_comm(*handle, [&](Comm& comm) {
            reinterpret_cast<Comm::Errhandler_function*>(function)(comm, code);
        });
    } else if (kind == 1) {
        File file(*reinterpret_cast<MPI_File*>(handle));
        reinterpret_cast<File::Errhandler_function*>(function)(file, code);
    } else {
        Win win(*handle);
        reinterpret_cast<Win::Errhandler_function*>(function)(win, code);
    }
}

int MPIR_Grequest_call_query_fn(void* state, MPI_Status* status) {
    const auto* const functions = static_cast<GeneralizedFunctions*>(state);
    Status object(*status);
    const int code = functions->query(functions->state, object);
    *status = object;
    return code;
}
int MPIR_Grequest_call_free_fn(void* state) {
    const auto* const functions = static_cast<GeneralizedFunctions*>(state);
    const int code = functions->free(functions->state);
    delete functions;
    return code;
}
int MPIR_Grequest_call_cancel_fn(void* state, int complete) {
    const auto* const functions = static_cast<GeneralizedFunctions*>(state);
    return functions->cancel(functions->state, complete != 0);
}

int MPIR_Call_datarep_read_fn(void* user, MPI_Datatype type, int n, void* file, MPI_Offset at,
                              void* state) {
    Datatype object(type);
    const auto* const datarep = static_cast<Datarep*>(state);
    return datarep->read(user, object, n, file, at, datarep->state);
}
int MPIR_Call_datarep_write_fn(void* user, MPI_Datatype type, int n, void* file, MPI_Offset at,
                               void* state) {
    Datatype object(type);
    const auto* const datarep = static_cast<Datarep*>(state);
    return datarep->write(user, object, n, file, at, datarep->state);
}
int MPIR_Call_datarep_extent_fn(MPI_Datatype type, MPI_Aint* extent, void* state) {
    const auto* const datarep = static_cast<Datarep*>(state);
    return datarep->extent(Datatype(type), *extent, datarep->state);
}

}  // extern "C"

namespace {

/// C's type of a function that is never called as such.
template <class C, class Function>
C* as_c(Function* function) {
    return reinterpret_cast<C*>(reinterpret_cast<Any>(function));
}

Errhandler cxx_handler(MPI_Errhandler handler) {
    MPII_Errhandler_set_cxx(handler, as_c<void()>(MPIR_Call_errhandler_function));
    return handler;
}

}  // namespace

void Op::Init(User_function* function, bool commute) {
    check(MPI_Op_create(as_c<MPI_User_function>(function), commute, &handle_));
    MPII_Op_set_cxx(handle_, as_c<void()>(MPIR_Call_op_fn));
}

Errhandler Comm::Create_errhandler(Errhandler_function* function) {
    Errhandler v;
    MPI::check(MPI_Comm_create_errhandler(as_c<MPI_Comm_errhandler_function>(function), v));
    return cxx_handler(v);
}
Errhandler Win::Create_errhandler(Errhandler_function* function) {
    Errhandler v;
    MPI::check(MPI_Win_create_errhandler(as_c<MPI_Win_errhandler_function>(function), v));
    return cxx_handler(v);
}
Errhandler File::Create_errhandler(Errhandler_function* function) {
    Errhandler v;
    MPI::check(MPI_File_create_errhandler(as_c<MPI_File_errhandler_function>(function), v));
    return cxx_handler(v);
}

int Comm::Create_keyval(Copy_attr_function* copy, Delete_attr_function* erase, void* state) {
    return Attributed<Comm>::create(MPI_Comm_create_keyval, copy, erase, state);
}
int Datatype::Create_keyval(Copy_attr_function* copy, Delete_attr_function* erase, void* state) {
    return Attributed<Datatype>::create(MPI_Type_create_keyval, copy, erase, state);
}
int Win::Create_keyval(Copy_attr_function* copy, Delete_attr_function* erase, void* state) {
    return Attributed<Win>::create(MPI_Win_create_keyval, copy, erase, state);
}

Grequest Grequest::Start(Query_function* query, Free_function* free, Cancel_function* cancel,
                         void* state) {
    Grequest v;
    auto* const functions = new GeneralizedFunctions{query, free, cancel, state};
    check(MPI_Grequest_start(MPIR_Grequest_call_query_fn, MPIR_Grequest_call_free_fn,
                             MPIR_Grequest_call_cancel_fn, functions, v));
    return v;
}

/// MPI has no call that ends it.
void Register_datarep(const char* name, Conversion* read, Conversion* write, Extent* extent,
                      void* state) {
    check(MPI_Register_datarep(name, read != nullptr ? MPIR_Call_datarep_read_fn : nullptr,
                               write != nullptr ? MPIR_Call_datarep_write_fn : nullptr,
                               MPIR_Call_datarep_extent_fn,
                               new Datarep{read, write, extent, state}));
}

}  // namespace MPI
