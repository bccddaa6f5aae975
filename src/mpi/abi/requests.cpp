#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

void bad_request(MPI_Request, const char* argument) {
    throw MpiError(ErrorClass::request,
                   std::string(argument) +
                       " is not the handle of a request; was it completed or freed before?");
}

/// Persistent requests, and those that the engine knows nothing of.
ErrorClass finish_seldom(const Found& found, MPI_Request& handle, MPI_Status* status) {
    set_status(status, found.status());
    if (Request* const engine = found.engine()) {
        const ErrorClass error = found.status().error;
        engine->active = false;
        return error;
    }
    if (LocalRequest* const local = found.local())
        local->active = false;
    else
        handle = MPI_REQUEST_NULL;
    return ErrorClass::success;
}

void throw_failure(State& state, std::uint32_t context, ErrorClass error) {
    throw CodedError(code_of(error),
                     error == ErrorClass::truncate
                         ? "the message is longer than the buffer of its receive"
                         : "the request failed",
                     state.comm_of(context));
}

}  // namespace railyard::mpi::abi
