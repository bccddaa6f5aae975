#include "mpi/abi/completion.hpp"

namespace railyard::mpi::abi {

void throw_in_status() {
    throw MpiError(ErrorClass::in_status, "a request failed; the error is in its status");
}

Choice any_complete(State& state, std::size_t count, const MPI_Request* requests) {
    Choice choice;
    for (std::size_t i = 0; i < count; ++i) {
        const Found found(state, requests[i], "array_of_requests");
        if (!found.is_active()) continue;
        choice.active = true;
        if (found.is_complete()) {
            choice.place = i;
            break;
        }
    }
    return choice;
}

void finish_chosen(State& state, const Choice& choice, MPI_Request* requests, int& index,
                   MPI_Status* status) {
    index = MPI_UNDEFINED;
    if (!choice.place) return set_status(status, empty_status);
    index = static_cast<int>(*choice.place);
    MPI_Request& request = requests[*choice.place];
    const Found found(state, request, "array_of_requests");
    const std::uint32_t context = found.engine() == nullptr ? 0 : found.engine()->envelope.context;
    const ErrorClass error = finish(state, found, request, status);
    if (error != ErrorClass::success) throw_failure(state, context, error);
}

void finish_some(State& state, std::size_t count, MPI_Request* requests, int& outcount,
                 int* indices, MPI_Status* statuses) {
    bool failed = false;
    bool active = false;
    int finished = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Found found(state, requests[i], "array_of_requests");
        if (!found.is_active()) continue;
        active = true;
        if (!found.is_complete()) continue;
        indices[finished] = static_cast<int>(i);
        failed |= finish_one_of_many(state, found, requests[i], statuses,
                                     static_cast<std::size_t>(finished));
        ++finished;
    }
    outcount = active ? finished : MPI_UNDEFINED;
    if (failed) throw_in_status();
}

}  // namespace railyard::mpi::abi
