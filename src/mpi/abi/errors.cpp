// Errors on their way out, error handlers, and errors in words.

#include "mpi/abi/errors.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/rank_local.hpp"
#include "launch/job/board.hpp"
#include "launch/job/rank.hpp"
#include "mpi/abi/deprecated.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi::abi {

namespace {

/// Before there is an error handler, or after.
[[noreturn]] void end_without_mpi(const std::string& what) {
    // A rank that is a thread or a fiber must not take the others with it: its job reports this.
    if (rank_local::here->rank != nullptr) throw Error(what);
    std::fprintf(stderr, "railyard: %s\n", what.c_str());
    std::fflush(stderr);
    std::_Exit(1);
}

[[noreturn]] void end_the_job(State& state, const std::string& what, int code) {
    state.process().rank().abort(code, what);
    __builtin_unreachable();  // the compiler does not believe it of a virtual function
}

/// The connections of a rank that fails break. Its peers wait a little before they report that, so
/// that the job ends with the message of the rank that failed.
void delay_report(State& state) {
    fabric::Host& host = state.process().host();
    host.wait_until([] { return false; }, host.now() + Duration::ms(200), fabric::Wait::sleep);
}

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
    copy_text(state.user_errors().explanation(errorcode), string, MPI_MAX_ERROR_STRING, resultlen);
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

int handle_error(State& state, Comm& on, const char* function, int code, const std::string& what) {
    const ErrorHandlerRef handler = on.error_handler;
    switch (handler->kind) {
        case ErrorHandler::Kind::fatal:
        case ErrorHandler::Kind::abort: {
            const std::string name = on.name.empty() ? "a communicator without a name" : on.name;
            end_the_job(state,
                        std::string(function) + " on " + name + ": " +
                            state.user_errors().text(code) + (what.empty() ? "" : ": ") + what,
                        code);
        }
        case ErrorHandler::Kind::returns:
            break;
        case ErrorHandler::Kind::user:
            handler->call(on.handle, code);
            break;
    }
    return code;
}

int failed(State* state, Comm* on, const char* function) {
    int code = MPI_ERR_OTHER;
    std::string what;
    bool may_be_a_consequence = false;
    try {
        throw;
    } catch (const CodedError& error) {
        code = error.code();
        what = error.what();
        if (error.on() != nullptr) on = error.on();
    } catch (const MpiError& error) {
        code = code_of(error.error_class());
        what = error.what();
        may_be_a_consequence = dynamic_cast<const PeerLost*>(&error) != nullptr;
    } catch (const job::AbortCalled&) {
        throw;
    } catch (const job::Aborted&) {
        throw;
    } catch (const Error& error) {
        what = error.what();
        may_be_a_consequence = true;
    } catch (const std::bad_alloc&) {
        code = MPI_ERR_NO_MEM;
        what = "out of memory";
    }
    if (state == nullptr) state = State::here();
    if (state == nullptr) end_without_mpi(std::string(function) + ": " + what);
    if (may_be_a_consequence) delay_report(*state);
    state->user_errors().remember(code, std::string(function) + ": " + what);
    return handle_error(*state, on == nullptr ? state->world() : *on, function, code, what);
}

int not_initialised(const char* function) {
    end_without_mpi(std::string(function) + (State::was_finalised()
                                                 ? " was called after MPI_Finalize"
                                                 : " was called before MPI_Init"));
}

MPI_Errhandler create_error_handler(State& state, MPI_Comm_errhandler_function* function) {
    if (function == nullptr) null_argument("comm_errhandler_fn");
    ErrorHandler handler{ErrorHandler::Kind::user, 0, [function](int comm, int code) {
                             function(&comm, &code, static_cast<void*>(nullptr));
                         }};
    return state.error_handlers.add(std::make_unique<ErrorHandlerRef>(
        std::make_shared<const ErrorHandler>(std::move(handler))));
}

MPI_Errhandler give_error_handler(State& state, const Comm& comm) {
    const ErrorHandlerRef& handler = comm.error_handler;
    // Handles of the user's own are freed one by one, so each call gives a new one.
    if (handler->kind == ErrorHandler::Kind::user)
        return state.error_handlers.add(std::make_unique<ErrorHandlerRef>(handler));
    return handler->handle;
}

#include <entries/errors.inc>

}  // namespace railyard::mpi::abi
