#pragma once
/// Errors on their way out: the numbers of the ABI, and what the entry points do with a failure.

#include <string>

#include "mpi/abi/error_codes.hpp"
#include "mpi/communicators/comm.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

class State;

/// A failure whose code is the user's own, or whose communicator the entry point cannot know.
class CodedError : public MpiError {
  public:
    CodedError(int code, const std::string& what, Comm* on = nullptr)
        : MpiError(ErrorClass::other, what), code_(code), on_(on) {}
    int code() const { return code_; }
    Comm* on() const { return on_; }

  private:
    int code_;
    Comm* on_;
};

/// Ends a call that failed: takes the exception under way to the error handler of `on`, or of
/// MPI_COMM_WORLD, and returns what the call returns. What is no error of ours goes on its way.
[[gnu::cold]] int failed(State* state, Comm* on, const char* function);

/// A call outside of the time between MPI_Init and MPI_Finalize.
[[gnu::cold]] int not_initialised(const char* function);

/// Hands a code to the handler of a communicator, as MPI_Comm_call_errhandler does.
int handle_error(State& state, Comm& on, const char* function, int code, const std::string& what);

}  // namespace railyard::mpi::abi
