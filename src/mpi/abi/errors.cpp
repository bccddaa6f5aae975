// Error handlers, and errors in words.

#include "mpi/abi/errors.hpp"

#include "mpi/abi/handlers.hpp"

namespace railyard::mpi::abi {

namespace {

void comm_create_errhandler(State& state, MPI_Comm_errhandler_function* function,
                            MPI_Errhandler& errhandler) {
    errhandler = create_error_handler(state, function);
}

void comm_set_errhandler(State&, Comm& comm, const ErrorHandlerRef& handler) {
    comm.error_handler = handler;
}

void comm_get_errhandler(State& state, Comm& comm, MPI_Errhandler& errhandler) {
    errhandler = give_error_handler(state, comm);
}

void comm_call_errhandler(State& state, Comm& comm, int errorcode) {
    handle_error(state, comm, "MPI_Comm_call_errhandler", errorcode, "called by the program");
}

void errhandler_free(State& state, MPI_Errhandler& errhandler) {
    state.error_handler(errhandler, "errhandler");
    if (state.error_handlers.find(errhandler) != nullptr) state.error_handlers.remove(errhandler);
    errhandler = MPI_ERRHANDLER_NULL;
}

void error_class(int errorcode, int& errorclass) {
    State* const state = State::here();
    errorclass = state == nullptr ? errorcode : state->user_errors().class_of(errorcode);
}

void error_string(State& state, int errorcode, char* string, int& resultlen) {
    give_text(state.user_errors().explanation(errorcode), string, MPI_MAX_ERROR_STRING, resultlen);
}

void add_error_class(State& state, int& errorclass) {
    errorclass = state.user_errors().add_class();
}

void add_error_code(State& state, int errorclass, int& errorcode) {
    errorcode = state.user_errors().add_code(errorclass);
}

void add_error_string(State& state, int errorcode, const char* string) {
    if (string == nullptr) null_argument("string");
    if (!state.user_errors().set_text(errorcode, string))
        throw MpiError(ErrorClass::arg, "errorcode is " + std::to_string(errorcode) +
                                            ", which neither MPI_Add_error_class nor "
                                            "MPI_Add_error_code has made");
}

}  // namespace

#include <entries/errors.inc>

}  // namespace railyard::mpi::abi
