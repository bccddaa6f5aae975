#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/rank_local.hpp"
#include "launch/job/board.hpp"
#include "launch/job/rank.hpp"
#include "mpi/abi/errors.hpp"
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

/// A rank that ends takes its connections with it. Those who notice wait a little, so that the
/// job's last words are those of the rank that failed.
void let_others_speak_first(State& state) {
    fabric::Host& host = state.process().host();
    host.wait_until([] { return false; }, host.now() + Duration::ms(200), fabric::Wait::sleep);
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
    if (may_be_a_consequence) let_others_speak_first(*state);
    state->user_errors().remember(code, std::string(function) + ": " + what);
    return handle_error(*state, on == nullptr ? state->world() : *on, function, code, what);
}

int not_initialised(const char* function) {
    end_without_mpi(std::string(function) + (State::was_finalised()
                                                 ? " was called after MPI_Finalize"
                                                 : " was called before MPI_Init"));
}

}  // namespace railyard::mpi::abi
