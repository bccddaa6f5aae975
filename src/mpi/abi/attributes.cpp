// Attributes of communicators, datatypes and windows.

#include "mpi/abi/attributes.hpp"

#include "mpi/abi/entry.hpp"
#include "mpi/communicators/comm.hpp"

/// The ABI's name for the function that copies an attribute as it is. Programs refer to it.
extern "C" int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
    *static_cast<void**>(copy) = value;
    *flag = 1;
    return MPI_SUCCESS;
}

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
using Kind = AttributeValue::Kind;

std::optional<AttributeValue> copied(const KeyFunctions& functions, int object, int keyval,
                                     const AttributeValue& value) {
    void* copy = nullptr;
    int flag = 0;
    if (functions.copy_proxy != nullptr) {
        check_code(functions.copy_proxy(functions.copy, object, keyval, functions.extra_state,
                                        value.kind, value.bits, &copy, &flag),
                   "copy");
        return flag != 0 ? std::optional(AttributeValue{copy, value.kind}) : std::nullopt;
    }
    // A copy of an integer is one, and not the address of the first.
    if (functions.copy == MPIR_Dup_fn) return value;
    check_code(functions.copy(object, keyval, functions.extra_state, value.for_c(), &copy, &flag),
               "copy");
    return flag != 0 ? std::optional(AttributeValue{copy}) : std::nullopt;
}

void erased(const KeyFunctions& functions, int object, int keyval, const AttributeValue& value) {
    check_code(functions.erase_proxy != nullptr
                   ? functions.erase_proxy(functions.erase, object, keyval, value.kind, value.bits,
                                           functions.extra_state)
                   : functions.erase(object, keyval, value.for_c(), functions.extra_state),
               "delete");
}

int create_keyval(State& state, Of of, KeyFunctions::Copy* copy, KeyFunctions::Erase* erase,
                  void* extra_state) {
    auto key = std::make_shared<Keyval>();
    auto functions = std::make_shared<KeyFunctions>(KeyFunctions{copy, erase, extra_state});
    const int handle =
        state.keyvals.add(std::make_unique<KeyvalEntry>(KeyvalEntry{key, of, functions}));
    key->handle = handle;
    const std::shared_ptr<EngineLock> lock = state.process().lock();
    if (copy != nullptr)
        key->copy = [functions, handle, lock](int object, const AttributeValue& value) {
            const EngineLockOpening opening(lock.get());
            return copied(*functions, object, handle, value);
        };
    if (erase != nullptr)
        key->erase = [functions, handle, lock](int object, const AttributeValue& value) {
            const EngineLockOpening opening(lock.get());
            erased(*functions, object, handle, value);
        };
    return handle;
}

/// Tells C of an attribute, if there is one.
void tell(const AttributeValue* value, void* place, int& flag) {
    flag = value != nullptr;
    if (value != nullptr) *static_cast<void**>(place) = value->for_c();
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
    comm.attributes.set(comm.handle, settable(state, keyval).key, {value});
}

void comm_get_attr(State& state, Comm& comm, int keyval, void* place, int& flag) {
    if (place == nullptr) null_argument("attribute_val");
    flag = 1;
    if (const int* builtin = builtin_attribute(state, keyval)) {
        *static_cast<const int**>(place) = builtin;
        return;
    }
    const KeyvalEntry& entry = state.keyval(keyval, Of::comm, "comm_keyval");
    tell(comm.attributes.get(*entry.key), place, flag);
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
    state.type_extras(datatype, "datatype").attributes.set(datatype, key, {value});
}

void type_get_attr(State& state, MPI_Datatype datatype, int keyval, void* place, int& flag) {
    if (place == nullptr) null_argument("attribute_val");
    const KeyvalEntry& entry = state.keyval(keyval, Of::datatype, "type_keyval");
    tell(state.type_extras(datatype, "datatype").attributes.get(*entry.key), place, flag);
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
    win.attributes.set(win.handle, settable_on_windows(state, keyval).key, {value});
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
    tell(win.attributes.get(*entry.key), place, flag);
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

// As Fortran's library calls them: attributes are integers. Its predefined keys are C's plus one.

static int c_key(int keyval) {
    const bool is_predefined =
        (keyval & 0xff000000) == 0x64000000 || (keyval & 0xff000000) == 0x66000000;
    return is_predefined && (keyval & 1) == 0 ? keyval - 1 : keyval;
}

void set_attribute(State& state, Of of, int object, int keyval, AttributeValue value) {
    switch (of) {
        case Of::comm:
            return state.comm(object, "comm")
                .attributes.set(object, settable(state, c_key(keyval)).key, value);
        case Of::window:
            return state.window(object, "win")
                .attributes.set(object, settable_on_windows(state, c_key(keyval)).key, value);
        case Of::datatype:
            return state.type_extras(object, "datatype")
                .attributes.set(object, state.keyval(keyval, of, "type_keyval").key, value);
    }
}

/// MPI's own attributes are where C's pointer points.
std::optional<std::intptr_t> attribute_value(State& state, Of of, int object, int fortran_keyval) {
    const int keyval = c_key(fortran_keyval);
    const Attributes* attributes = nullptr;
    if (of == Of::comm) {
        attributes = &state.comm(object, "comm").attributes;
        if (const int* builtin = builtin_attribute(state, keyval)) return *builtin;
    } else if (of == Of::window) {
        Window& win = state.window(object, "win");
        attributes = &win.attributes;
        if (is_builtin_of_windows(keyval)) {
            void* const place = builtin_attribute_of(win, keyval);
            if (keyval == MPI_WIN_BASE) return reinterpret_cast<std::intptr_t>(place);
            if (keyval == MPI_WIN_SIZE) return *static_cast<const MPI_Aint*>(place);
            return *static_cast<const int*>(place);
        }
    } else {
        attributes = &state.type_extras(object, "datatype").attributes;
    }
    const AttributeValue* const value = attributes->get(*state.keyval(keyval, of, "keyval").key);
    if (value == nullptr) return std::nullopt;
    return reinterpret_cast<std::intptr_t>(value->bits);
}

#include <entries/attributes.inc>
#include <entries/old_attributes.inc>
#include <entries/window_attributes.inc>

}  // namespace railyard::mpi::abi
