#pragma once
/// What the calls that complete some of many requests have in common.

#include <optional>

#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

/// Finishes number `i`. True if it failed; its status says how.
inline bool finish_one_of_many(State& state, const Found& found, MPI_Request& request,
                               MPI_Status* statuses, std::size_t i) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
    const ErrorClass error = finish(state, found, request, status);
    const bool failed = error != ErrorClass::success;
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = failed ? code_of(error) : MPI_SUCCESS;
    return failed;
}

[[noreturn, gnu::cold]] void throw_in_status();

/// The first request that is complete.
struct Choice {
    bool active = false;  ///< there is a request that can become complete, or is
    std::optional<std::size_t> place;
};
Choice any_complete(State& state, std::size_t count, const MPI_Request* requests);

/// Finishes the chosen one, if there is one.
void finish_chosen(State& state, const Choice& choice, MPI_Request* requests, int& index,
                   MPI_Status* status);

/// Finishes all that are complete. `outcount` is MPI_UNDEFINED if none is active.
void finish_some(State& state, std::size_t count, MPI_Request* requests, int& outcount,
                 int* indices, MPI_Status* statuses);

}  // namespace railyard::mpi::abi
