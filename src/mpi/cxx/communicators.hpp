#pragma once
/// Communicators of the C++ bindings; see handles.hpp.

#include "mpi/cxx/handles.hpp"

namespace MPI {

class Intercomm;
class Cartcomm;
class Graphcomm;

// What sends and receives take.
#define RAILYARD_SENT const void *buf, int n, const Datatype &type, int dest, int tag
#define RAILYARD_RECEIVED void *buf, int n, const Datatype &type, int source, int tag
#define RAILYARD_SENDS(name) RAILYARD_DOES(name(buf, n, type, dest, tag, handle_))
#define RAILYARD_STARTS(Kind, name) RAILYARD_GIVES(Kind, name(buf, n, type, dest, tag, handle_, v))
#define RAILYARD_BOTH                                                                 \
    const void *out, int n, const Datatype &type, int dest, int tag, void *in, int m, \
        const Datatype &got, int source, int other
#define RAILYARD_MOVED \
    const void *in, int n, const Datatype &type, void *out, int m, const Datatype &got
#define RAILYARD_REDUCED const void *in, void *out, int n, const Datatype &type, const Op &op

// clang-format off
class Comm {
    RAILYARD_HANDLE(Comm, MPI_Comm, MPI_COMM_NULL)
    using Copy_attr_function = int(const Comm&, int, void*, void*, void*, bool&);
    using Delete_attr_function = int(Comm&, int, void*, void*);
    using Errhandler_function = void(Comm&, int*, ...);

