// Waiting for requests and asking for them: for one, all, any, or some of many.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/abi/request_failures.hpp"
#include "mpi/abi/requests.hpp"
#include "mpi/communicators/attached_buffer.hpp"

namespace railyard::mpi::abi {

namespace {

/// Finishes the request at `place` of the user's array, whose status is number `i`.
inline void finish_one_of_many(State& state, const Found& found, MPI_Request& request,
                               std::size_t place, MPI_Status* statuses, std::size_t i,
                               Failures& failures) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
    int code = MPI_SUCCESS;
    try {
        const ErrorClass error = finish(state, found, request, status);
        if (error != ErrorClass::success) [[unlikely]] {
            code = code_of(error);
            failures.add(place, failure_of(found.engine(), error));
        }
    } catch (const CodedError& error) {
        code = error.code();
        failures.add(place, error.what());
    }
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
}

/// The first request that is complete.
struct Choice {
    bool active = false;  ///< there is a request that can become complete, or is
    std::optional<std::size_t> place;
    Duration longest_sleep = Duration::forever();  ///< of a call that waits for one
};

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
        choice.longest_sleep = std::min(choice.longest_sleep, found.longest_sleep());
    }
    return choice;
}

/// Finishes the chosen one, if there is one.
void finish_chosen(State& state, const Choice& choice, MPI_Request* requests, int& index,
                   MPI_Status* status) {
    index = MPI_UNDEFINED;
    if (!choice.place) return set_status(status, empty_status);
    index = static_cast<int>(*choice.place);
    MPI_Request& request = requests[*choice.place];
    const Found found(state, request, "array_of_requests");
    const std::uint32_t context = found.context();
    const ErrorClass error = finish(state, found, request, status);
    if (error != ErrorClass::success) throw_failure(state, context, found.engine(), error);
}

/// Finishes all that are complete. `outcount` is MPI_UNDEFINED if none is active.
void finish_some(State& state, std::size_t count, MPI_Request* requests, int& outcount,
                 int* indices, MPI_Status* statuses) {
    Failures failures;
    bool active = false;
    int finished = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Found found(state, requests[i], "array_of_requests");
        if (!found.is_active()) continue;
        active = true;
        if (!found.is_complete()) continue;
        indices[finished] = static_cast<int>(i);
        finish_one_of_many(state, found, requests[i], i, statuses,
                           static_cast<std::size_t>(finished), failures);
        ++finished;
    }
    outcount = active ? finished : MPI_UNDEFINED;
    failures.throw_if_any();
}

void wait(State& state, MPI_Request& request, MPI_Status* status) {
    const Found found(state, request, "request");
    const std::uint32_t context = found.context();
    found.wait(state);
    const ErrorClass error = finish(state, found, request, status);
    if (error != ErrorClass::success) [[unlikely]]
        throw_failure(state, context, found.engine(), error);
}

/// Waits for all, of which the first that is not complete is of a sort. What waits for those of a
/// sort may block, and so comes last: all that needs the library's progress is complete by then.
[[gnu::cold]] void wait_for_sorts(State& state, std::span<const MPI_Request> requests) {
    std::vector<Deferred*> left;
    for (const MPI_Request request : requests) {
        const Found found(state, request, "array_of_requests");
        if (found.is_complete()) continue;
        if (found.deferred() == nullptr || found.deferred()->sort() == nullptr)
            found.wait(state);
        else
            left.push_back(found.deferred());
    }
    while (std::erase_if(left, [](Deferred* one) { return one->is_complete(); }), !left.empty()) {
        std::vector<Deferred*> members;
        for (Deferred* const one : left)
            if (one->sort() == left.front()->sort()) members.push_back(one);
        members.front()->wait_for(members);
        std::erase_if(left, [&](Deferred* one) { return one->sort() == members.front()->sort(); });
    }
}

