// Waiting for requests and asking for them: for one, all, any, or some of many.

#include "mpi/abi/completion.hpp"

#include <algorithm>

namespace railyard::mpi::abi {

namespace {

void wait(State& state, MPI_Request& request, MPI_Status* status) {
    const Found found(state, request, "request");
    std::uint32_t context = 0;
    if (Request* const engine = found.engine()) [[likely]] {
        context = engine->envelope.context;
        state.process().wait(*engine);
    }
    const ErrorClass error = finish(state, found, request, status);
    if (error != ErrorClass::success) [[unlikely]]
        throw_failure(state, context, error);
}

void waitall(State& state, std::size_t count, MPI_Request requests[], MPI_Status statuses[]) {
    bool failed = false;
    for (std::size_t i = 0; i < count; ++i) {
        const Found found(state, requests[i], "array_of_requests");
        if (Request* const engine = found.engine()) [[likely]]
            state.process().wait(*engine);
        failed |= finish_one_of_many(state, found, requests[i], statuses, i);
    }
    if (failed) [[unlikely]]
        throw_in_status();
}

void waitany(State& state, std::size_t count, MPI_Request requests[], int& index,
             MPI_Status* status) {
    Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place)
        state.process().wait_until(
            [&] { return (choice = any_complete(state, count, requests)).place.has_value(); });
    finish_chosen(state, choice, requests, index, status);
}

void waitsome(State& state, std::size_t count, MPI_Request requests[], int& outcount, int indices[],
              MPI_Status statuses[]) {
    const Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place)
        state.process().wait_until(
            [&] { return any_complete(state, count, requests).place.has_value(); });
    finish_some(state, count, requests, outcount, indices, statuses);
}

void test(State& state, MPI_Request& request, int& flag, MPI_Status* status) {
    const Found found(state, request, "request");
    if (!found.is_complete()) {
        state.process().progress();
        if (!found.is_complete()) {
            flag = 0;
            return state.looked_in_vain();
        }
    }
    flag = 1;
    const std::uint32_t context = found.engine() == nullptr ? 0 : found.engine()->envelope.context;
    const ErrorClass error = finish(state, found, request, status);
    if (error != ErrorClass::success) [[unlikely]]
        throw_failure(state, context, error);
}

void testall(State& state, std::size_t count, MPI_Request requests[], int& flag,
             MPI_Status statuses[]) {
    const auto all_complete = [&] {
        return std::all_of(requests, requests + count, [&](MPI_Request request) {
            return Found(state, request, "array_of_requests").is_complete();
        });
    };
    flag = 0;
    if (!all_complete()) {
        state.process().progress();
        if (!all_complete()) return state.looked_in_vain();
    }
    flag = 1;
    waitall(state, count, requests, statuses);
}

void testany(State& state, std::size_t count, MPI_Request requests[], int& index, int& flag,
             MPI_Status* status) {
    Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place) {
        state.process().progress();
        choice = any_complete(state, count, requests);
    }
    flag = !choice.active || choice.place.has_value();
    if (flag != 0) return finish_chosen(state, choice, requests, index, status);
    index = MPI_UNDEFINED;
    state.looked_in_vain();
}

void testsome(State& state, std::size_t count, MPI_Request requests[], int& outcount, int indices[],
              MPI_Status statuses[]) {
    const Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place) state.process().progress();
    finish_some(state, count, requests, outcount, indices, statuses);
    if (outcount == 0) state.looked_in_vain();
}

void request_free(State& state, MPI_Request& request) {
    const Found found(state, request, "request");
    if (Request* const engine = found.engine()) {
        if (engine->is_complete() || !engine->is_active())
            state.process().release(*engine);
        else
            state.process().free_when_done(*engine);
    } else if (found.local() != nullptr) {
        state.local_requests.remove(request);
    } else if (request == MPI_REQUEST_NULL) {
        bad_request(request, "request");
    }
    request = MPI_REQUEST_NULL;
}

void request_get_status(State& state, MPI_Request request, int& flag, MPI_Status* status) {
    const Found found(state, request, "request");
    if (!found.is_complete()) state.process().progress();
    flag = found.is_complete();
    if (flag == 0) return state.looked_in_vain();
    set_status(status, found.status());
}

void cancel(State& state, MPI_Request& request) {
    const Found found(state, request, "request");
    if (request == MPI_REQUEST_NULL) bad_request(request, "request");
    // A send is never taken back: it completes as if nobody had asked.
    Request* const engine = found.engine();
    if (engine != nullptr && engine->kind == Request::Kind::receive && !engine->is_complete())
        state.process().cancel(*engine);
}

}  // namespace

#include <entries/completion.inc>

}  // namespace railyard::mpi::abi