    virtual ~Comm() {}
    virtual Group Get_group() const RAILYARD_GIVES(Group, MPI_Comm_group(handle_, v))
    virtual int Get_rank() const RAILYARD_GIVES(int, MPI_Comm_rank(handle_, &v))
    virtual Prequest Bsend_init(RAILYARD_SENT) const RAILYARD_STARTS(Prequest, MPI_Bsend_init)
    virtual Prequest Ssend_init(RAILYARD_SENT) const RAILYARD_STARTS(Prequest, MPI_Ssend_init)
    virtual bool Is_inter() const RAILYARD_TELLS(MPI_Comm_test_inter(handle_, &v))
    virtual Prequest Rsend_init(RAILYARD_SENT) const RAILYARD_STARTS(Prequest, MPI_Rsend_init)
    virtual Request Ibsend(RAILYARD_SENT) const RAILYARD_STARTS(Request, MPI_Ibsend)
    virtual void Abort(int code) const RAILYARD_DOES(MPI_Abort(handle_, code))
    virtual void Free() RAILYARD_DOES(MPI_Comm_free(&handle_))
    virtual Prequest Send_init(RAILYARD_SENT) const RAILYARD_STARTS(Prequest, MPI_Send_init)
    virtual void Recv(RAILYARD_RECEIVED, Status& status) const RAILYARD_DOES(MPI_Recv(buf, n, type, source, tag, handle_, status))
    virtual void Recv(RAILYARD_RECEIVED) const RAILYARD_DOES(MPI_Recv(buf, n, type, source, tag, handle_, MPI_STATUS_IGNORE))
    virtual void Sendrecv(RAILYARD_BOTH, Status& status) const RAILYARD_DOES(MPI_Sendrecv(out, n, type, dest, tag, in, m, got, source, other, handle_, status))
    virtual void Sendrecv(RAILYARD_BOTH) const RAILYARD_DOES(MPI_Sendrecv(out, n, type, dest, tag, in, m, got, source, other, handle_, MPI_STATUS_IGNORE))
    virtual void Sendrecv_replace(void* buf, int n, const Datatype& type, int dest, int tag, int source, int other, Status& status) const RAILYARD_DOES(MPI_Sendrecv_replace(buf, n, type, dest, tag, source, other, handle_, status))
    virtual void Sendrecv_replace(void* buf, int n, const Datatype& type, int dest, int tag, int source, int other) const RAILYARD_DOES(MPI_Sendrecv_replace(buf, n, type, dest, tag, source, other, handle_, MPI_STATUS_IGNORE))
    virtual int Get_topology() const RAILYARD_GIVES(int, MPI_Topo_test(handle_, &v))
    virtual Request Isend(RAILYARD_SENT) const RAILYARD_STARTS(Request, MPI_Isend)
    virtual void Probe(int source, int tag, Status& status) const RAILYARD_DOES(MPI_Probe(source, tag, handle_, status))
    virtual void Probe(int source, int tag) const RAILYARD_DOES(MPI_Probe(source, tag, handle_, MPI_STATUS_IGNORE))
    virtual int Get_size() const RAILYARD_GIVES(int, MPI_Comm_size(handle_, &v))
    virtual Request Issend(RAILYARD_SENT) const RAILYARD_STARTS(Request, MPI_Issend)
    virtual void Set_errhandler(const Errhandler& handler) RAILYARD_DOES(MPI_Comm_set_errhandler(handle_, handler))
    virtual void Send(RAILYARD_SENT) const RAILYARD_SENDS(MPI_Send)
    virtual Request Irsend(RAILYARD_SENT) const RAILYARD_STARTS(Request, MPI_Irsend)
    virtual void Ssend(RAILYARD_SENT) const RAILYARD_SENDS(MPI_Ssend)
    virtual Prequest Recv_init(RAILYARD_RECEIVED) const RAILYARD_GIVES(Prequest, MPI_Recv_init(buf, n, type, source, tag, handle_, v))
    virtual bool Iprobe(int source, int tag, Status& status) const RAILYARD_TELLS(MPI_Iprobe(source, tag, handle_, &v, status))
    virtual bool Iprobe(int source, int tag) const RAILYARD_TELLS(MPI_Iprobe(source, tag, handle_, &v, MPI_STATUS_IGNORE))
    virtual void Bsend(RAILYARD_SENT) const RAILYARD_SENDS(MPI_Bsend)
    virtual Request Irecv(RAILYARD_RECEIVED) const RAILYARD_GIVES(Request, MPI_Irecv(buf, n, type, source, tag, handle_, v))
    virtual Errhandler Get_errhandler() const RAILYARD_GIVES(Errhandler, MPI_Comm_get_errhandler(handle_, v))
    virtual void Rsend(RAILYARD_SENT) const RAILYARD_SENDS(MPI_Rsend)
    virtual void Gatherv(const void* in, int n, const Datatype& type, void* out, const int* counts, const int* places, const Datatype& got, int root) const RAILYARD_DOES(MPI_Gatherv(in, n, type, out, counts, places, got, root, handle_))
    virtual void Disconnect() RAILYARD_DOES(MPI_Comm_disconnect(&handle_))
    virtual void Allreduce(RAILYARD_REDUCED) const RAILYARD_DOES(MPI_Allreduce(in, out, n, type, op, handle_))
    virtual void Alltoallw(const void* in, const int* counts, const int* places, const Datatype* types, void* out, const int* got, const int* there, const Datatype* kinds) const;
    virtual void Alltoall(RAILYARD_MOVED) const RAILYARD_DOES(MPI_Alltoall(in, n, type, out, m, got, handle_))
    virtual bool Get_attr(int keyval, void* value) const RAILYARD_TELLS(MPI_Comm_get_attr(handle_, keyval, value, &v))
    virtual void Barrier() const RAILYARD_DOES(MPI_Barrier(handle_))
    virtual void Bcast(void* buf, int n, const Datatype& type, int root) const RAILYARD_DOES(MPI_Bcast(buf, n, type, root, handle_))
    virtual void Set_attr(int keyval, const void* value) RAILYARD_DOES(MPI_Comm_set_attr(handle_, keyval, const_cast<void*>(value)))
    virtual void Set_name(const char* name) RAILYARD_DOES(MPI_Comm_set_name(handle_, name))
    virtual void Alltoallv(const void* in, const int* counts, const int* places, const Datatype& type, void* out, const int* got, const int* there, const Datatype& kind) const RAILYARD_DOES(MPI_Alltoallv(in, counts, places, type, out, got, there, kind, handle_))
    virtual void Reduce_scatter(const void* in, void* out, const int* counts, const Datatype& type, const Op& op) const RAILYARD_DOES(MPI_Reduce_scatter(in, out, counts, type, op, handle_))
    virtual void Scatter(RAILYARD_MOVED, int root) const RAILYARD_DOES(MPI_Scatter(in, n, type, out, m, got, root, handle_))
    virtual void Gather(RAILYARD_MOVED, int root) const RAILYARD_DOES(MPI_Gather(in, n, type, out, m, got, root, handle_))
    virtual void Reduce(RAILYARD_REDUCED, int root) const RAILYARD_DOES(MPI_Reduce(in, out, n, type, op, root, handle_))
    virtual void Allgather(RAILYARD_MOVED) const RAILYARD_DOES(MPI_Allgather(in, n, type, out, m, got, handle_))
    virtual void Delete_attr(int keyval) RAILYARD_DOES(MPI_Comm_delete_attr(handle_, keyval))
    virtual void Scatterv(const void* in, const int* counts, const int* places, const Datatype& type, void* out, int m, const Datatype& got, int root) const RAILYARD_DOES(MPI_Scatterv(in, counts, places, type, out, m, got, root, handle_))
    virtual void Get_name(char* name, int& length) const RAILYARD_DOES(MPI_Comm_get_name(handle_, name, &length))
    virtual void Allgatherv(const void* in, int n, const Datatype& type, void* out, const int* counts, const int* places, const Datatype& got) const RAILYARD_DOES(MPI_Allgatherv(in, n, type, out, counts, places, got, handle_))
    virtual Comm& Clone() const = 0;
    virtual void Call_errhandler(int code) const;
    virtual void Reduce_scatter_block(RAILYARD_REDUCED) const RAILYARD_DOES(MPI_Reduce_scatter_block(in, out, n, type, op, handle_))

