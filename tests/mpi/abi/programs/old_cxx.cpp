// MPI's old C++ bindings, as MPICH's mpicxx.h has them: messages, collectives, objects, functions
// that MPI calls, exceptions.
#include <mpi.h>

#include <cstdio>
#include <cstring>

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::printf("WRONG: %s\n", what);
}

void doubles(const void* in, void* inout, int n, const MPI::Datatype& type) {
    check(type == MPI::INT, "the operation's type");
    for (int i = 0; i < n; ++i)
        static_cast<int*>(inout)[i] += 2 * static_cast<const int*>(in)[i];
}

int erased = 0;
int copies(const MPI::Comm& comm, int, void* state, void* in, void* out, bool& flag) {
    check(dynamic_cast<const MPI::Cartcomm*>(&comm) != nullptr,
          "a copied attribute's communicator");
    *static_cast<void**>(out) = static_cast<char*>(in) + *static_cast<int*>(state);
    flag = true;
    return MPI::SUCCESS;
}
int erases(MPI::Comm&, int, void*, void*) {
    ++erased;
    return MPI::SUCCESS;
}

int handled = 0;
void handles(MPI::Comm& comm, int* code, ...) {
    check(comm.Get_size() == 1 && *code != MPI::SUCCESS, "what a handler gets");
    ++handled;
}

int freed = 0;
int queries(void*, MPI::Status& status) {
    status.Set_elements(MPI::INT, 7);
    status.Set_cancelled(false);
    status.Set_source(1);
    return MPI::SUCCESS;
}
int frees(void* state) {
    freed += *static_cast<int*>(state);
    return MPI::SUCCESS;
}
int cancels(void*, bool) {
    return MPI::SUCCESS;
}

void messages(int rank, int size) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int out[4] = {rank, 2, 3, 4}, in[4] = {};
    MPI::Status status;
    MPI::COMM_WORLD.Sendrecv(out, 4, MPI::INT, next, 1, in, 4, MPI::INT, MPI::ANY_SOURCE, 1,
                             status);
    check(in[0] == before && status.Get_source() == before && status.Get_count(MPI::INT) == 4,
          "sendrecv");
    MPI::Request request = MPI::COMM_WORLD.Irecv(in, 4, MPI::INT, before, 2);
    MPI::COMM_WORLD.Send(out, 4, MPI::INT, next, 2);
    request.Wait();
    check(request == MPI::REQUEST_NULL, "wait");
    MPI::Prequest persistent = MPI::COMM_WORLD.Recv_init(in, 4, MPI::INT, before, 3);
    persistent.Start();
    MPI::COMM_WORLD.Ssend(out, 4, MPI::INT, next, 3);
    persistent.Wait(status);
    persistent.Free();
    int sum = 0;
    MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    check(sum == size * (size - 1) / 2, "allreduce");
    MPI::Op op;
    op.Init(doubles, true);
    int one = 1, result = 5;
    op.Reduce_local(&one, &result, 1, MPI::INT);
    check(result == 7 && op.Is_commutative(), "an operation");
    op.Free();
}

void objects(int rank, int size) {
    MPI::Datatype vector = MPI::DOUBLE.Create_vector(3, 1, 4);
    vector.Commit();
    check(vector.Get_size() == 24, "a datatype");
    vector.Free();
    MPI::Group group = MPI::COMM_WORLD.Get_group();
    check(group.Get_rank() == rank, "a group");
    group.Free();
    MPI::Info info = MPI::Info::Create();
    info.Set("key", "value");
    char value[10];
    check(info.Get("key", 9, value) && std::strcmp(value, "value") == 0, "info");
    info.Free();
    const int dims[] = {size};
    const bool periods[] = {true};
    MPI::Cartcomm grid = MPI::COMM_WORLD.Create_cart(1, dims, periods, false);
    int source, dest, shape[1], coords[1];
    bool round[1] = {false};
    grid.Shift(0, 1, source, dest);
    grid.Get_topo(1, shape, round, coords);
    check(dest == (rank + 1) % size && round[0] && coords[0] == rank, "a grid");

    int step = 3;
    const int keyval = MPI::Comm::Create_keyval(copies, erases, &step);
    grid.Set_attr(keyval, reinterpret_cast<void*>(100));
    MPI::Cartcomm copy = grid.Dup();
    void* got = nullptr;
    check(copy.Get_attr(keyval, &got) && got == reinterpret_cast<void*>(103), "an attribute");
    MPI::Comm& clone = copy.Clone();
    check(dynamic_cast<MPI::Cartcomm*>(&clone) != nullptr && clone.Get_size() == size, "a clone");
    clone.Free();
    delete &clone;
    copy.Free();
    grid.Free();
    check(erased == 3, "attributes are erased");

    MPI::Win win = MPI::Win::Create(&source, sizeof source, 1, MPI::INFO_NULL, MPI::COMM_WORLD);
    win.Fence(0);
    win.Put(&rank, 1, MPI::INT, dest, 0, 1, MPI::INT);
    win.Fence(0);
    check(source == (rank + size - 1) % size, "put");
    win.Free();
}

void errors() {
    MPI::Intracomm self = MPI::COMM_SELF.Dup();
    self.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    bool thrown = false;
    try {
        self.Send(nullptr, 0, MPI::INT, 9, 0);
    } catch (MPI::Exception& exception) {
        thrown = exception.Get_error_class() == MPI::ERR_RANK;
    }
    check(thrown, "an exception");
    MPI::Errhandler handler = MPI::Comm::Create_errhandler(handles);
    self.Set_errhandler(handler);
    self.Call_errhandler(MPI::ERR_OTHER);
    check(handled == 1, "a handler");
    handler.Free();
    self.Free();
    int state = 4;
    MPI::Grequest request = MPI::Grequest().Start(queries, frees, cancels, &state);
    request.Complete();
    MPI::Status status;
    request.Wait(status);
    check(freed == 4 && status.Get_count(MPI::INT) == 7 && status.Get_source() == 1,
          "a generalized request");
}

}  // namespace

int main(int argc, char** argv) {
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    messages(rank, size);
    objects(rank, size);
    errors();
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI::BOOL.Get_name(name, length);
    check(std::strcmp(name, "MPI::BOOL") == 0, "a name");
    MPI::COMM_WORLD.Barrier();
    MPI::Finalize();
    if (rank == 0 && failures == 0) std::printf("old_cxx: %d ranks\n", size);
    return failures;
}
