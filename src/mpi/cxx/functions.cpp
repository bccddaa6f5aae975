// What the C++ bindings have outside of classes, and what their classes do not have inline.

#include <algorithm>

#include "mpi/cxx/windows_files.hpp"

namespace MPI {

namespace {

/// C++'s bools as C's ints.
class Flags {
  public:
    Flags(const bool* flags, int n) : ints_(flags, flags + std::max(n, 0)) {}
    operator const int*() const { return ints_.data(); }

  private:
    std::vector<int> ints_;
};

/// Objects' handles, as C has them in arrays.
class Types {
  public:
    Types(const Datatype* types, int n) : handles_(types, types + n) {}
    operator const MPI_Datatype*() const { return handles_.data(); }

  private:
    std::vector<MPI_Datatype> handles_;
};

/// The handler of C that an object has was called when C's function failed; what C++ adds is to
/// throw. A handler that the program calls by itself is called here.
template <class Get, class Call>
void handle(Get&& get, Call&& call, int code) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    get(&handler);
    const bool throws = handler == MPIR_ERRORS_THROW_EXCEPTIONS;
    if (handler != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&handler);
    if (throws) throw Exception(code);
    call();
}

}  // namespace

void Comm::Call_errhandler(int code) const {
    handle([this](MPI_Errhandler* to) { MPI_Comm_get_errhandler(handle_, to); },
           [this, code] { MPI_Comm_call_errhandler(handle_, code); }, code);
}
void Win::Call_errhandler(int code) const {
    handle([this](MPI_Errhandler* to) { MPI_Win_get_errhandler(handle_, to); },
           [this, code] { MPI_Win_call_errhandler(handle_, code); }, code);
}
void File::Call_errhandler(int code) const {
    handle([this](MPI_Errhandler* to) { MPI_File_get_errhandler(handle_, to); },
           [this, code] { MPI_File_call_errhandler(handle_, code); }, code);
}
void MPIR_Call_world_errhand(int code) {
    Intracomm(MPI_COMM_WORLD).Call_errhandler(code);
}

int Datatype::Pack_size(int n, const Comm& comm) const
    RAILYARD_GIVES(int, MPI_Pack_size(n, handle_, comm, &v)) void Datatype::Pack(
        const void* in, int n, void* out, int size, int& position, const Comm& comm) const {
    check(MPI_Pack(in, n, handle_, out, size, &position, comm));
}
void Datatype::Unpack(const void* in, int size, void* out, int n, int& position,
                      const Comm& comm) const {
    check(MPI_Unpack(in, size, &position, out, n, handle_, comm));
}
void Datatype::Get_contents(int integers, int addresses, int types, int* integer, Aint* address,
                            Datatype* type) const {
    std::vector<MPI_Datatype> handles(static_cast<std::size_t>(std::max(types, 0)));
    check(MPI_Type_get_contents(handle_, integers, addresses, types, integer, address,
                                handles.data()));
    std::copy(handles.begin(), handles.end(), type);
}

void Comm::Alltoallw(const void* in, const int* counts, const int* places, const Datatype* types,
                     void* out, const int* got, const int* there, const Datatype* kinds) const {
    int n = 0;
    check(Is_inter() ? MPI_Comm_remote_size(handle_, &n) : MPI_Comm_size(handle_, &n));
    check(MPI_Alltoallw(in, counts, places, Types(types, n), out, got, there, Types(kinds, n),
                        handle_));
}
Intercomm Comm::Join(int fd) {
    Intercomm v;
    MPI::check(MPI_Comm_join(fd, v));
    return v;
}
Intercomm Comm::Get_parent() {
    Intercomm v;
    MPI::check(MPI_Comm_get_parent(v));
    return v;
}

