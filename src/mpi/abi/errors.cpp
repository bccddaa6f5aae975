// Errors on their way out, error handlers, and errors in words.

#include "mpi/abi/errors.hpp"

#include <mpi.h>

#include <array>
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

/// Of communicators and of sessions: handles are ints.
void create_errhandler(State& state, void (*function)(int*, int*, ...), const char* argument,
                       MPI_Errhandler& errhandler) {
    if (function == nullptr) null_argument(argument);
    ErrorHandler handler{ErrorHandler::Kind::user, 0, [function](int object, int code) {
                             function(&object, &code, static_cast<void*>(nullptr));
                         }};
    errhandler = state.error_handlers.add(std::make_unique<HandlerEntry>(
        HandlerEntry{std::make_shared<const ErrorHandler>(std::move(handler))}));
}

void comm_create_errhandler(State& state, MPI_Comm_errhandler_function* function,
                            MPI_Errhandler& errhandler) {
    create_errhandler(state, function, "comm_errhandler_fn", errhandler);
}

void win_create_errhandler(State& state, MPI_Win_errhandler_function* function,
                           MPI_Errhandler& errhandler) {
    create_errhandler(state, function, "win_errhandler_fn", errhandler);
}

// A program may have its handler before its first session.
void session_create_errhandler(MPI_Session_errhandler_function* function,
                               MPI_Errhandler& errhandler) {
    create_errhandler(State::awake(), function, "session_errhandler_fn", errhandler);
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

void error_class(int errorcode, int& errorclass) {
    State* const state = State::here();
    const EngineLockGuard guard(state == nullptr ? nullptr : state->process().lock().get());
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

struct Meaning {
    ErrorClass error_class;
    int code;
    std::string_view text;
};

/// In the order of ErrorClass.
constexpr Meaning classes[] = {
    {ErrorClass::success, MPI_SUCCESS, "no error"},
    {ErrorClass::buffer, MPI_ERR_BUFFER, "invalid buffer"},
    {ErrorClass::count, MPI_ERR_COUNT, "invalid count"},
    {ErrorClass::type, MPI_ERR_TYPE, "invalid datatype"},
    {ErrorClass::tag, MPI_ERR_TAG, "invalid tag"},
    {ErrorClass::comm, MPI_ERR_COMM, "invalid communicator"},
    {ErrorClass::rank, MPI_ERR_RANK, "invalid rank"},
    {ErrorClass::root, MPI_ERR_ROOT, "invalid root"},
    {ErrorClass::group, MPI_ERR_GROUP, "invalid group"},
    {ErrorClass::op, MPI_ERR_OP, "invalid operation"},
    {ErrorClass::topology, MPI_ERR_TOPOLOGY, "invalid topology"},
    {ErrorClass::dims, MPI_ERR_DIMS, "invalid dimensions"},
    {ErrorClass::arg, MPI_ERR_ARG, "invalid argument"},
    {ErrorClass::unknown, MPI_ERR_UNKNOWN, "unknown error"},
    {ErrorClass::truncate, MPI_ERR_TRUNCATE, "message truncated"},
    {ErrorClass::other, MPI_ERR_OTHER, "other error"},
    {ErrorClass::intern, MPI_ERR_INTERN, "internal error"},
    {ErrorClass::in_status, MPI_ERR_IN_STATUS, "the error is in the status"},
    {ErrorClass::pending, MPI_ERR_PENDING, "still pending"},
    {ErrorClass::request, MPI_ERR_REQUEST, "invalid request"},
    {ErrorClass::keyval, MPI_ERR_KEYVAL, "invalid attribute key"},
    {ErrorClass::no_mem, MPI_ERR_NO_MEM, "out of memory"},
    {ErrorClass::info_key, MPI_ERR_INFO_KEY, "invalid info key"},
    {ErrorClass::info_value, MPI_ERR_INFO_VALUE, "invalid info value"},
    {ErrorClass::info_no_key, MPI_ERR_INFO_NOKEY, "no such info key"},
    {ErrorClass::unsupported, MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation"},
    {ErrorClass::win, MPI_ERR_WIN, "invalid window"},
    {ErrorClass::file, MPI_ERR_FILE, "invalid file"},
    {ErrorClass::size, MPI_ERR_SIZE, "invalid size"},
    {ErrorClass::disp, MPI_ERR_DISP, "invalid displacement"},
    {ErrorClass::lock_type, MPI_ERR_LOCKTYPE, "invalid lock type"},
    {ErrorClass::assert, MPI_ERR_ASSERT, "invalid assertion"},
    {ErrorClass::rma_conflict, MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"},
    {ErrorClass::rma_sync, MPI_ERR_RMA_SYNC, "wrong synchronisation of a window"},
    {ErrorClass::rma_range, MPI_ERR_RMA_RANGE, "target memory is not in the window"},
    {ErrorClass::rma_attach, MPI_ERR_RMA_ATTACH, "memory cannot be attached"},
    {ErrorClass::rma_shared, MPI_ERR_RMA_SHARED, "memory cannot be shared"},
    {ErrorClass::rma_flavor, MPI_ERR_RMA_FLAVOR, "wrong flavor of window"},
    {ErrorClass::spawn, MPI_ERR_SPAWN, "cannot spawn"},
    {ErrorClass::port, MPI_ERR_PORT, "invalid port"},
    {ErrorClass::service, MPI_ERR_SERVICE, "invalid service"},
    {ErrorClass::name, MPI_ERR_NAME, "invalid name"},
    {ErrorClass::io, MPI_ERR_IO, "input or output failed"},
    {ErrorClass::session, MPI_ERR_SESSION, "invalid session"},
    {ErrorClass::proc_aborted, MPI_ERR_PROC_ABORTED, "a peer has ended"},
    {ErrorClass::conversion, MPI_ERR_CONVERSION, "conversion failed"},
    {ErrorClass::unsupported_datarep, MPI_ERR_UNSUPPORTED_DATAREP,
     "unsupported data representation"},
};

static_assert(
    [] {
        std::size_t place = 0;
        for (const Meaning& meaning : classes)
            if (static_cast<std::size_t>(meaning.error_class) != place++) return false;
        return true;
    }(),
    "the table is in the order of ErrorClass");

/// Classes of the ABI that nothing here raises.
constexpr std::pair<int, std::string_view> others[] = {
    {MPI_ERR_ACCESS, "access denied"},
    {MPI_ERR_AMODE, "invalid access mode"},
    {MPI_ERR_BAD_FILE, "invalid file name"},
    {MPI_ERR_DUP_DATAREP, "data representation exists already"},
    {MPI_ERR_FILE_EXISTS, "file exists"},
    {MPI_ERR_FILE_IN_USE, "file in use"},
    {MPI_ERR_INFO, "invalid info object"},
    {MPI_ERR_NOT_SAME, "arguments differ between ranks"},
    {MPI_ERR_NO_SPACE, "no space left"},
    {MPI_ERR_NO_SUCH_FILE, "no such file"},
    {MPI_ERR_QUOTA, "quota exceeded"},
    {MPI_ERR_READ_ONLY, "read-only"},
    {MPI_ERR_BASE, "invalid base"},
    {MPI_ERR_VALUE_TOO_LARGE, "value too large"},
    {MPI_T_ERR_CANNOT_INIT, "this library has no tools interface yet"},
    {MPI_T_ERR_NOT_INITIALIZED, "the tools interface was not initialised"},
};

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

int failed(State* state, ErrorScope* on, const char* function) {
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

int not_initialised(const char* function) {
    end_without_mpi(std::string(function) + (State::was_finalised()
                                                 ? " was called after MPI_Finalize"
                                                 : " was called before MPI_Init"));
}

#include <entries/errors.inc>
#include <entries/old_errors.inc>
#include <entries/window_errors.inc>

int code_of(ErrorClass error_class) {
    return classes[static_cast<std::size_t>(error_class)].code;
}

std::string_view meaning_of(int error_class) {
    for (const Meaning& meaning : classes)
        if (meaning.code == error_class) return meaning.text;
    for (const auto& [code, text] : others)
        if (code == error_class) return text;
    return {};
}

const UserErrors::Entry* UserErrors::find(int code) const {
    const long index = static_cast<long>(code) - first;
    if (index < 0 || index >= static_cast<long>(added_.size())) return nullptr;
    return &added_[static_cast<std::size_t>(index)];
}

int UserErrors::add_class() {
    last_used_ = first + static_cast<int>(added_.size());
    added_.push_back({last_used_, {}});
    return last_used_;
}

int UserErrors::add_code(int error_class) {
    last_used_ = first + static_cast<int>(added_.size());
    added_.push_back({error_class, {}});
    return last_used_;
}

bool UserErrors::set_text(int code, std::string text) {
    if (find(code) == nullptr) return false;
    added_[static_cast<std::size_t>(code - first)].text = std::move(text);
    return true;
}

int UserErrors::class_of(int code) const {
    const Entry* entry = find(code);
    return entry != nullptr ? entry->error_class : code;
}

std::string UserErrors::text(int code) const {
    if (const Entry* entry = find(code)) return entry->text;
    const std::string_view meaning = meaning_of(code);
    return meaning.empty() ? "error code " + std::to_string(code) : std::string(meaning);
}

std::string UserErrors::explanation(int code) const {
    const auto cause = causes_.find(code);
    if (cause == causes_.end() || find(code) != nullptr) return text(code);
    return text(code) + " (" + cause->second + ")";
}

}  // namespace railyard::mpi::abi
