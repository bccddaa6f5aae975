// Calls of MPI-1 that MPI-3 has removed. Old programs use them, and libraries of this ABI have
// them.

#include "mpi/abi/deprecated.hpp"

#include "mpi/types/constructors.hpp"

namespace railyard::mpi::abi {

namespace {

void address(void* location, MPI_Aint& result) {
    result = reinterpret_cast<MPI_Aint>(location);
}

void attr_put(State& state, Comm& comm, int keyval, void* value) {
    set_comm_attribute(state, comm, keyval, value);
}

void attr_get(State& state, Comm& comm, int keyval, void* value, int& flag) {
    get_comm_attribute(state, comm, keyval, value, flag);
}

void attr_delete(State& state, Comm& comm, int keyval) {
    delete_comm_attribute(state, comm, keyval);
}

void keyval_create(State& state, MPI_Copy_function* copy, MPI_Delete_function* erase, int& keyval,
                   void* extra_state) {
    keyval = create_keyval(state, KeyvalEntry::Of::comm, copy, erase, extra_state);
}

void keyval_free(State& state, int& keyval) {
    free_keyval(state, KeyvalEntry::Of::comm, keyval);
}

void errhandler_create(State& state, MPI_Comm_errhandler_function* function,
                       MPI_Errhandler& errhandler) {
    errhandler = create_error_handler(state, function);
}

void errhandler_set(State&, Comm& comm, const ErrorHandlerRef& handler) {
    comm.error_handler = handler;
}

void errhandler_get(State& state, Comm& comm, MPI_Errhandler& errhandler) {
    errhandler = give_error_handler(state, comm);
}

void type_extent(State&, const TypeRef& type, MPI_Aint& extent) {
    extent = type->extent();
}

void type_lb(State&, const TypeRef& type, MPI_Aint& displacement) {
    displacement = type->lower_bound();
}

void type_ub(State&, const TypeRef& type, MPI_Aint& displacement) {
    displacement = type->upper_bound();
}

void type_hvector(State& state, std::size_t count, std::size_t length, MPI_Aint stride,
                  const TypeRef& old, MPI_Datatype& made) {
    made = state.add(hvector(count, length, stride, old));
}

void type_hindexed(State& state, std::size_t count, int lengths[], MPI_Aint displacements[],
                   const TypeRef& old, MPI_Datatype& made) {
    made = state.add(make_hindexed(count, lengths, displacements, old));
}

void type_struct(State& state, std::size_t count, int lengths[], MPI_Aint displacements[],
                 MPI_Datatype types[], MPI_Datatype& made) {
    made = state.add(make_struct(state, count, lengths, displacements, types));
}

}  // namespace

#include <entries/deprecated.inc>

}  // namespace railyard::mpi::abi