Intercomm Intracomm::Create_intercomm(int leader, const Comm& peer, int remote, int tag) const
    RAILYARD_GIVES(Intercomm, MPI_Intercomm_create(handle_, leader, peer, remote, tag, v))
        Intercomm Intracomm::Accept(const char* port, const Info& info, int root) const
    RAILYARD_GIVES(Intercomm, MPI_Comm_accept(port, info, root, handle_, v))
        Intercomm Intracomm::Connect(const char* port, const Info& info, int root) const
    RAILYARD_GIVES(Intercomm, MPI_Comm_connect(port, info, root, handle_, v)) Graphcomm
    Intracomm::Create_graph(int n, const int* index, const int* edges, bool reorder) const
    RAILYARD_GIVES(Graphcomm, MPI_Graph_create(handle_, n, index, edges, reorder, v)) Cartcomm
    Intracomm::Create_cart(int n, const int* dims, const bool* periods, bool reorder) const
    RAILYARD_GIVES(Cartcomm, MPI_Cart_create(handle_, n, dims, Flags(periods, n), reorder,
                                             v)) Intracomm Intercomm::Merge(bool high) const
    RAILYARD_GIVES(Intracomm, MPI_Intercomm_merge(handle_, high, v))

        void Cartcomm::Get_topo(int n, int* dims, bool* periods, int* coords) const {
    std::vector<int> flags(static_cast<std::size_t>(std::max(n, 0)));
    check(MPI_Cart_get(handle_, n, dims, flags.data(), coords));
    std::ranges::transform(flags, periods, [](int flag) { return flag != 0; });
}
int Cartcomm::Map(int n, const int* dims, const bool* periods) const
    RAILYARD_GIVES(int, MPI_Cart_map(handle_, n, dims, Flags(periods, n),
                                     &v)) Cartcomm Cartcomm::Sub(const bool* remain) const
    RAILYARD_GIVES(Cartcomm, MPI_Cart_sub(handle_, Flags(remain, Get_dim()), v))

    // clang-format off
int Detach_buffer(void*& buffer) RAILYARD_GIVES(int, MPI_Buffer_detach(&buffer, &v))
void Attach_buffer(void* buffer, int size) RAILYARD_DOES(MPI_Buffer_attach(buffer, size))
void Get_processor_name(char* name, int& length) RAILYARD_DOES(MPI_Get_processor_name(name, &length))
void Get_version(int& version, int& subversion) RAILYARD_DOES(MPI_Get_version(&version, &subversion))
void Compute_dims(int ranks, int n, int* dims) RAILYARD_DOES(MPI_Dims_create(ranks, n, dims))
Aint Get_address(const void* place) RAILYARD_GIVES(Aint, MPI_Get_address(place, &v))
void* Alloc_mem(Aint size, const Info& info) RAILYARD_GIVES(void*, MPI_Alloc_mem(size, info, &v))
void Free_mem(void* memory) RAILYARD_DOES(MPI_Free_mem(memory))

int Add_error_class() RAILYARD_GIVES(int, MPI_Add_error_class(&v))
int Add_error_code(int error_class) RAILYARD_GIVES(int, MPI_Add_error_code(error_class, &v))
void Add_error_string(int code, const char* text) RAILYARD_DOES(MPI_Add_error_string(code, text))
int Get_error_class(int code) RAILYARD_GIVES(int, MPI_Error_class(code, &v))
void Get_error_string(int code, char* text, int& length) RAILYARD_DOES(MPI_Error_string(code, text, &length))

void Open_port(const Info& info, char* port) RAILYARD_DOES(MPI_Open_port(info, port))
void Close_port(const char* port) RAILYARD_DOES(MPI_Close_port(port))
void Publish_name(const char* service, const Info& info, const char* port) RAILYARD_DOES(MPI_Publish_name(service, info, port))
void Unpublish_name(const char* service, const Info& info, const char* port) RAILYARD_DOES(MPI_Unpublish_name(service, info, port))
void Lookup_name(const char* service, const Info& info, char* port) RAILYARD_DOES(MPI_Lookup_name(service, info, port))

void MPIR_CXX_InitDatatypeNames();
void Init() { check(MPI_Init(nullptr, nullptr)); MPIR_CXX_InitDatatypeNames(); }
void Init(int& argc, char**& argv) { check(MPI_Init(&argc, &argv)); MPIR_CXX_InitDatatypeNames(); }
int Init_thread(int required) { int v = 0; check(MPI_Init_thread(nullptr, nullptr, required, &v)); MPIR_CXX_InitDatatypeNames(); return v; }
int Init_thread(int& argc, char**& argv, int required) { int v = 0; check(MPI_Init_thread(&argc, &argv, required, &v)); MPIR_CXX_InitDatatypeNames(); return v; }
void Finalize() RAILYARD_DOES(MPI_Finalize())
bool Is_initialized() RAILYARD_TELLS(MPI_Initialized(&v))
bool Is_finalized() RAILYARD_TELLS(MPI_Finalized(&v))
int Query_thread() RAILYARD_GIVES(int, MPI_Query_thread(&v))
bool Is_thread_main() RAILYARD_TELLS(MPI_Is_thread_main(&v))
void Pcontrol(int level, ...) RAILYARD_DOES(MPI_Pcontrol(level))
double Wtime() { return MPI_Wtime(); }
double Wtick() { return MPI_Wtick(); }
// clang-format on

}  // namespace MPI
