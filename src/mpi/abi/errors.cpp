// Errors on their way out, and error handlers.

#include "mpi/abi/errors.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "base/rank_local.hpp"
#include "launch/job/board.hpp"
#include "launch/job/rank.hpp"
#include "mpi/abi/entry.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi::abi {

namespace {

/// Before there is an error handler, or after.
[[noreturn]] void end_without_mpi(const std::string& what) {
    // A rank that is a thread or a fiber must not take the others with it: its job reports this.
    if (rank_local::here->rank != nullptr) {
        try {
            throw Error(what);
        } catch (...) {
            rank_local::pass_on();
        }
    }
    std::fprintf(stderr, "railyard: %s%s\n", what.c_str(),
                 rank_local::here->guest == nullptr
                     ? ""
                     : " by a thread that the program made: in virtual time only a rank's first "
                       "thread may call MPI; start the program with mpiexec");
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

/// Calls a handler of C++, whose library brings it. The ABI has its type, and the kinds of objects.
using HandlerProxy = void(int kind, int* object, int* code, void (*function)());
enum class Handled { comm = 0, win = 2, session = 3 };

struct UserHandler {
    void operator()(int object, int code) const {
        if (*proxy != nullptr)
            (*proxy)(static_cast<int>(handled), &object, &code,
                     reinterpret_cast<void (*)()>(function));
        else
            function(&object, &code, static_cast<void*>(nullptr));
    }

    Handled handled;
    void (*function)(int*, int*, ...);  ///< the same for all: handles are ints
    std::shared_ptr<HandlerProxy*> proxy = std::make_shared<HandlerProxy*>(nullptr);  ///< null: C's
};

void create_errhandler(State& state, Handled handled, void (*function)(int*, int*, ...),
                       const char* argument, MPI_Errhandler& errhandler) {
    if (function == nullptr) null_argument(argument);
    ErrorHandler handler{ErrorHandler::Kind::user, 0, UserHandler{handled, function}};
    errhandler = state.error_handlers.add(std::make_unique<HandlerEntry>(
        HandlerEntry{std::make_shared<const ErrorHandler>(std::move(handler))}));
}

void comm_create_errhandler(State& state, MPI_Comm_errhandler_function* function,
                            MPI_Errhandler& errhandler) {
    create_errhandler(state, Handled::comm, function, "comm_errhandler_fn", errhandler);
}

void win_create_errhandler(State& state, MPI_Win_errhandler_function* function,
                           MPI_Errhandler& errhandler) {
    create_errhandler(state, Handled::win, function, "win_errhandler_fn", errhandler);
}

// A program may have its handler before its first session.
void session_create_errhandler(MPI_Session_errhandler_function* function,
                               MPI_Errhandler& errhandler) {
    create_errhandler(State::awake(), Handled::session, function, "session_errhandler_fn",
                      errhandler);
}

void comm_set_errhandler(State&, Comm& comm, const ErrorHandlerRef& handler) {
    comm.error_handler = handler;
}

void win_set_errhandler(State&, Window& win, const ErrorHandlerRef& handler) {
    win.error_handler = handler;
}

void session_set_errhandler(State&, Session& session, const ErrorHandlerRef& handler) {
    session.error_handler = handler;
}

/// A handle of the object's handler, for the user to free.
void get_errhandler(State& state, const ErrorScope& object, MPI_Errhandler& errhandler) {
    const ErrorHandlerRef& handler = object.error_handler;
    errhandler = handler->handle;
    if (handler->kind != ErrorHandler::Kind::user) return;
    const bool known = state.error_handlers.any([&](int handle, HandlerEntry& entry) {
        if (entry.handler != handler) return false;
        errhandler = handle;
        ++entry.holders;
        return true;
    });
    // All its handles were freed, but it serves the object still.
    if (!known)
        errhandler =
            state.error_handlers.add(std::make_unique<HandlerEntry>(HandlerEntry{handler}));
}

void comm_get_errhandler(State& state, Comm& comm, MPI_Errhandler& errhandler) {
    get_errhandler(state, comm, errhandler);
}

void win_get_errhandler(State& state, Window& win, MPI_Errhandler& errhandler) {
    get_errhandler(state, win, errhandler);
}

void session_get_errhandler(State& state, Session& session, MPI_Errhandler& errhandler) {
    get_errhandler(state, session, errhandler);
}

void win_call_errhandler(State& state, Window& win, int errorcode) {
    handle_error(state, hearer_of(win), "MPI_Win_call_errhandler", errorcode,
                 "called by the program");
}

void session_call_errhandler(State& state, Session& session, int errorcode) {
    handle_error(state, hearer_of(session), "MPI_Session_call_errhandler", errorcode,
                 "called by the program");
}

void comm_call_errhandler(State& state, Comm& comm, int errorcode) {
    handle_error(state, hearer_of(comm), "MPI_Comm_call_errhandler", errorcode,
                 "called by the program");
}

void errhandler_free(State& state, MPI_Errhandler& errhandler) {
    state.error_handler(errhandler, "errhandler");
    if (HandlerEntry* entry = state.error_handlers.find(errhandler))
        if (--entry->holders == 0) state.bury(state.error_handlers.remove(errhandler));
    errhandler = MPI_ERRHANDLER_NULL;
}

// As MPI-1 calls them.

void errhandler_create(State& state, MPI_Comm_errhandler_function* function,
                       MPI_Errhandler& errhandler) {
    comm_create_errhandler(state, function, errhandler);
}

void errhandler_set(State& state, Comm& comm, const ErrorHandlerRef& handler) {
    comm_set_errhandler(state, comm, handler);
}

void errhandler_get(State& state, Comm& comm, MPI_Errhandler& errhandler) {
    comm_get_errhandler(state, comm, errhandler);
}

}  // namespace

Hearer hearer_of(const ErrorScope& scope) {
    return {scope.error_handler, scope.handle,
            scope.name.empty() ? std::string("a ") + scope.what + " without a name" : scope.name};
}

int handle_error(State& state, const Hearer& hearer, const char* function, int code,
                 const std::string& what) {
    switch (hearer.handler->kind) {
        case ErrorHandler::Kind::fatal:
        case ErrorHandler::Kind::abort:
            end_the_job(state,
                        std::string(function) + " on " + hearer.name + ": " +
                            state.user_errors().text(code) + (what.empty() ? "" : ": ") + what,
                        code);
        case ErrorHandler::Kind::returns:
            break;
        case ErrorHandler::Kind::user: {
            // The handler may free the object and itself: what is called here is the hearer's.
            const EngineLockOpening opening(state.process().lock().get());
            hearer.handler->call(hearer.handle, code);
            break;
        }
    }
    return code;
}

namespace {

/// The code, if the program's handler lets it go on; throws what ends the rank.
int handle_failure(State* state, ErrorScope* on, const char* function) {
    std::optional<Hearer> hearer;
    if (on != nullptr) hearer = hearer_of(*on);
    int code = MPI_ERR_OTHER;
    std::string what;
    bool may_be_a_consequence = false;
    try {
        throw;
    } catch (const CodedError& error) {
        code = error.code();
        what = error.what();
        if (error.hearer()) hearer = error.hearer();
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
    return handle_error(*state, hearer ? *hearer : hearer_of(state->world()), function, code, what);
}

}  // namespace

int failed(State* state, ErrorScope* on, const char* function) {
    try {
        return handle_failure(state, on, function);
    } catch (...) {
        rank_local::pass_on();
    }
}

int not_initialised(const char* function) {
    end_without_mpi(std::string(function) + (State::was_finalised()
                                                 ? " was called after MPI_Finalize"
                                                 : " was called before MPI_Init"));
}

#include <entries/errors.inc>
#include <entries/old_errors.inc>
#include <entries/window_errors.inc>

/// MPICH's name, for the library of C++: of a handler that was just made.
extern "C" void MPII_Errhandler_set_cxx(MPI_Errhandler errhandler, void (*proxy)()) {
    State* const state = State::here();
    const HandlerEntry* const entry =
        state == nullptr ? nullptr : state->error_handlers.find(errhandler);
    const auto* const function =
        entry == nullptr ? nullptr : entry->handler->call.target<UserHandler>();
    if (function != nullptr) *function->proxy = reinterpret_cast<HandlerProxy*>(proxy);
}

}  // namespace railyard::mpi::abi
