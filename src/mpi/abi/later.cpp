// Functions that the library does not have yet (later.txt): each says so, to whom it may concern.

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

/// Errors of files are returned: MPI_FILE_NULL, the only file there is, has MPI_ERRORS_RETURN.
int absent_files(const char* function, int code, const char* sentence) {
    State* const state = State::here();
    if (state == nullptr) return not_initialised(function);
    const EngineLockGuard guard(state->process().lock().get());
    state->user_errors().remember(code, std::string(function) + ": " + sentence);
    return code;
}

/// The communicator's error handler hears of it.
int absent_processes(const char* function, int code, const char* sentence,
                     MPI_Comm comm = MPI_COMM_WORLD) {
    State* const state = State::here();
    if (state == nullptr) return not_initialised(function);
    const EngineLockGuard guard(state->process().lock().get());
    Comm* on = nullptr;
    try {
        on = &state->comm(comm, "comm");
        throw CodedError(code, sentence);
    } catch (...) {
        return failed(state, on, function);
    }
}

/// Tools hear of errors by what their calls return, before MPI_Init too.
int absent_tools(const char*, int code, const char*) {
    return code;
}

}  // namespace

#include <entries/later.inc>

}  // namespace railyard::mpi::abi
