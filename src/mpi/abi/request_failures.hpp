#pragma once
/// What is said of requests that failed, or that are none.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "mpi/abi/state.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

[[noreturn, gnu::cold]] void bad_request(MPI_Request handle, const char* argument);

/// What a collective says whose ranks do not agree: so many bytes came, and so many were expected;
/// both the same where that is not known.
std::string lengths_differ(std::uint64_t came, std::uint64_t expected);

/// `engine`: the engine's request, which may have been given back, but not taken again; null: it
/// was none.
std::string failure_of(const Request* engine, ErrorClass error);

/// Throws it, on the communicator that the request was for.
[[noreturn, gnu::cold]] void throw_failure(State& state, std::uint32_t context,
                                           const Request* engine, ErrorClass error);

/// Of many requests, those that failed: each one's status says how, and this which was the first.
struct Failures {
    std::size_t count = 0;
    std::size_t first = 0;
    std::string why;

    [[gnu::cold]] void add(std::size_t place, std::string what) {
        if (count++ > 0) return;
        first = place;
        why = std::move(what);
    }
    void throw_if_any() const {
        if (count == 0) [[likely]]
            return;
        throw MpiError(ErrorClass::in_status,
                       std::to_string(count) + (count == 1 ? " request" : " requests") +
                           " failed, number " + std::to_string(first) + " first: " + why +
                           " (each one's error is in its status)");
    }
};

}  // namespace railyard::mpi::abi
