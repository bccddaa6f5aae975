// Attributes for the library of Fortran: what MPICH's asks of the one for C, under MPICH's names.

#include "mpi/abi/attributes.hpp"
#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

using Of = KeyvalEntry::Of;

/// Calls work(state). If it fails, the error handler of scope(state) hears of it.
template <class Scope, class Work>
int called_as(Function function, Scope&& scope, Work&& work) {
    State* const state = State::here();
    const char* const called = name(function).data();
    if (state == nullptr) return not_initialised(called);
    const Call call(state->around, function);
    decltype(scope(*state)) on = nullptr;
    try {
        on = scope(*state);
        work(*state);
        return MPI_SUCCESS;
    } catch (...) {
        return failed(state, on, called);
    }
}

template <class Scope>
int set(Function function, Of of, Scope&& scope, int object, int keyval, void* value, int kind) {
    return called_as(function, scope, [&](State& state) {
        set_attribute(state, of, object, keyval, {value, static_cast<AttributeValue::Kind>(kind)});
    });
}

template <class Scope>
int get(Function function, Of of, Scope&& scope, int object, int keyval, void* place, int* flag) {
    return called_as(function, scope, [&](State& state) {
        const auto value = attribute_value(state, of, object, keyval);
        *flag = value.has_value();
        if (value) *static_cast<std::intptr_t*>(place) = *value;
    });
}

auto comm_scope(MPI_Comm comm) {
    return [comm](State& state) { return &state.comm(comm, "comm"); };
}
auto window_scope(MPI_Win win) {
    return [win](State& state) { return &state.window(win, "win"); };
}
Comm* no_scope(State&) {
    return nullptr;
}

}  // namespace

// `kind` is which integer the program has: AttributeValue::Kind. What is got has 64 bits always.
extern "C" {

int MPII_Comm_set_attr(MPI_Comm comm, int keyval, void* value, int kind) {
    return set(Function::Comm_set_attr, Of::comm, comm_scope(comm), comm, keyval, value, kind);
}
int MPII_Comm_get_attr(MPI_Comm comm, int keyval, void* place, int* flag, int) {
    return get(Function::Comm_get_attr, Of::comm, comm_scope(comm), comm, keyval, place, flag);
}
int MPII_Win_set_attr(MPI_Win win, int keyval, void* value, int kind) {
    return set(Function::Win_set_attr, Of::window, window_scope(win), win, keyval, value, kind);
}
int MPII_Win_get_attr(MPI_Win win, int keyval, void* place, int* flag, int) {
    return get(Function::Win_get_attr, Of::window, window_scope(win), win, keyval, place, flag);
}
int MPII_Type_set_attr(MPI_Datatype type, int keyval, void* value, int kind) {
    return set(Function::Type_set_attr, Of::datatype, no_scope, type, keyval, value, kind);
}
int MPII_Type_get_attr(MPI_Datatype type, int keyval, void* place, int* flag, int) {
    return get(Function::Type_get_attr, Of::datatype, no_scope, type, keyval, place, flag);
}

/// Of a key that was just made.
void MPII_Keyval_set_proxy(int keyval, KeyFunctions::CopyProxy* copy,
                           KeyFunctions::EraseProxy* erase) {
    State* const state = State::here();
    const KeyvalEntry* const entry = state == nullptr ? nullptr : state->keyvals.find(keyval);
    if (entry == nullptr) return;
    entry->functions->copy_proxy = copy;
    entry->functions->erase_proxy = erase;
}

}  // extern "C"

}  // namespace railyard::mpi::abi