    static Intercomm Join(int fd);
    static Intercomm Get_parent();
    static Errhandler Create_errhandler(Errhandler_function* function);
    static int Create_keyval(Copy_attr_function* copy, Delete_attr_function* erase, void* extra_state);
    static int NULL_COPY_FN(const Comm&, int, void*, void*, void*, bool& flag) { flag = false; return MPI_SUCCESS; }
    static int NULL_DELETE_FN(Comm&, int, void*, void*) { return MPI_SUCCESS; }

  protected:
    /// Failures are this communicator's.
    void check(int code) const { if (code != MPI_SUCCESS) Call_errhandler(code); }
    /// A communicator of the same class, for the caller to delete.
    template <class Same>
    Same& cloned() const { MPI_Comm copy = MPI_COMM_NULL; check(MPI_Comm_dup(handle_, &copy)); return *new Same(copy); }
};

class Nullcomm : public Comm {
  public:
    using Comm::Comm;
    virtual ~Nullcomm() {}
    virtual Comm& Clone() const { return cloned<Nullcomm>(); }
};

class Intracomm : public Comm {
  public:
    using Comm::Comm;
    virtual ~Intracomm() {}
    virtual Intracomm& Clone() const { return cloned<Intracomm>(); }
    virtual Intercomm Create_intercomm(int leader, const Comm& peer, int remote, int tag) const;
    virtual Intracomm Split(int color, int key) const RAILYARD_GIVES(Intracomm, MPI_Comm_split(handle_, color, key, v))
    virtual Graphcomm Create_graph(int n, const int* index, const int* edges, bool reorder) const;
    virtual Cartcomm Create_cart(int n, const int* dims, const bool* periods, bool reorder) const;
    virtual Intracomm Create(const Group& group) const RAILYARD_GIVES(Intracomm, MPI_Comm_create(handle_, group, v))
    virtual void Scan(RAILYARD_REDUCED) const RAILYARD_DOES(MPI_Scan(in, out, n, type, op, handle_))
    virtual void Exscan(RAILYARD_REDUCED) const RAILYARD_DOES(MPI_Exscan(in, out, n, type, op, handle_))
    virtual Intercomm Accept(const char* port, const Info& info, int root) const;
    virtual Intercomm Connect(const char* port, const Info& info, int root) const;
};

class Intercomm : public Comm {
  public:
    using Comm::Comm;
    virtual ~Intercomm() {}
    virtual Intercomm& Clone() const { return cloned<Intercomm>(); }
    virtual Intracomm Merge(bool high) const;
    virtual Group Get_remote_group() const RAILYARD_GIVES(Group, MPI_Comm_remote_group(handle_, v))
    virtual int Get_remote_size() const RAILYARD_GIVES(int, MPI_Comm_remote_size(handle_, &v))
    virtual Intercomm Split(int color, int key) const RAILYARD_GIVES(Intercomm, MPI_Comm_split(handle_, color, key, v))
};

class Graphcomm : public Intracomm {
  public:
    using Intracomm::Intracomm;
    virtual ~Graphcomm() {}
    virtual Graphcomm& Clone() const { return cloned<Graphcomm>(); }
    virtual void Get_dims(int* nodes, int* edges) const RAILYARD_DOES(MPI_Graphdims_get(handle_, nodes, edges))
    virtual void Get_topo(int indices, int edges, int* index, int* edge) const RAILYARD_DOES(MPI_Graph_get(handle_, indices, edges, index, edge))
    virtual int Map(int n, const int* index, const int* edges) const RAILYARD_GIVES(int, MPI_Graph_map(handle_, n, index, edges, &v))
    virtual void Get_neighbors(int rank, int n, int* neighbors) const RAILYARD_DOES(MPI_Graph_neighbors(handle_, rank, n, neighbors))
    virtual int Get_neighbors_count(int rank) const RAILYARD_GIVES(int, MPI_Graph_neighbors_count(handle_, rank, &v))
};

class Cartcomm : public Intracomm {
  public:
    using Intracomm::Intracomm;
    virtual ~Cartcomm() {}
    virtual Cartcomm& Clone() const { return cloned<Cartcomm>(); }
    virtual void Get_coords(int rank, int n, int* coords) const RAILYARD_DOES(MPI_Cart_coords(handle_, rank, n, coords))
    virtual int Get_cart_rank(const int* coords) const RAILYARD_GIVES(int, MPI_Cart_rank(handle_, coords, &v))
    virtual int Get_dim() const RAILYARD_GIVES(int, MPI_Cartdim_get(handle_, &v))
    virtual void Get_topo(int n, int* dims, bool* periods, int* coords) const;
    virtual int Map(int n, const int* dims, const bool* periods) const;
    virtual Cartcomm Sub(const bool* remain) const;
    virtual void Shift(int direction, int distance, int& source, int& dest) const RAILYARD_DOES(MPI_Cart_shift(handle_, direction, distance, &source, &dest))
};
// clang-format on

}  // namespace MPI