void waitall(State& state, std::size_t count, MPI_Request requests[], MPI_Status statuses[]) {
    Failures failures;
    for (std::size_t i = 0; i < count; ++i) {
        const Found found(state, requests[i], "array_of_requests");
        if (found.engine() == nullptr && !found.is_complete() &&
            found.deferred()->sort() != nullptr) [[unlikely]]
            wait_for_sorts(state, std::span(requests + i, count - i));
        found.wait(state);
        finish_one_of_many(state, found, requests[i], i, statuses, i, failures);
    }
    failures.throw_if_any();
}

void waitany(State& state, std::size_t count, MPI_Request requests[], int& index,
             MPI_Status* status) {
    Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place)
        state.process().wait_until(
            [&] { return (choice = any_complete(state, count, requests)).place.has_value(); },
            Duration(choice.longest_sleep));
    finish_chosen(state, choice, requests, index, status);
}

void waitsome(State& state, std::size_t count, MPI_Request requests[], int& outcount, int indices[],
              MPI_Status statuses[]) {
    const Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place)
        state.process().wait_until(
            [&] { return any_complete(state, count, requests).place.has_value(); },
            choice.longest_sleep);
    finish_some(state, count, requests, outcount, indices, statuses);
}

void test(State& state, MPI_Request& request, int& flag, MPI_Status* status) {
    const Found found(state, request, "request");
    if (!found.is_complete()) {
        state.process().progress();
        if (!found.is_complete()) {
            flag = 0;
            return state.charge_empty_poll();
        }
    }
    flag = 1;
    const std::uint32_t context = found.context();
    const ErrorClass error = finish(state, found, request, status);
    if (error != ErrorClass::success) [[unlikely]]
        throw_failure(state, context, found.engine(), error);
}

/// Whether all are, by now or after a look at what has come.
bool are_complete(State& state, std::size_t count, const MPI_Request* requests) {
    const auto look = [&] {
        return std::all_of(requests, requests + count, [&](MPI_Request request) {
            return Found(state, request, "array_of_requests").is_complete();
        });
    };
    if (look()) return true;
    state.process().progress();
    return look();
}

void testall(State& state, std::size_t count, MPI_Request requests[], int& flag,
             MPI_Status statuses[]) {
    flag = are_complete(state, count, requests);
    if (flag == 0) return state.charge_empty_poll();
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
    state.charge_empty_poll();
}

void testsome(State& state, std::size_t count, MPI_Request requests[], int& outcount, int indices[],
              MPI_Status statuses[]) {
    const Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place) state.process().progress();
    finish_some(state, count, requests, outcount, indices, statuses);
    if (outcount == 0) state.charge_empty_poll();
}

/// MPI allows neither MPI_Cancel nor MPI_Request_free of a collective that was started.
void check_no_collective(const Found& found, const char* what) {
    const Request* const engine = found.engine();
    if (engine != nullptr && engine->is_active() && engine->kind == Request::Kind::collective)
        throw MpiError(ErrorClass::request,
                       std::string("request is a collective that was started, and cannot be ") +
                           what + "; wait for it");
}

void free_local(State& state, const Found& found, MPI_Request request) {
    Deferred* const deferred = found.local()->deferred.get();
    const bool is_complete = found.is_complete();
    if (!is_complete && deferred->abandon()) return;
    auto last = state.local_requests.remove(request);
    if (!is_complete)
        state.abandon(std::move(last));
    else if (deferred != nullptr)
        deferred->release();
}

void request_free(State& state, MPI_Request& request) {
    const Found found(state, request, "request");
    check_no_collective(found, "freed");
    if (Request* const engine = found.engine()) {
        if (engine->is_complete() || !engine->is_active())
            state.process().release(*engine);
        else
            state.process().free_when_done(*engine);
    } else if (found.local() != nullptr) {
        free_local(state, found, request);
    } else if (request == MPI_REQUEST_NULL) {
        bad_request(request, "request");
    }
    request = MPI_REQUEST_NULL;
}

