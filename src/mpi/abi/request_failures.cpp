#include "mpi/abi/request_failures.hpp"

#include <string>

#include "mpi/abi/errors.hpp"

namespace railyard::mpi::abi {

void bad_request(MPI_Request, const char* argument) {
    throw MpiError(ErrorClass::request,
                   std::string(argument) +
                       " is not the handle of a request; was it completed or freed before?");
}

std::string lengths_differ(std::uint64_t came, std::uint64_t expected) {
    std::string text = "the ranks disagree on how much data a collective moves";
    if (came != expected)
        text += ": " + std::to_string(came) + " bytes came where " + std::to_string(expected) +
                " were expected";
    return text + "; all must give matching counts and types";
}

std::string failure_of(const Request* engine, ErrorClass error) {
    if (error != ErrorClass::truncate) return "the request failed";
    if (engine == nullptr) return "the message is longer than the buffer of its receive";
    if (engine->kind == Request::Kind::collective)
        return lengths_differ(engine->longer, engine->bytes);
    return too_long(*engine);
}

void throw_failure(State& state, std::uint32_t context, const Request* engine, ErrorClass error) {
    // Contexts come in pairs: one is for collectives.
    throw CodedError(code_of(error), failure_of(engine, error),
                     state.comm_of(context & ~std::uint32_t{1}));
}

}  // namespace railyard::mpi::abi
