// Attributes of communicators, datatypes and windows.

#include "mpi/abi/entry.hpp"
#include "mpi/communicators/comm.hpp"

namespace railyard::mpi::abi {

namespace {

void check_code(int code, const char* which) {
    if (code != MPI_SUCCESS)
        throw CodedError(code, std::string("the attribute's ") + which + " function returned " +
                                   std::to_string(code));
}

/// Attributes that MPI itself sets on communicators.
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

using Of = KeyvalEntry::Of;
/// The user's functions are the same for all of them: handles are ints.
using CopyFunction = int(int, int, void*, void*, void*, int*);
using DeleteFunction = int(int, int, void*, void*);

int create_keyval(State& state, Of of, CopyFunction* copy, DeleteFunction* erase,
                  void* extra_state) {
    auto key = std::make_shared<Keyval>();
    const int handle = state.keyvals.add(std::make_unique<KeyvalEntry>(KeyvalEntry{key, of}));
    key->handle = handle;
    const std::shared_ptr<EngineLock> lock = state.process().lock();
    if (copy != nullptr)
        key->copy = [copy, handle, extra_state, lock](int object, void* value) {
            const EngineLockOpening opening(lock.get());
            void* copied = nullptr;
            int flag = 0;
            check_code(copy(object, handle, extra_state, value, &copied, &flag), "copy");
            return flag != 0 ? std::optional<void*>(copied) : std::nullopt;
        };
    if (erase != nullptr)
        key->erase = [erase, handle, extra_state, lock](int object, void* value) {
            const EngineLockOpening opening(lock.get());
            check_code(erase(object, handle, value, extra_state), "delete");
        };
    return handle;
}

void free_keyval(State& state, Of of, int& keyval) {
    state.keyval(keyval, of, "keyval");
    state.bury(state.keyvals.remove(keyval));
    keyval = MPI_KEYVAL_INVALID;
}

void comm_create_keyval(State& state, MPI_Comm_copy_attr_function* copy,
                        MPI_Comm_delete_attr_function* erase, int& keyval, void* extra_state) {
    keyval = create_keyval(state, Of::comm, copy, erase, extra_state);
}

void comm_free_keyval(State& state, int& keyval) {
    free_keyval(state, Of::comm, keyval);
}

void comm_set_attr(State& state, Comm& comm, int keyval, void* value) {
    comm.attributes.set(comm.handle, settable(state, keyval).key, value);
}

void comm_get_attr(State& state, Comm& comm, int keyval, void* place, int& flag) {
    if (place == nullptr) null_argument("attribute_val");
    flag = 1;
    if (const int* builtin = builtin_attribute(state, keyval)) {
        *static_cast<const int**>(place) = builtin;
        return;
    }
    const KeyvalEntry& entry = state.keyval(keyval, Of::comm, "comm_keyval");
    if (const auto value = comm.attributes.get(*entry.key))
        *static_cast<void**>(place) = *value;
    else
        flag = 0;
}

void comm_delete_attr(State& state, Comm& comm, int keyval) {
    const KeyvalRef key = settable(state, keyval).key;
    if (!comm.attributes.erase(comm.handle, *key))
        throw MpiError(ErrorClass::keyval, "the communicator has no attribute under this key");
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

void win_create_keyval(State& state, MPI_Win_copy_attr_function* copy,
                       MPI_Win_delete_attr_function* erase, int& keyval, void* extra_state) {
    keyval = create_keyval(state, Of::window, copy, erase, extra_state);
}

void win_free_keyval(State& state, int& keyval) {
    free_keyval(state, Of::window, keyval);
}

bool is_builtin_of_windows(int keyval) {
    return keyval == MPI_WIN_BASE || keyval == MPI_WIN_SIZE || keyval == MPI_WIN_DISP_UNIT ||
           keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
}

KeyvalEntry& settable_on_windows(State& state, int keyval) {
    if (is_builtin_of_windows(keyval))
        throw MpiError(ErrorClass::keyval, "a predefined attribute cannot be changed");
    return state.keyval(keyval, Of::window, "win_keyval");
}

void win_set_attr(State& state, Window& win, int keyval, void* value) {
    win.attributes.set(win.handle, settable_on_windows(state, keyval).key, value);
}

/// Attributes that MPI itself sets on windows: the memory itself, or where a number is.
void* builtin_attribute_of(Window& win, int keyval) {
    static int unified = MPI_WIN_UNIFIED;
    Window::Properties& all = win.properties;
    switch (keyval) {
        case MPI_WIN_BASE:
            return all.base;
        case MPI_WIN_SIZE:
            return &all.size;
        case MPI_WIN_DISP_UNIT:
            return &all.unit;
        case MPI_WIN_CREATE_FLAVOR:
            return &all.flavor;
        default:
            return &unified;
    }
}

void win_get_attr(State& state, Window& win, int keyval, void* place, int& flag) {
    if (place == nullptr) null_argument("attribute_val");
    flag = 1;
    if (is_builtin_of_windows(keyval)) {
        *static_cast<void**>(place) = builtin_attribute_of(win, keyval);
        return;
    }
    const KeyvalEntry& entry = state.keyval(keyval, Of::window, "win_keyval");
    const auto value = win.attributes.get(*entry.key);
    flag = value.has_value();
    if (value) *static_cast<void**>(place) = *value;
}

void win_delete_attr(State& state, Window& win, int keyval) {
    const KeyvalRef key = settable_on_windows(state, keyval).key;
    if (!win.attributes.erase(win.handle, *key))
        throw MpiError(ErrorClass::keyval, "the window has no attribute under this key");
}

// As MPI-1 calls them.

void attr_put(State& state, Comm& comm, int keyval, void* value) {
    comm_set_attr(state, comm, keyval, value);
}

void attr_get(State& state, Comm& comm, int keyval, void* value, int& flag) {
    comm_get_attr(state, comm, keyval, value, flag);
}

void attr_delete(State& state, Comm& comm, int keyval) {
    comm_delete_attr(state, comm, keyval);
}

void keyval_create(State& state, MPI_Copy_function* copy, MPI_Delete_function* erase, int& keyval,
                   void* extra_state) {
    comm_create_keyval(state, copy, erase, keyval, extra_state);
}

void keyval_free(State& state, int& keyval) {
    comm_free_keyval(state, keyval);
}

}  // namespace

#include <entries/attributes.inc>
#include <entries/old_attributes.inc>
#include <entries/window_attributes.inc>

}  // namespace railyard::mpi::abi

/// The ABI's name for the function that copies an attribute as it is. Programs refer to it.
extern "C" int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
    *static_cast<void**>(copy) = value;
    *flag = 1;
    return MPI_SUCCESS;
}
