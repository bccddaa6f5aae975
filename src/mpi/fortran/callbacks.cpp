// Functions of Fortran programs that the library calls. Those of reductions and of error handlers
// are what C's are, but for files. The others are called through functions of C's kind.

#include <array>
#include <mutex>
#include <utility>

#include "mpi/fortran/arguments.hpp"

namespace railyard::mpi::fortran {

namespace {

/// Fortran's procedures take references, and the error is the last of their arguments.
template <class... Arguments>
int call(const void* procedure, Arguments... arguments) {
    int code = MPI_SUCCESS;
    reinterpret_cast<void (*)(Arguments..., int*)>(const_cast<void*>(procedure))(arguments...,
                                                                                 &code);
    return code;
}

template <class Function>
const void* procedure(Function* function) {
    return reinterpret_cast<const void*>(function);
}

void* as_pointer(MPI_Aint value) {
    return reinterpret_cast<void*>(value);  // NOLINT: MPI keeps integers where C has pointers
}

// Attributes. Integers of MPI-1 are the lower half of those of 64 bits, on machines where that half
// comes first.

using CopyFunction = int(int, int, void*, void*, void*, int*);
using EraseFunction = int(int, int, void*, void*);

int copy_proxy(CopyFunction* copy, int object, int keyval, void* extra_state, int, void* value,
               void** copied, int* flag) {
    auto in = reinterpret_cast<MPI_Aint>(value);
    MPI_Aint out = 0;
    int logical = 0;
    const int code = call(procedure(copy), &object, &keyval, static_cast<MPI_Aint*>(extra_state),
                          &in, &out, &logical);
    *flag = logical != 0;
    *copied = as_pointer(out);
    return code;
}

int erase_proxy(EraseFunction* erase, int object, int keyval, int, void* value, void* extra_state) {
    auto in = reinterpret_cast<MPI_Aint>(value);
    return call(procedure(erase), &object, &keyval, &in, static_cast<MPI_Aint*>(extra_state));
}

extern "C" {
int MPII_Comm_set_attr(MPI_Comm, int, void*, int);
int MPII_Comm_get_attr(MPI_Comm, int, void*, int*, int);
int MPII_Type_set_attr(MPI_Datatype, int, void*, int);
int MPII_Type_get_attr(MPI_Datatype, int, void*, int*, int);
int MPII_Win_set_attr(MPI_Win, int, void*, int);
int MPII_Win_get_attr(MPI_Win, int, void*, int*, int);
void MPII_Keyval_set_proxy(int, int (*)(CopyFunction*, int, int, void*, int, void*, void**, int*),
                           int (*)(EraseFunction*, int, int, int, void*, void*));
}

// The library's numbers for who has set an attribute.
constexpr int address_kind = 1;
constexpr int integer_kind = 3;

/// The state stays for good: attributes may outlive their key, and nobody tells when the last goes.
template <class Create>
int create_keyval(Create* create, CopyFunction* copy, EraseFunction* erase, int* keyval,
                  MPI_Aint extra_state) {
    const int code = create(copy, erase, keyval, new MPI_Aint(extra_state));
    if (code == MPI_SUCCESS) MPII_Keyval_set_proxy(*keyval, copy_proxy, erase_proxy);
    return code;
}

template <class Get>
int get_attribute(Get* get, int object, int keyval, MPI_Aint* value, int* flag) {
    return get(object, keyval, value, Flag(flag), address_kind);
}

// Generalized requests.

struct Grequest {
    const void* query;
    const void* free;
    const void* cancel;
    MPI_Aint extra_state;
};

int query_grequest(void* state, MPI_Status* status) {
    auto* const request = static_cast<Grequest*>(state);
    return call(request->query, &request->extra_state, status);
}
int free_grequest(void* state) {
    auto* const request = static_cast<Grequest*>(state);
    const int code = call(request->free, &request->extra_state);
    delete request;
    return code;
}
int cancel_grequest(void* state, int complete) {
    auto* const request = static_cast<Grequest*>(state);
    return call(request->cancel, &request->extra_state, &complete);
}

// Representations of data in files.

struct Datarep {
    const void* read;
    const void* write;
    const void* extent;
    MPI_Aint extra_state;
};

/// `Count`: an int, or 64 bits.
template <class Count>
int read_datarep(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset at,
                 void* state) {
    auto& datarep = *static_cast<Datarep*>(state);
    return call(datarep.read, user, &type, &count, file, &at, &datarep.extra_state);
}
template <class Count>
int write_datarep(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset at,
                  void* state) {
    auto& datarep = *static_cast<Datarep*>(state);
    return call(datarep.write, user, &type, &count, file, &at, &datarep.extra_state);
}
int extent_of_datarep(MPI_Datatype type, MPI_Aint* extent, void* state) {
    auto& datarep = *static_cast<Datarep*>(state);
    return call(datarep.extent, &type, extent, &datarep.extra_state);
}

// Error handlers of files: a file is a pointer in C, and nothing but the function's own address
// tells handlers apart. So there are so many functions.

using FileHandler = void(int* file, int* code);
constexpr std::size_t most_file_handlers = 64;
std::array<FileHandler*, most_file_handlers> file_handlers{};
std::mutex file_handlers_lock;

template <std::size_t I>
void handle_file(MPI_File* file, int* code, ...) {
    int handle = MPI_File_c2f(*file);
    file_handlers[I](&handle, code);
}

template <std::size_t... I>
constexpr auto file_functions(std::index_sequence<I...>) {
    return std::array<MPI_File_errhandler_function*, sizeof...(I)>{handle_file<I>...};
}
constexpr auto functions_of_files = file_functions(std::make_index_sequence<most_file_handlers>());

/// Null if there are too many.
MPI_File_errhandler_function* function_for(FileHandler* handler) {
    const std::lock_guard lock(file_handlers_lock);
    for (std::size_t i = 0; i < most_file_handlers; ++i)
        if (file_handlers[i] == nullptr || file_handlers[i] == handler) {
            file_handlers[i] = handler;
            return functions_of_files[i];
        }
    return nullptr;
}

}  // namespace

extern "C" {

#define ATTRIBUTES(Of, of, OF)                                                                    \
    void mpi_##of##_create_keyval_(CopyFunction* copy, EraseFunction* erase, int* keyval,         \
                                   const MPI_Aint* extra_state, int* ierror) {                    \
        finish(ierror,                                                                            \
               create_keyval(MPI_##Of##_create_keyval, copy, erase, keyval, *extra_state));       \
    }                                                                                             \
    FORTRAN_NAMES("mpi_" #of "_create_keyval", "MPI_" #OF "_CREATE_KEYVAL")                       \
    FORTRAN_ALSO("mpi_" #of "_create_keyval_", "mpi_" #of "_create_keyval_f08_")                  \
    FORTRAN_ALSO("mpi_" #of "_create_keyval_", "pmpir_" #of "_create_keyval_f08_")                \
    void mpi_##of##_set_attr_(const int* object, const int* keyval, const MPI_Aint* value,        \
                              int* ierror) {                                                      \
        finish(ierror, MPII_##Of##_set_attr(*object, *keyval, as_pointer(*value), address_kind)); \
    }                                                                                             \
    FORTRAN_NAMES("mpi_" #of "_set_attr", "MPI_" #OF "_SET_ATTR")                                 \
    FORTRAN_ALSO("mpi_" #of "_set_attr_", "mpi_" #of "_set_attr_f08_")                            \
    FORTRAN_ALSO("mpi_" #of "_set_attr_", "pmpir_" #of "_set_attr_f08_")                          \
    void mpi_##of##_get_attr_(const int* object, const int* keyval, MPI_Aint* value, int* flag,   \
                              int* ierror) {                                                      \
        finish(ierror, get_attribute(MPII_##Of##_get_attr, *object, *keyval, value, flag));       \
    }                                                                                             \
    FORTRAN_NAMES("mpi_" #of "_get_attr", "MPI_" #OF "_GET_ATTR")                                 \
    FORTRAN_ALSO("mpi_" #of "_get_attr_", "mpi_" #of "_get_attr_f08_")                            \
    FORTRAN_ALSO("mpi_" #of "_get_attr_", "pmpir_" #of "_get_attr_f08_")
ATTRIBUTES(Comm, comm, COMM)
ATTRIBUTES(Type, type, TYPE)
ATTRIBUTES(Win, win, WIN)
#undef ATTRIBUTES

void mpi_keyval_create_(CopyFunction* copy, EraseFunction* erase, int* keyval,
                        const int* extra_state, int* ierror) {
    finish(ierror, create_keyval(MPI_Keyval_create, copy, erase, keyval, *extra_state));
}
FORTRAN_NAMES("mpi_keyval_create", "MPI_KEYVAL_CREATE")

void mpi_attr_put_(const MPI_Comm* comm, const int* keyval, const int* value, int* ierror) {
    finish(ierror, MPII_Comm_set_attr(*comm, *keyval, as_pointer(*value), integer_kind));
}
FORTRAN_NAMES("mpi_attr_put", "MPI_ATTR_PUT")

void mpi_attr_get_(const MPI_Comm* comm, const int* keyval, int* value, int* flag, int* ierror) {
    MPI_Aint wide = 0;
    const int code = MPII_Comm_get_attr(*comm, *keyval, &wide, Flag(flag), integer_kind);
    if (code == MPI_SUCCESS && *flag != 0) *value = static_cast<int>(wide);
    finish(ierror, code);
}
FORTRAN_NAMES("mpi_attr_get", "MPI_ATTR_GET")

// Predefined functions. Keys of MPI-1 share those that touch no value.

void mpi_comm_null_copy_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*, MPI_Aint*,
                            int* flag, int* ierror) {
    *flag = 0;
    *ierror = MPI_SUCCESS;
}
FORTRAN_NAMES("mpi_comm_null_copy_fn", "MPI_COMM_NULL_COPY_FN")
#define SAME(of, lower, UPPER)           \
    FORTRAN_ALSO(of "_", lower)          \
    FORTRAN_ALSO(of "_", lower "_")      \
    FORTRAN_ALSO(of "_", lower "__")     \
    FORTRAN_ALSO(of "_", UPPER)          \
    FORTRAN_ALSO(of "_", "p" lower)      \
    FORTRAN_ALSO(of "_", "p" lower "_")  \
    FORTRAN_ALSO(of "_", "p" lower "__") \
    FORTRAN_ALSO(of "_", "P" UPPER)
SAME("mpi_comm_null_copy_fn", "mpi_type_null_copy_fn", "MPI_TYPE_NULL_COPY_FN")
SAME("mpi_comm_null_copy_fn", "mpi_win_null_copy_fn", "MPI_WIN_NULL_COPY_FN")
SAME("mpi_comm_null_copy_fn", "mpi_null_copy_fn", "MPI_NULL_COPY_FN")

void mpi_comm_dup_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint* in, MPI_Aint* out,
                      int* flag, int* ierror) {
    *out = *in;
    *flag = 1;
    *ierror = MPI_SUCCESS;
}
FORTRAN_NAMES("mpi_comm_dup_fn", "MPI_COMM_DUP_FN")
SAME("mpi_comm_dup_fn", "mpi_type_dup_fn", "MPI_TYPE_DUP_FN")
SAME("mpi_comm_dup_fn", "mpi_win_dup_fn", "MPI_WIN_DUP_FN")

/// A program may call it itself, with default integers.
void mpi_dup_fn_(const int*, const int*, const int*, const int* in, int* out, int* flag,
                 int* ierror) {
    *out = *in;
    *flag = 1;
    *ierror = MPI_SUCCESS;
}
FORTRAN_NAMES("mpi_dup_fn", "MPI_DUP_FN")

void mpi_comm_null_delete_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*,
                              int* ierror) {
    *ierror = MPI_SUCCESS;
}
FORTRAN_NAMES("mpi_comm_null_delete_fn", "MPI_COMM_NULL_DELETE_FN")
SAME("mpi_comm_null_delete_fn", "mpi_type_null_delete_fn", "MPI_TYPE_NULL_DELETE_FN")
SAME("mpi_comm_null_delete_fn", "mpi_win_null_delete_fn", "MPI_WIN_NULL_DELETE_FN")
SAME("mpi_comm_null_delete_fn", "mpi_null_delete_fn", "MPI_NULL_DELETE_FN")
#undef SAME

/// Never called: the library knows it by its address.
void mpi_conversion_fn_null_(void*, const int*, const int*, void*, const MPI_Offset*,
                             const MPI_Aint*, int* ierror) {
    *ierror = MPI_ERR_CONVERSION;
}
FORTRAN_NAMES("mpi_conversion_fn_null", "MPI_CONVERSION_FN_NULL")
void __mpi_f08_callbacks_MOD_mpi_conversion_fn_null(void);    // NOLINT: gfortran's names
void __mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c(void);  // NOLINT

static bool is_null_conversion(const void* function) {
    return function == procedure(mpi_conversion_fn_null_) ||
           function == procedure(__mpi_f08_callbacks_MOD_mpi_conversion_fn_null) ||
           function == procedure(__mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c);
}

// MPI has no call that ends a representation.

void mpi_register_datarep_(const char* name, const void* read, const void* write,
                           const void* extent, const MPI_Aint* extra_state, int* ierror,
                           std::size_t length) {
    finish(ierror, MPI_Register_datarep(
                       String(name, length), is_null_conversion(read) ? nullptr : read_datarep<int>,
                       is_null_conversion(write) ? nullptr : write_datarep<int>, extent_of_datarep,
                       new Datarep{read, write, extent, *extra_state}));
}
void mpi_register_datarep_c_(const char* name, const void* read, const void* write,
                             const void* extent, const MPI_Aint* extra_state, int* ierror,
                             std::size_t length) {
    finish(ierror,
           MPI_Register_datarep_c(
               String(name, length), is_null_conversion(read) ? nullptr : read_datarep<MPI_Count>,
               is_null_conversion(write) ? nullptr : write_datarep<MPI_Count>, extent_of_datarep,
               new Datarep{read, write, extent, *extra_state}));
}
FORTRAN_NAMES("mpi_register_datarep_c", "MPI_REGISTER_DATAREP_C")
FORTRAN_NAMES("mpi_register_datarep", "MPI_REGISTER_DATAREP")
FORTRAN_ALSO("mpi_register_datarep_", "mpi_register_datarep_f08_")
FORTRAN_ALSO("mpi_register_datarep_", "pmpir_register_datarep_f08_")

void mpi_grequest_start_(const void* query, const void* free, const void* cancel,
                         const MPI_Aint* extra_state, MPI_Request* request, int* ierror) {
    auto* const state = new Grequest{query, free, cancel, *extra_state};
    const int code =
        MPI_Grequest_start(query_grequest, free_grequest, cancel_grequest, state, request);
    if (code != MPI_SUCCESS) delete state;
    finish(ierror, code);
}
FORTRAN_NAMES("mpi_grequest_start", "MPI_GREQUEST_START")
FORTRAN_ALSO("mpi_grequest_start_", "mpi_grequest_start_f08_")
FORTRAN_ALSO("mpi_grequest_start_", "pmpir_grequest_start_f08_")

void mpi_file_create_errhandler_(FileHandler* handler, MPI_Errhandler* errhandler, int* ierror) {
    finish(ierror, MPI_File_create_errhandler(function_for(handler), errhandler));
}
FORTRAN_NAMES("mpi_file_create_errhandler", "MPI_FILE_CREATE_ERRHANDLER")
FORTRAN_ALSO("mpi_file_create_errhandler_", "mpi_file_create_errhandler_f08_")
FORTRAN_ALSO("mpi_file_create_errhandler_", "pmpir_file_create_errhandler_f08_")

}  // extern "C"

}  // namespace railyard::mpi::fortran
