#include "mpi/abi/keyvals.hpp"

namespace railyard::mpi::abi {

namespace {

void check_code(int code, const char* which) {
    if (code != MPI_SUCCESS)
        throw CodedError(code, std::string("the attribute's ") + which + " function returned " +
                                   std::to_string(code));
}

/// Attributes that MPI itself hangs on communicators.
const int* builtin_attribute(State& state, int keyval) {
    const WorldAttributes& all = state.world_attributes;
    switch (keyval) {
        case MPI_TAG_UB:
            return &all.tag_ub;
        case MPI_HOST:
            return &all.host;
        case MPI_IO:
            return &all.io;
        case MPI_WTIME_IS_GLOBAL:
            return &all.wtime_is_global;
        case MPI_UNIVERSE_SIZE:
            return &all.universe_size;
        case MPI_LASTUSEDCODE:
            return &state.user_errors().last_used();
        case MPI_APPNUM:
            return &all.application;
        default:
            return nullptr;
    }
}

KeyvalEntry& settable(State& state, int keyval) {
    if (builtin_attribute(state, keyval) != nullptr)
        throw MpiError(ErrorClass::keyval, "a predefined attribute cannot be changed");
    return state.keyval(keyval, KeyvalEntry::Of::comm, "comm_keyval");
}

}  // namespace

int create_keyval(State& state, KeyvalEntry::Of of, CopyFunction* copy, DeleteFunction* erase,
                  void* extra_state) {
    auto key = std::make_shared<Keyval>();
    const int handle = state.keyvals.add(std::make_unique<KeyvalEntry>(KeyvalEntry{key, of}));
    key->handle = handle;
    if (copy != nullptr)
        key->copy = [copy, handle, extra_state](int object, void* value) {
            void* copied = nullptr;
            int flag = 0;
            check_code(copy(object, handle, extra_state, value, &copied, &flag), "copy");
            return flag != 0 ? std::optional<void*>(copied) : std::nullopt;
        };
    if (erase != nullptr)
        key->erase = [erase, handle, extra_state](int object, void* value) {
            check_code(erase(object, handle, value, extra_state), "delete");
        };
    return handle;
}

void free_keyval(State& state, KeyvalEntry::Of of, int& keyval) {
    state.keyval(keyval, of, "keyval");
    state.keyvals.remove(keyval);
    keyval = MPI_KEYVAL_INVALID;
}

void set_comm_attribute(State& state, Comm& comm, int keyval, void* value) {
    comm.attributes.set(comm.handle, settable(state, keyval).key, value);
}

void get_comm_attribute(State& state, Comm& comm, int keyval, void* place, int& flag) {
    if (place == nullptr) null_argument("attribute_val");
    flag = 1;
    if (const int* builtin = builtin_attribute(state, keyval)) {
        *static_cast<const int**>(place) = builtin;
        return;
    }
    const KeyvalEntry& entry = state.keyval(keyval, KeyvalEntry::Of::comm, "comm_keyval");
    if (const auto value = comm.attributes.get(*entry.key))
        *static_cast<void**>(place) = *value;
    else
        flag = 0;
}

void delete_comm_attribute(State& state, Comm& comm, int keyval) {
    const KeyvalRef key = settable(state, keyval).key;
    if (!comm.attributes.erase(comm.handle, *key))
        throw MpiError(ErrorClass::keyval, "the communicator has no attribute under this key");
}

}  // namespace railyard::mpi::abi

/// The ABI's name for the function that copies an attribute as it is. Programs refer to it.
extern "C" int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
    *static_cast<void**>(copy) = value;
    *flag = 1;
    return MPI_SUCCESS;
}
