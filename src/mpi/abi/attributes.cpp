// Attributes of communicators and datatypes.

#include "mpi/communicators/comm.hpp"

#include "mpi/abi/keyvals.hpp"

namespace railyard::mpi::abi {

namespace {

using Of = KeyvalEntry::Of;

void comm_create_keyval(State& state, MPI_Comm_copy_attr_function* copy,
                        MPI_Comm_delete_attr_function* erase, int& keyval, void* extra_state) {
    keyval = create_keyval(state, Of::comm, copy, erase, extra_state);
}

void comm_free_keyval(State& state, int& keyval) {
    free_keyval(state, Of::comm, keyval);
}

void comm_set_attr(State& state, Comm& comm, int keyval, void* value) {
    set_comm_attribute(state, comm, keyval, value);
}

void comm_get_attr(State& state, Comm& comm, int keyval, void* value, int& flag) {
    get_comm_attribute(state, comm, keyval, value, flag);
}

void comm_delete_attr(State& state, Comm& comm, int keyval) {
    delete_comm_attribute(state, comm, keyval);
}

void type_create_keyval(State& state, MPI_Type_copy_attr_function* copy,
                        MPI_Type_delete_attr_function* erase, int& keyval, void* extra_state) {
    keyval = create_keyval(state, Of::datatype, copy, erase, extra_state);
}

void type_free_keyval(State& state, int& keyval) {
    free_keyval(state, Of::datatype, keyval);
}

void type_set_attr(State& state, MPI_Datatype datatype, int keyval, void* value) {
    const KeyvalRef key = state.keyval(keyval, Of::datatype, "type_keyval").key;
    state.type_extras(datatype, "datatype").attributes.set(datatype, key, value);
}

void type_get_attr(State& state, MPI_Datatype datatype, int keyval, void* place, int& flag) {
    if (place == nullptr) null_argument("attribute_val");
    const KeyvalEntry& entry = state.keyval(keyval, Of::datatype, "type_keyval");
    const auto value = state.type_extras(datatype, "datatype").attributes.get(*entry.key);
    flag = value.has_value();
    if (value) *static_cast<void**>(place) = *value;
}

void type_delete_attr(State& state, MPI_Datatype datatype, int keyval) {
    const KeyvalRef key = state.keyval(keyval, Of::datatype, "type_keyval").key;
    if (!state.type_extras(datatype, "datatype").attributes.erase(datatype, *key))
        throw MpiError(ErrorClass::keyval, "the datatype has no attribute under this key");
}

}  // namespace

#include <entries/attributes.inc>

}  // namespace railyard::mpi::abi