void request_get_status(State& state, MPI_Request request, int& flag, MPI_Status* status) {
    const Found found(state, request, "request");
    if (!found.is_complete()) state.process().progress();
    flag = found.is_complete();
    if (flag == 0) return state.charge_empty_poll();
    set_status(status, found.status());
}

/// Writes what a complete request's status is, and leaves the request.
void look_at_one_of_many(const Found& found, std::size_t place, MPI_Status* statuses, std::size_t i,
                         Failures& failures) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
    int code = MPI_SUCCESS;
    try {
        const Status result = found.status();
        set_status(status, result);
        code = code_of(result.error);
        if (code != MPI_SUCCESS) failures.add(place, failure_of(found.engine(), result.error));
    } catch (const CodedError& error) {
        code = error.code();
        failures.add(place, error.what());
    }
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
}

void request_get_status_any(State& state, std::size_t count, const MPI_Request requests[],
                            int& index, int& flag, MPI_Status* status) {
    Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place) {
        state.process().progress();
        choice = any_complete(state, count, requests);
    }
    flag = !choice.active || choice.place.has_value();
    index = choice.place ? static_cast<int>(*choice.place) : MPI_UNDEFINED;
    if (choice.place)
        set_status(status, Found(state, requests[*choice.place], "array_of_requests").status());
    else if (flag != 0)
        set_status(status, empty_status);
    else
        state.charge_empty_poll();
}

void request_get_status_all(State& state, std::size_t count, const MPI_Request requests[],
                            int& flag, MPI_Status statuses[]) {
    flag = are_complete(state, count, requests);
    if (flag == 0) return state.charge_empty_poll();
    Failures failures;
    for (std::size_t i = 0; i < count; ++i)
        look_at_one_of_many(Found(state, requests[i], "array_of_requests"), i, statuses, i,
                            failures);
    failures.throw_if_any();
}

void request_get_status_some(State& state, std::size_t count, const MPI_Request requests[],
                             int& outcount, int indices[], MPI_Status statuses[]) {
    const Choice choice = any_complete(state, count, requests);
    if (choice.active && !choice.place) state.process().progress();
    bool active = false;
    Failures failures;
    int complete = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Found found(state, requests[i], "array_of_requests");
        if (!found.is_active()) continue;
        active = true;
        if (!found.is_complete()) continue;
        indices[complete] = static_cast<int>(i);
        look_at_one_of_many(found, i, statuses, static_cast<std::size_t>(complete++), failures);
    }
    outcount = active ? complete : MPI_UNDEFINED;
    failures.throw_if_any();
    if (outcount == 0) state.charge_empty_poll();
}

void cancel(State& state, MPI_Request& request) {
    const Found found(state, request, "request");
    if (request == MPI_REQUEST_NULL) bad_request(request, "request");
    check_no_collective(found, "cancelled");
    LocalRequest* const local = found.local();
    if (found.engine() != nullptr)
        state.process().cancel(*found.engine());
    else if (local != nullptr && local->deferred)
        local->deferred->cancel();
    else if (local != nullptr && local->active && local->buffered.number != 0)
        local->status.cancelled =
            local->buffered.in->cancel(local->buffered.number, state.process());
}

}  // namespace

/// Persistent requests, and those that the engine knows nothing of.
ErrorClass finish_other(State& state, const Found& found, MPI_Request& handle, MPI_Status* status) {
    LocalRequest* const local = found.local();
    // The handle goes in any case, also if the user's own functions fail.
    std::unique_ptr<LocalRequest> last;
    if (local != nullptr && !local->persistent) {
        last = state.local_requests.remove(handle);
        handle = MPI_REQUEST_NULL;
    }
    const Status result = found.status();
    set_status(status, result);
    if (last && last->deferred) last->deferred->release();
    if (found.engine() != nullptr) {
        found.engine()->active = false;
        return result.error;
    }
    if (local == nullptr) {
        handle = MPI_REQUEST_NULL;
        return ErrorClass::success;
    }
    local->active = false;
    return result.error;
}

#include <entries/completion.inc>

}  // namespace railyard::mpi::abi
